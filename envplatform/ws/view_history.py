"""A version history: commits, and files as they were at one, off a fast-export stream.

The resource is the text that `git fast-export` writes, so that a repository has one
spelling, and no git runs and no hook can. Commit ids are those that git would give.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import FAILED, INVALID, NOT_FOUND, WsError
from .fast_export import Commit, Files, History, HistoryError, read_history
from .manifest import ViewSpec
from .view import Room, View, required
from .wire import Reply, digest, text_of

_MOST_LOGGED = 200
_LEAST_PREFIX = 7


class HistoryView(View):
    """`act log`, `act show`, `act files`; `read` with `version` and `key` (a path)."""

    operations = ("read", "act")

    def __init__(self, spec: ViewSpec, room: Room) -> None:
        super().__init__(spec, room)
        self._cached: tuple[str, History] = ("", History({}, {}, {}))

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        history = self._history()
        if operation == "read":
            self.takes(arguments, "version", "key")
            version = required(arguments, "version", "a commit, branch or tag")
            path = required(arguments, "key", "the path of a file")
            commit = self._commit(history, version)
            if path not in commit.files:
                raise WsError(NOT_FOUND, f"{version} holds no {path}")
            return Reply(content=history.blobs[commit.files[path][1]])
        given = arguments.get("input", {})
        if arguments["action"] == "log":
            return Reply(data=self._log(history, given))
        version = required(given, "version", "a commit, branch or tag")
        commit = self._commit(history, version)
        if arguments["action"] == "files":
            return Reply(data={"files": sorted(commit.files)})
        if arguments["action"] == "show":
            told = _told(commit, history)
            return Reply(
                data={**told, "message": commit.message, "diff": _diff(commit, history)}
            )
        raise WsError(INVALID, f"{self.spec.name} offers log, show and files")

    def _history(self) -> History:
        stream = self.source()
        told = digest(stream)
        if told != self._cached[0]:
            try:
                self._cached = (told, read_history(stream))
            except HistoryError as error:
                raise WsError(FAILED, f"{self.spec.name}: {error}") from None
        return self._cached[1]

    def _commit(self, history: History, version: str) -> Commit:
        for name in (version, f"refs/tags/{version}", f"refs/heads/{version}"):
            found = history.refs.get(name, name)
            if found in history.commits:
                return history.commits[found]
        matches = [
            one
            for one in history.commits
            if len(version) >= _LEAST_PREFIX and one.startswith(version)
        ]
        if len(matches) != 1:
            raise WsError(NOT_FOUND, f"{self.spec.name} has no {version!r}")
        return history.commits[matches[0]]

    def _log(self, history: History, given: Mapping[str, Any]) -> dict[str, Any]:
        """Newest first; `version`: from there; `after`: up to there; `path`: only it."""
        tips = (
            [self._commit(history, str(given["version"])).commit_id]
            if "version" in given
            else list(history.refs.values())
        )
        wanted = _ancestors(history, tips)
        if "after" in given:
            known = self._commit(history, str(given["after"])).commit_id
            wanted -= _ancestors(history, [known])
        path = given.get("path")
        found = [
            commit
            for name, commit in reversed(list(history.commits.items()))
            if name in wanted
            and (path is None or path in {p for p, _, _ in _changed(commit, history)})
        ]
        told = [_told(one, history) for one in found[:_MOST_LOGGED]]
        return {"commits": told, "left_out": max(0, len(found) - _MOST_LOGGED)}


def _told(commit: Commit, history: History) -> dict[str, Any]:
    refs = sorted(n for n, found in history.refs.items() if found == commit.commit_id)
    subject = commit.message.splitlines()[0] if commit.message.strip() else ""
    return {
        "commit": commit.commit_id,
        "parents": list(commit.parents),
        "author": commit.author,
        "subject": subject,
        "refs": refs,
        "paths": [path for path, _, _ in _changed(commit, history)],
    }


def _ancestors(history: History, tips: list[str]) -> set[str]:
    found: set[str] = set()
    todo = list(tips)
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo += history.commits[at].parents
    return found


def _changed(commit: Commit, history: History) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield path, content at the first parent and content now, sorted by path."""
    before: Files = history.commits[commit.parents[0]].files if commit.parents else {}
    for path in sorted({*before, *commit.files}):
        old, new = before.get(path), commit.files.get(path)
        if old != new:
            yield path, _blob(history, old), _blob(history, new)


def _blob(history: History, entry: tuple[str, str] | None) -> bytes:
    return history.blobs[entry[1]] if entry else b""


def _diff(commit: Commit, history: History) -> str:
    lines: list[str] = []
    for path, old, new in _changed(commit, history):
        before, after = text_of(old), text_of(new)
        if before is None or after is None:
            lines.append(f"Binary file {path} differs\n")
            continue
        lines += difflib.unified_diff(
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            f"a/{path}",
            f"b/{path}",
        )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
