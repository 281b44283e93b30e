"""Text to `Patch`: strict, so that nothing in a diff is skipped in silence.

Taken: git's unified diffs and plain `--- a/x`, `+++ b/x` ones; prose before the first
file and the signature of `git format-patch` after the last. Refused by name: renames,
copies, symbolic links, submodules, binary changes, headers that contradict each
other, counts that do not fit the hunk. Headers are read in `headers`.
"""

import re
from collections.abc import Sequence

from envplatform.errors import PatchError
from envplatform.patches.headers import read_header, starts_file
from envplatform.patches.model import FilePatch, Hunk, Line, Origin, Patch

MAX_PATCH_BYTES = 64 * 2**20
"""Larger diffs are refused before they are taken apart."""

NO_NEWLINE = b"\\ No newline at end of file\n"
_HUNK = re.compile(
    rb"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@[^\n]*\n"
)
_ORIGINS: dict[bytes, Origin] = {b" ": " ", b"-": "-", b"+": "+"}


def parse_patch(patch: str) -> Patch:
    """Take a diff apart. The empty text is the diff of equal trees.

    Raises:
        PatchError: naming the line of the diff, and the file where one is known.
    """
    lines = _split(patch)
    at = 0
    while at < len(lines) and not starts_file(lines, at):
        at += 1
    if lines and at == len(lines):
        msg = "no file header (`diff --git` or `---`/`+++`) in this diff"
        raise PatchError(msg)
    preamble = tuple(lines[:at])
    if any(line.startswith(b"@@ -") for line in preamble):
        msg = "a hunk stands before the first file header"
        raise PatchError(msg)
    files: list[FilePatch] = []
    while at < len(lines) and starts_file(lines, at):
        file, at = _read_file(lines, at)
        files.append(file)
    _refuse_twice(files)
    return Patch(files=tuple(files), preamble=preamble, signature=_signature(lines, at))


def _split(patch: str) -> list[bytes]:
    try:
        data = patch.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        msg = "the diff holds a surrogate that stands for no byte"
        raise PatchError(msg) from error
    if len(data) > MAX_PATCH_BYTES:
        msg = f"the diff has {len(data)} bytes; at most {MAX_PATCH_BYTES} are taken"
        raise PatchError(msg)
    if b"\0" in data:
        msg = "the diff holds a NUL byte; binary changes are not taken"
        raise PatchError(msg)
    if data and not data.endswith(b"\n"):
        msg = "the diff's last line has no line end: it is cut off"
        raise PatchError(msg)
    return [line + b"\n" for line in data.split(b"\n")[:-1]]


def _read_file(lines: Sequence[bytes], at: int) -> tuple[FilePatch, int]:
    header = read_header(lines, at)
    hunks: list[Hunk] = []
    after = header.end
    while after < len(lines) and lines[after].startswith(b"@@"):
        hunk, after = _read_hunk(lines, after, f"{header.path}: hunk {len(hunks) + 1}")
        hunks.append(hunk)
    if hunks and not header.has_names:
        msg = f"{header.path}: hunks without the `---` and `+++` lines before them"
        raise PatchError(msg)
    if not hunks and (header.has_names or not header.has_modes):
        msg = f"{header.path}: the header promises hunks and none follows"
        raise PatchError(msg)
    return (
        FilePatch(
            path=header.path,
            kind=header.kind,
            old_executable=header.old_executable,
            new_executable=header.new_executable,
            header=tuple(lines[at : header.end]),
            hunks=tuple(hunks),
        ),
        after,
    )


def _read_hunk(lines: Sequence[bytes], at: int, where: str) -> tuple[Hunk, int]:
    match = _HUNK.fullmatch(lines[at])
    if match is None:
        msg = f"{where}: line {at + 1} of the diff is no hunk header: {lines[at]!r}"
        raise PatchError(msg)
    old_left, new_left = (int(match.group(group) or 1) for group in (2, 4))
    header, body, at = lines[at], list[Line](), at + 1
    while old_left or new_left:
        line = _read_line(lines, at, where)
        old_left -= line.origin != "+"
        new_left -= line.origin != "-"
        if min(old_left, new_left) < 0:
            msg = f"{where}: has more lines than its header counts"
            raise PatchError(msg)
        at += 1
        if at < len(lines) and lines[at].startswith(b"\\"):
            line, at = _cut_line_end(line, lines[at], where), at + 1
        body.append(line)
    _check_body(body, where)
    starts = int(match.group(1)), int(match.group(3))
    hunk = Hunk(
        header=header, old_start=starts[0], new_start=starts[1], lines=tuple(body)
    )
    return hunk, at


def _read_line(lines: Sequence[bytes], at: int, where: str) -> Line:
    if at == len(lines):
        msg = f"{where}: the diff ends before the hunk does"
        raise PatchError(msg)
    text = lines[at]
    if text in {b"\n", b"\r\n"}:
        return Line(" ", text, bare=True)
    origin = _ORIGINS.get(text[:1])
    if origin is None:
        msg = f"{where}: line {at + 1} of the diff starts with {text[:1]!r}"
        raise PatchError(msg)
    return Line(origin, text[1:])


def _cut_line_end(line: Line, marker: bytes, where: str) -> Line:
    if marker != NO_NEWLINE:
        msg = f"{where}: unknown marker {marker!r}"
        raise PatchError(msg)
    return Line(line.origin, line.content[:-1], line.bare)


def _check_body(body: Sequence[Line], where: str) -> None:
    """A line without end must be the last of its side; a hunk must change something."""
    for skipped in ("+", "-"):
        side = [line.content for line in body if line.origin != skipped]
        if any(not content.endswith(b"\n") for content in side[:-1]):
            msg = f"{where}: a line after `No newline at end of file`"
            raise PatchError(msg)
    if all(line.origin == " " for line in body):
        msg = f"{where}: changes nothing"
        raise PatchError(msg)


def _refuse_twice(files: Sequence[FilePatch]) -> None:
    seen: set[str] = set()
    for file in files:
        if file.path in seen:
            msg = f"{file.path}: appears twice in the diff"
            raise PatchError(msg)
        seen.add(file.path)


def _signature(lines: Sequence[bytes], at: int) -> tuple[bytes, ...]:
    """Blank lines and `git format-patch`'s `-- ` and version; anything else is lost."""
    rest = tuple(lines[at:])
    text = b"".join(rest).strip(b"\r\n")
    if text and not re.fullmatch(rb"-- ?\n[^\n]*", text):
        number = at + 1
        msg = f"line {number} of the diff belongs to no hunk and no header: {rest[0]!r}"
        raise PatchError(msg)
    return rest
