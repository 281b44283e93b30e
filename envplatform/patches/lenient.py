"""Read a diff whose hunk headers count wrongly, or whose end was cut off.

A body is read as far as its lines can be lines of a hunk: up to the next `@@` line or
file header. The counts still decide where they lead to such a place, because a removed
`-- x` with an added `++ y` looks like a file header. Nothing but counts, the text's
last line end and the wording of the `No newline` marker is forgiven.
"""

import re
from collections.abc import Sequence

from envplatform.errors import PatchError
from envplatform.patches.headers import starts_file
from envplatform.patches.model import Hunk, Line, Patch
from envplatform.patches.parse import (
    check_body,
    encoded,
    match_header,
    parse_patch,
    read_line,
    read_patch,
)

_BODY = (b" ", b"-", b"+", b"\\")
_BLANK = {b"\n", b"\r\n"}
_VERSION = re.compile(rb"[0-9][^\n]*\n")


def read_anyhow(patch: str) -> tuple[Patch, bool]:
    """Read a diff, and tell whether that needed forbearance.

    Raises:
        PatchError: the text can't be read as a diff, not even by its bodies.
    """
    try:
        return parse_patch(patch), False
    except PatchError as error:
        if error.fault != "malformed":
            raise
        return read_leniently(patch), True


def read_leniently(patch: str) -> Patch:
    """Read hunks by their bodies.

    Starts and `@@` lines stay as the text has them; they may contradict the bodies.

    Raises:
        PatchError: naming the line of the diff, and the file where one is known.
    """
    data = encoded(patch)
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return read_patch(data, _read_hunk, skip_blank=True)


def _read_hunk(lines: Sequence[bytes], at: int, where: str) -> tuple[Hunk, int]:
    match = match_header(lines, at, where)
    old_count, new_count = (int(match.group(group) or 1) for group in (2, 4))
    end = _counted_end(lines, at + 1, old_count, new_count)
    counted = end is not None
    if end is None:
        end = _visible_end(lines, at + 1)
    body = _read_body(lines[at + 1 : end], where, at + 1)
    while body and body[-1].bare and not counted:
        body.pop()
    check_body(body, where)
    old_start = int(match.group(1))
    if all(line.origin == "+" for line in body) and old_count:
        if old_start > 1:
            msg = f"{where}: inserts without context, and its header counts old lines"
            raise PatchError(msg, fault="malformed")
        old_start = 0
    hunk = Hunk(
        header=lines[at],
        old_start=old_start,
        new_start=int(match.group(3)),
        lines=tuple(body),
    )
    while end < len(lines) and lines[end] in _BLANK:
        end += 1
    return hunk, end


def _counted_end(
    lines: Sequence[bytes], at: int, old_left: int, new_left: int
) -> int | None:
    """Line after the hunk by its counts; None if no hunk can end there."""
    while old_left > 0 or new_left > 0:
        if at == len(lines):
            return None
        mark = lines[at][:1]
        if mark not in _BODY and lines[at] not in _BLANK:
            return None
        old_left -= mark not in {b"+", b"\\"}
        new_left -= mark not in {b"-", b"\\"}
        at += 1
    if old_left < 0 or new_left < 0:
        return None
    if at < len(lines) and lines[at].startswith(b"\\"):
        at += 1
    return at if _may_end(lines, at) else None


def _may_end(lines: Sequence[bytes], at: int) -> bool:
    while at < len(lines) and lines[at] in _BLANK:
        at += 1
    return (
        at == len(lines)
        or lines[at].startswith(b"@@ -")
        or starts_file(lines, at)
        or _is_signature(lines, at)
    )


def _visible_end(lines: Sequence[bytes], at: int) -> int:
    while (
        at < len(lines)
        and (lines[at].startswith(_BODY) or lines[at] in _BLANK)
        and not starts_file(lines, at)
        and not _is_signature(lines, at)
    ):
        at += 1
    return at


def _is_signature(lines: Sequence[bytes], at: int) -> bool:
    """Tell `-- ` and a version from removed lines: no body starts with a digit."""
    return (
        lines[at].rstrip(b"\r\n") in {b"-- ", b"--"}
        and at + 1 < len(lines)
        and _VERSION.fullmatch(lines[at + 1]) is not None
    )


def _read_body(lines: Sequence[bytes], where: str, first: int) -> list[Line]:
    body: list[Line] = []
    for at, text in enumerate(lines):
        if not text.startswith(b"\\ "):
            body.append(read_line(lines, at, f"{where}: from line {first + 1}"))
        elif body:
            # The marker's own CR says that the text was given CRLF on its way.
            line_end = b"\r\n" if text.endswith(b"\r\n") else b"\n"
            last = body[-1]
            content = last.content.removesuffix(b"\n")
            if line_end == b"\r\n":
                content = content.removesuffix(b"\r")
            body[-1] = Line(last.origin, content, last.bare)
    return body
