"""Commits, trees and blobs of one mirror, read by running git processes.

Not with the readers of GitPython (`Git.get_object_data`, `get_object_header`). On 3,000
blobs of black, 113 MB, they took 0.39 s against 0.32 s for contents and 0.049 s against
0.016 s for headers, where ours asks for many at once. They take no SHA-256 ids, and a
missing object is a `ValueError` like any other. The protocol is two lines long.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.histories.git_command import RunningGit, at, started_git

ObjectKind = Literal["blob", "tree", "commit", "tag"]
_REQUESTS_AT_ONCE = 400
"""Questions and answers of so many fit into the buffers of two pipes."""
_CACHED_TREE_ENTRIES = 400_000
_MAX_COMMIT_BYTES = 64 * 2**20
_MAX_TREE_BYTES = 16 * 2**20
"""Half a million names in one folder; in memory they take ten times as much."""
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a tree."""

    mode: str
    """One of `100644`, `100755`, `120000` link, `160000` submodule, `40000` folder: as
    git reads it, for old tools wrote `040000` and `100664`.
    """
    object_id: str


@dataclass(frozen=True, slots=True)
class Header:
    """What an object is."""

    object_id: str
    """In full, also where the question was short."""
    kind: str
    size_bytes: int


class ObjectReader:
    """Reads objects of the mirror in `folder`; never asks a remote. Not for threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, RunningGit] = {}
        self._ends = ExitStack()
        self._trees: OrderedDict[str, Mapping[bytes, Entry]] = OrderedDict()
        self._cached_entries = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes. May be called twice; a later read starts new ones."""
        self._running.clear()
        self._ends.close()

    def headers(self, names: Iterable[str]) -> Iterator[tuple[str, Header | None]]:
        """Yield each name with what it names; None: not here, or not unique."""
        left = iter(names)
        while chunk := tuple(islice(left, _REQUESTS_AT_ONCE)):
            git = self._git("--batch-check")
            git.ask("".join(f"{name}\n" for name in chunk))
            yield from [(name, self._header(git.answers)) for name in chunk]

    def read(self, object_id: str, *, limit_bytes: int) -> bytes | int | None:
        """Content of one object; its size alone if over the limit; None: not here."""
        git = self._git("--batch")
        git.ask(f"{object_id}\n")
        header = self._header(git.answers)
        if header is None:
            return None
        if header.size_bytes > limit_bytes:
            _skip(git.answers, header.size_bytes + 1)
            return header.size_bytes
        data = git.answers.read(header.size_bytes + 1)
        if len(data) != header.size_bytes + 1:
            raise self._broken()
        return data[:-1]

    def tree_of(self, commit: str) -> str | None:
        """Id of the root tree of a commit; None: no such commit here."""
        data = self.read(commit, limit_bytes=_MAX_COMMIT_BYTES)
        if not isinstance(data, bytes) or not data.startswith(b"tree "):
            return None
        return data[5:].split(b"\n", 1)[0].decode("ascii", "replace")

    def tree(self, object_id: str) -> Mapping[bytes, Entry] | None:
        """Names in a tree; None: not here, or no tree that is taken."""
        known = self._trees.get(object_id)
        if known is not None:
            self._trees.move_to_end(object_id)
            return known
        data = self.read(object_id, limit_bytes=_MAX_TREE_BYTES)
        if not isinstance(data, bytes):
            return None
        entries = _parse_tree(data, id_bytes=len(object_id) // 2)
        if entries is not None:
            self._keep(object_id, entries)
        return entries

    def _keep(self, object_id: str, entries: Mapping[bytes, Entry]) -> None:
        self._trees[object_id] = entries
        self._cached_entries += len(entries)
        while self._cached_entries > _CACHED_TREE_ENTRIES:
            _, dropped = self._trees.popitem(last=False)
            self._cached_entries -= len(dropped)

    def _git(self, how: str) -> RunningGit:
        if how not in self._running:
            started = started_git(at(self._folder), "cat-file", how)
            self._running[how] = self._ends.enter_context(started)
        return self._running[how]

    def _header(self, answers: BufferedReader) -> Header | None:
        """`ID KIND SIZE`, or `NAME missing`, or `NAME ambiguous`."""
        words = answers.readline().split()
        if len(words) == 2 and words[1] in {b"missing", b"ambiguous"}:  # noqa: PLR2004  words of git's answer
            return None
        if len(words) != 3 or not words[2].isdigit():  # noqa: PLR2004  words of git's answer
            raise self._broken()
        return Header(words[0].decode(), words[1].decode(), int(words[2]))

    def _broken(self) -> FixSourceError:
        self.close()
        return FixSourceError(
            f"git can't read the mirror {self._folder}: it may be damaged; remove that "
            f"folder, and it is cloned anew"
        )


def _skip(answers: BufferedReader, size: int) -> None:
    while size:
        size -= len(answers.read(min(size, _PIECE_BYTES))) or size


def _parse_tree(data: bytes, *, id_bytes: int) -> Mapping[bytes, Entry] | None:
    """`MODE NAME NUL ID`, one after the other; None: it is something else."""
    entries: dict[bytes, Entry] = {}
    modes: dict[bytes, str] = {}
    at_byte = 0
    while at_byte < len(data):
        end = data.find(b"\0", at_byte)
        mode, blank, name = data[at_byte:end].partition(b" ")
        at_byte = end + 1 + id_bytes
        if end < 0 or not blank or at_byte > len(data):
            return None
        kind = modes.get(mode) or modes.setdefault(mode, _canonical_mode(mode))
        entries[name] = Entry(kind, data[end + 1 : at_byte].hex())
    return entries


def _canonical_mode(mode: bytes) -> str:
    text = mode.decode("latin-1").lstrip("0")
    if not re.fullmatch("100[0-7]{3}", text):
        return text
    return "100755" if int(text, 8) & 0o100 else "100644"
