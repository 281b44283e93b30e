"""Text to `Patch`: strict, so that nothing in a diff is skipped in silence.

Taken: git's unified diffs and plain `--- a/x`, `+++ b/x` ones; renames and copies;
prose before the first file and the signature of `git format-patch` after the last.
Refused by name: symbolic links, submodules, binary changes, headers that contradict
each other, counts that do not fit the hunk. Headers are read in `headers`; texts with
wrong counts in `lenient`.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence

from envplatform.errors import PatchError
from envplatform.patches.headers import is_binary, read_header, starts_file
from envplatform.patches.model import FilePatch, Hunk, Line, Origin, Patch

MAX_PATCH_BYTES = 64 * 2**20
"""Larger diffs are refused before they are taken apart."""

NO_NEWLINE = b"\\ No newline at end of file\n"
HUNK_HEADER = re.compile(
    rb"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@[^\n]*\n"
)
_ORIGINS: dict[bytes, Origin] = {b" ": " ", b"-": "-", b"+": "+"}
_BARE = {b"\n", b"\r\n"}

HunkReader = Callable[[Sequence[bytes], int, str], tuple[Hunk, int]]
"""Reads the hunk at a line; returns it and the line after it. The text says where."""


def parse_patch(patch: str) -> Patch:
    """Take a diff apart. The empty text is the diff of equal trees.

    Raises:
        PatchError: naming the line of the diff, and the file where one is known.
    """
    data = encoded(patch)
    if data and not data.endswith(b"\n"):
        msg = "the diff's last line has no line end: it is cut off"
        raise PatchError(msg, fault="malformed")
    return read_patch(data, _read_hunk)


def encoded(patch: str) -> bytes:
    """Return the bytes that the text stands for.

    Raises:
        PatchError: too long, with a NUL, or no text made by `surrogateescape`.
    """
    try:
        data = patch.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        msg = "the diff holds a surrogate that stands for no byte"
        raise PatchError(msg, fault="malformed") from error
    if len(data) > MAX_PATCH_BYTES:
        msg = f"the diff has {len(data)} bytes; at most {MAX_PATCH_BYTES} are taken"
        raise PatchError(msg, fault="too_large")
    if b"\0" in data:
        msg = "the diff holds a NUL byte; binary changes are not taken"
        raise PatchError(msg, fault="binary")
    return data


def read_patch(
    data: bytes, read_hunk: HunkReader, *, skip_blank: bool = False
) -> Patch:
    """Take a diff apart, its hunks as `read_hunk` sees fit.

    Args:
        data: the diff; its last line ends with LF.
        read_hunk: reads one hunk.
        skip_blank: overlook blank lines between hunks and files.

    Raises:
        PatchError: naming the line of the diff, and the file where one is known.
    """
    lines = split_lines(data)
    at = 0
    while at < len(lines) and not starts_file(lines, at):
        at += 1
    if lines and at == len(lines):
        msg = "no file header (`diff --git` or `---`/`+++`) in this diff"
        raise PatchError(msg, fault="malformed")
    preamble = tuple(lines[:at])
    if any(line.startswith(b"@@ -") for line in preamble):
        msg = "a hunk stands before the first file header"
        raise PatchError(msg, fault="malformed")
    files: list[FilePatch] = []
    while at < len(lines) and starts_file(lines, at):
        file, at = _read_file(lines, at, read_hunk)
        files.append(file)
        while skip_blank and at < len(lines) and lines[at] in _BARE:
            at += 1
    _refuse_twice(files)
    return Patch(files=tuple(files), preamble=preamble, signature=_signature(lines, at))


def split_lines(data: bytes) -> list[bytes]:
    """Cut at LF only; each line keeps its LF, the last may have none."""
    return io.BytesIO(data).readlines()


def _read_file(
    lines: Sequence[bytes], at: int, read_hunk: HunkReader
) -> tuple[FilePatch, int]:
    header = read_header(lines, at)
    hunks: list[Hunk] = []
    after = header.end
    while after < len(lines) and lines[after].startswith(b"@@"):
        hunk, after = read_hunk(lines, after, f"{header.path}: hunk {len(hunks) + 1}")
        hunks.append(hunk)
    if hunks and not header.has_names:
        msg = f"{header.path}: hunks without the `---` and `+++` lines before them"
        raise PatchError(msg, fault="malformed")
    if not hunks and (header.has_names or not header.may_lack_hunks):
        msg = f"{header.path}: the header promises hunks and none follows"
        raise PatchError(msg, fault="malformed")
    file = FilePatch(
        path=header.path,
        source=header.source,
        kind=header.kind,
        old_executable=header.old_executable,
        new_executable=header.new_executable,
        header=tuple(lines[at : header.end]),
        hunks=tuple(hunks),
    )
    return file, after


def _read_hunk(lines: Sequence[bytes], at: int, where: str) -> tuple[Hunk, int]:
    """Read as many lines as the header counts."""
    match = match_header(lines, at, where)
    old_count, new_count = (int(match.group(group) or 1) for group in (2, 4))
    old_left, new_left, header = old_count, new_count, lines[at]
    body: list[Line] = []
    must_check = False
    at, total = at + 1, len(lines)
    while old_left or new_left:
        if at == total:
            msg = f"{where}: the diff ends before the hunk does"
            raise PatchError(msg, fault="malformed")
        # Spelled out, though `read_line` would do: most of a diff's lines end up here.
        origin = _ORIGINS.get(lines[at][:1])
        line = Line(origin, lines[at][1:]) if origin else read_line(lines, at, where)
        if origin != "+":
            old_left -= 1
        if origin != "-":
            new_left -= 1
        if old_left < 0 or new_left < 0:
            msg = f"{where}: has more lines than its header counts"
            raise PatchError(msg, fault="malformed")
        at += 1
        if at < total and lines[at][:1] == b"\\":
            line, at = _cut_line_end(line, lines[at], where), at + 1
            must_check = True
        body.append(line)
    if must_check or len(body) == old_count == new_count:
        check_body(body, where)
    hunk = Hunk(
        header=header,
        old_start=int(match.group(1)),
        new_start=int(match.group(3)),
        lines=tuple(body),
    )
    return hunk, at


def _cut_line_end(line: Line, marker: bytes, where: str) -> Line:
    if marker != NO_NEWLINE:
        msg = f"{where}: unknown marker {marker!r}"
        raise PatchError(msg, fault="malformed")
    return Line(line.origin, line.content[:-1], line.bare)


def match_header(lines: Sequence[bytes], at: int, where: str) -> re.Match[bytes]:
    """Take a hunk's `@@` line apart: starts are groups 1 and 3, counts 2 and 4.

    Raises:
        PatchError: it is none.
    """
    match = HUNK_HEADER.fullmatch(lines[at])
    if match is None:
        msg = f"{where}: line {at + 1} of the diff is no hunk header: {lines[at]!r}"
        raise PatchError(msg, fault="malformed")
    return match


def read_line(lines: Sequence[bytes], at: int, where: str) -> Line:
    """Read one line of a hunk's body.

    Raises:
        PatchError: it starts with none of blank, minus and plus.
    """
    text = lines[at]
    origin = _ORIGINS.get(text[:1])
    if origin is not None:
        return Line(origin, text[1:])
    if text in _BARE:
        return Line(" ", text, bare=True)
    msg = f"{where}: line {at + 1} of the diff starts with {text[:1]!r}"
    raise PatchError(msg, fault="malformed")


def check_body(body: Sequence[Line], where: str) -> None:
    """A line without end must be the last of its side; a hunk must change something.

    Raises:
        PatchError: one of the two does not hold.
    """
    if not all(line.content.endswith(b"\n") for line in body):
        for skipped in ("+", "-"):
            side = [line.content for line in body if line.origin != skipped]
            if any(not content.endswith(b"\n") for content in side[:-1]):
                msg = f"{where}: a line after `No newline at end of file`"
                raise PatchError(msg, fault="malformed")
    if all(line.origin == " " for line in body):
        msg = f"{where}: changes nothing"
        raise PatchError(msg, fault="malformed")


def _refuse_twice(files: Sequence[FilePatch]) -> None:
    """Each path may be made once, go once, and go only to be made anew.

    So a new file may take the name that a rename leaves; a file that is deleted or
    changed may not be named again.
    """
    made, gone = Counter[str](), Counter[str]()
    for file in files:
        (gone if file.kind == "delete" else made)[file.path] += 1
        if file.kind == "rename" and file.source is not None:
            gone[file.source] += 1
    for file in files:
        is_new = file.kind not in {"modify", "delete"}
        times = max(made[file.path], gone[file.path])
        if times > 1 or (made[file.path] and gone[file.path] and not is_new):
            raise _twice(file.path)
        if file.kind == "rename" and gone[file.source or ""] > 1:
            raise _twice(file.source or "")


def _twice(path: str) -> PatchError:
    return PatchError(f"{path}: appears twice in the diff", fault="malformed")


def _signature(lines: Sequence[bytes], at: int) -> tuple[bytes, ...]:
    """Blank lines and `git format-patch`'s `-- ` and version; anything else is lost."""
    rest = tuple(lines[at:])
    text = b"".join(rest).strip(b"\r\n")
    if text and not re.fullmatch(rb"-- ?\r?\n[^\n]*", text):
        msg = f"line {at + 1} of the diff belongs to no hunk and no header: {rest[0]!r}"
        raise PatchError(msg, fault="binary" if is_binary(rest[0]) else "malformed")
    return rest
