"""The log of a mirror: commits with the paths that they change. Reads no blob."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.histories.git_command import at, started_git

_START = b"\x01"
_FORMAT = "--format=%x01%H%x00%P%x00%ct%x00%B"
_PIECE_BYTES = 1 << 16
_MAX_FIELD_BYTES = 2**20
"""Of a message or path; what is longer is cut off."""
MAX_CHANGES = 1_000
"""Paths of one commit that are kept; some commits bring a million."""
_LAST_SECOND = 4_102_444_800
"""2100. Clocks of committers are wrong now and then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPath:
    """One path that a commit changes, against its only parent."""

    path: str
    """UTF-8 with `surrogateescape`."""
    old_mode: str
    """`100644` and so on; `000000` if there was nothing."""
    new_mode: str
    old_id: str
    """Blob id; zeros if there was nothing."""
    new_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCommit:
    """A commit with exactly one parent."""

    commit: str
    parent: str
    message: str
    committed_at: str
    """UTC, `YYYY-MM-DDTHH:MM:SSZ`; empty if the clock was out of all bounds."""
    changes: tuple[ChangedPath, ...]
    """The first `MAX_CHANGES` at most."""


def read_log(mirror: Path, tip: str) -> Iterator[LoggedCommit]:
    """Yield the commits below `tip` that have one parent, newest first.

    Args:
        mirror: Bare repository.
        tip: Full id of a commit in it.

    Raises:
        FixSourceError: git breaks off; the mirror is damaged.
    """
    with started_git(
        *(at(mirror), "log", "-z", "--raw", "--no-renames", "--no-abbrev"),
        *("--min-parents=1", "--max-parents=1", "--no-show-signature", "--no-color"),
        *("--no-ext-diff", "--encoding=UTF-8", _FORMAT, tip, "--"),
    ) as log:
        yield from _commits(_fields(log.answers), mirror)
        if log.status():
            raise _damaged(mirror)


def _fields(stream: BufferedReader) -> Iterator[bytes]:
    """What stands between NUL bytes, which no message and no path can hold.

    Without the end of what is too long: a message of 100 MB costs no other commit.
    """
    rest = b""
    while piece := stream.read1(_PIECE_BYTES):
        first, *others = piece.split(b"\0")
        rest += first[: _MAX_FIELD_BYTES - len(rest)]
        for other in others:
            yield rest
            rest = other


def _commits(fields: Iterator[bytes], mirror: Path) -> Iterator[LoggedCommit]:
    head: list[str] = []
    changes: list[ChangedPath] = []

    def following() -> bytes:
        field = next(fields, None)
        if field is None:  # git died in the middle of a commit
            raise _damaged(mirror)
        return field

    for field in fields:
        if field.startswith(_START):
            if head:
                yield _commit(head, changes)
            head = [_text(field[1:]), *(_text(following()) for _ in range(3))]
            changes = []
        else:
            path = following()
            if len(changes) < MAX_CHANGES:
                changes.append(_change(field, path))
    if head:
        yield _commit(head, changes)


def _commit(head: list[str], changes: list[ChangedPath]) -> LoggedCommit:
    commit, parent, seconds, message = head
    return LoggedCommit(
        commit=commit,
        parent=parent,
        message=message.encode("utf-8", "replace").decode().strip(),
        committed_at=_instant(seconds),
        changes=tuple(changes),
    )


def _change(line: bytes, path: bytes) -> ChangedPath:
    """`:OLD_MODE NEW_MODE OLD_ID NEW_ID LETTER`."""
    words = line.decode("ascii", "replace").strip("\n:").split(" ")
    old_mode, new_mode, old_id, new_id = words[:4]
    return ChangedPath(
        path=_text(path),
        old_mode=old_mode,
        new_mode=new_mode,
        old_id=old_id,
        new_id=new_id,
    )


def _instant(seconds: str) -> str:
    if not seconds.isdigit() or int(seconds) > _LAST_SECOND:
        return ""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _damaged(mirror: Path) -> FixSourceError:
    return FixSourceError(
        f"git can't read the log of the mirror {mirror}; remove that folder, and it is "
        f"cloned anew"
    )
