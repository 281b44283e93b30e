"""Read what `git fast-export` writes: commits, their files, branches and tags.

Covers what a plain export holds; anything else is refused by name. Object ids are
computed as git does, so that they are those a clone would show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

Files = Mapping[str, tuple[str, str]]
"""Path to (mode, id of the blob)."""


class HistoryError(ValueError):
    """The stream can't be read; names the line."""


class Commit(NamedTuple):
    """One commit."""

    commit_id: str
    parents: tuple[str, ...]
    author: str
    """As in the stream: name, address, seconds since 1970, zone."""
    message: str
    files: Files
    """All of them, not only the changed ones."""


class History(NamedTuple):
    """One repository."""

    commits: Mapping[str, Commit]
    """By id, parents first."""
    refs: Mapping[str, str]
    """Full name of a branch or tag to the id of its commit."""
    blobs: Mapping[str, bytes]


def read_history(stream: bytes) -> History:
    """Parse a whole stream.

    Raises:
        HistoryError: names the first line that is not understood.
    """
    return _Reading(stream).all()


class _Reading:
    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._at = 0
        self._marks: dict[str, str] = {}
        self._blobs: dict[str, bytes] = {}
        self._commits: dict[str, Commit] = {}
        self._refs: dict[str, str] = {}

    def all(self) -> History:
        while (line := self._line()) is not None:
            word, _, rest = line.partition(" ")
            if word == "blob":
                self._blob()
            elif word == "commit":
                self._commit(rest)
            elif word == "reset":
                self._reset(rest)
            elif word == "tag":
                self._tag(rest)
            elif word not in {"", "feature", "done", "progress"}:
                raise self._lost(line)
        return History(self._commits, self._refs, self._blobs)

    def _line(self) -> str | None:
        if self._at >= len(self._stream):
            return None
        end = self._stream.find(b"\n", self._at)
        end = len(self._stream) if end < 0 else end
        line, self._at = self._stream[self._at : end], end + 1
        return line.decode("utf-8", "surrogateescape")

    def _take(self, word: str) -> str | None:
        """Return the rest of the next line if it begins with `word`."""
        at = self._at
        line = self._line()
        if line is not None and line.startswith(f"{word} "):
            return line[len(word) + 1 :]
        self._at = at
        return None

    def _need(self, word: str) -> str:
        found = self._take(word)
        if found is None:
            raise self._lost(self._line() or "the end", f"{word} was expected")
        return found

    def _data(self) -> bytes:
        count = self._need("data")
        if not count.isdigit() or self._at + int(count) > len(self._stream):
            msg = f"data {count}"
            raise self._lost(msg)
        data = self._stream[self._at : self._at + int(count)]
        self._at += int(count)
        return data

    def _mark(self) -> str | None:
        mark = self._take("mark")
        self._take("original-oid")
        return mark

    def _blob(self) -> None:
        mark, data = self._mark(), self._data()
        name = object_id("blob", data)
        self._blobs[name] = data
        if mark:
            self._marks[mark] = name

    def _reset(self, ref: str) -> None:
        start = self._take("from")
        if start is not None:
            self._refs[ref] = self._commit_of(start)

    def _tag(self, name: str) -> None:
        self._mark()
        self._refs[f"refs/tags/{name}"] = self._commit_of(self._need("from"))
        self._take("original-oid")
        self._take("tagger")
        self._data()

    def _commit(self, ref: str) -> None:
        mark = self._mark()
        author, committer = self._take("author"), self._need("committer")
        self._take("encoding")
        message = self._data()
        parents = []
        while (start := self._take("from") or self._take("merge")) is not None:
            parents.append(self._commit_of(start))
        files = dict(self._commits[parents[0]].files) if parents else {}
        self._changes(files)
        author = author or committer
        commit_id = _commit_id(files, parents, (author, committer), message)
        self._commits[commit_id] = Commit(
            commit_id=commit_id,
            parents=tuple(parents),
            author=author,
            message=message.decode("utf-8", "replace"),
            files=files,
        )
        self._refs[ref] = commit_id
        if mark:
            self._marks[mark] = commit_id

    def _changes(self, files: dict[str, tuple[str, str]]) -> None:
        while True:
            at = self._at
            line = self._line()
            word = "" if line is None else line.partition(" ")[0]
            if word == "deleteall":
                files.clear()
            elif word == "M" and line is not None:
                _, mode, blob, path = line.split(" ", 3)
                files[_unquoted(path)] = (mode, self._blob_of(blob))
            elif word == "D" and line is not None:
                files.pop(_unquoted(line[2:]), None)
            else:
                if line != "":
                    self._at = at
                return

    def _commit_of(self, name: str) -> str:
        found = self._marks.get(name, self._refs.get(name, name))
        if found not in self._commits:
            raise self._lost(name, "there is no such commit before it")
        return found

    def _blob_of(self, name: str) -> str:
        found = self._marks.get(name, name)
        if found not in self._blobs:
            raise self._lost(name, "there is no such blob before it")
        return found

    def _lost(self, line: str, why: str = "it is not understood") -> HistoryError:
        number = self._stream.count(b"\n", 0, self._at) + 1
        return HistoryError(f"history, about line {number}: {line[:80]!r}: {why}")


def object_id(kind: str, data: bytes) -> str:
    """Return git's name of an object."""
    header = f"{kind} {len(data)}\0".encode()
    return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()


def _commit_id(
    files: Files, parents: list[str], people: tuple[str, str], message: bytes
) -> str:
    lines = [f"tree {_tree_id(files)}", *(f"parent {one}" for one in parents)]
    lines += [f"author {people[0]}", f"committer {people[1]}", "", ""]
    head = "\n".join(lines).encode("utf-8", "surrogateescape")
    return object_id("commit", head + message)


def _tree_id(files: Files) -> str:
    here: dict[str, tuple[str, str]] = {}
    below: dict[str, dict[str, tuple[str, str]]] = {}
    for path, entry in files.items():
        first, slash, rest = path.partition("/")
        if slash:
            below.setdefault(first, {})[rest] = entry
        else:
            here[first] = entry
    entries = [(name, mode, blob) for name, (mode, blob) in here.items()]
    entries += [(name, "40000", _tree_id(inner)) for name, inner in below.items()]
    data = b""
    for name, mode, found in sorted(entries, key=_order):
        spelled = f"{mode} {name}\0".encode("utf-8", "surrogateescape")
        data += spelled + bytes.fromhex(found)
    return object_id("tree", data)


def _order(entry: tuple[str, str, str]) -> bytes:
    """Git sorts folders as if their names ended in a slash."""
    slash = "/" if entry[1] == "40000" else ""
    return f"{entry[0]}{slash}".encode("utf-8", "surrogateescape")


_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    '"': '"',
    "\\": "\\",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
}


def _unquoted(path: str) -> str:
    """Return a path that may stand in C quotes."""
    if not path.startswith('"'):
        return path
    found, at, text = b"", 0, path[1:-1]
    while at < len(text):
        sign = text[at]
        if sign != "\\":
            found += sign.encode("utf-8", "surrogateescape")
            at += 1
        elif text[at + 1] in "0123":
            found += bytes([int(text[at + 1 : at + 4], 8)])
            at += 4
        else:
            found += _ESCAPES[text[at + 1]].encode()
            at += 2
    return found.decode("utf-8", "surrogateescape")
