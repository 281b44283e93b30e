r"""A diff's LF where the file has CRLF, or the reverse: the file's own ending is used.

Only where both are of one kind. A file that mixes LF and CRLF has no ending of its
own, and a diff that mixes them may mean to; both are left to the other rungs, which
compare bytes. A file without any LF counts as an LF file. A new file has no ending yet:
it is as the diff says.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from envplatform.patches.model import Hunk, Line

_Ending = Literal["lf", "crlf", "mixed"]


def with_own_endings(hunks: Sequence[Hunk], data: bytes) -> tuple[Hunk, ...] | None:
    """Return the hunks with the line ending of the file; None if nothing is to do."""
    own, theirs = _ending_of(data), _ending_of_hunks(hunks)
    if own == theirs or "mixed" in {own, theirs}:
        return None
    wanted = b"\r\n" if own == "crlf" else b"\n"
    return tuple(
        replace(hunk, lines=tuple(_with(line, wanted) for line in hunk.lines))
        for hunk in hunks
    )


def _ending_of(data: bytes) -> _Ending:
    with_cr = data.count(b"\r\n")
    if not with_cr:
        return "lf"
    return "crlf" if with_cr == data.count(b"\n") else "mixed"


def _ending_of_hunks(hunks: Sequence[Hunk]) -> _Ending:
    return _ending_of(b"".join(line.content for hunk in hunks for line in hunk.lines))


def _with(line: Line, ending: bytes) -> Line:
    if not line.content.endswith(b"\n"):
        return line
    content = line.content.removesuffix(b"\n").removesuffix(b"\r") + ending
    return Line(line.origin, content, line.bare)
