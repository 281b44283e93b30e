"""Apply a diff to a tree: strictly, and wholly or not at all.

Strict means the exact lines at the exact place: no fuzz, no offset, no repair. The
forgiving rungs of the ladder will repair the diff's text first and then come here.
"""

from collections.abc import Sequence

from envplatform.errors import PatchError
from envplatform.patches.diff import split_lines
from envplatform.patches.model import FilePatch, Hunk
from envplatform.patches.parse import parse_patch
from envplatform.tree import File, Tree

_SHOWN_CHARACTERS = 120


def apply_patch(tree: Tree, patch: str) -> dict[str, File]:
    """Return the tree after the diff; `tree` itself is never changed.

    Raises:
        PatchError: naming file, hunk, and the line expected and found; or the header
            line, if the text is no diff that we take.
    """
    result = dict(tree)
    files = parse_patch(patch).files
    for file in files:
        before = tree.get(file.path)
        after = _apply_file(file, before)
        if after is None:
            del result[file.path]
        else:
            result[file.path] = after
    for file in files:
        if file.kind == "create":
            _refuse_nesting(result, file.path)
    return result


def _apply_file(file: FilePatch, before: File | None) -> File | None:
    if (before is None) != (file.kind == "create"):
        exists = "already exists" if before else "does not exist"
        msg = f"{file.path}: the diff would {file.kind} it, and it {exists}"
        raise PatchError(msg)
    was = before.executable if before else False
    if before and file.old_executable not in (None, was):
        msg = f"{file.path}: executable bit is {was}, the diff expects {not was}"
        raise PatchError(msg)
    data = _apply_hunks(file, before.data if before else b"")
    if file.kind != "delete":
        return File(data, was if file.new_executable is None else file.new_executable)
    if data:
        msg = f"{file.path}: the diff deletes the file and leaves {len(data)} bytes"
        raise PatchError(msg)
    return None


def _apply_hunks(file: FilePatch, data: bytes) -> bytes:
    lines = split_lines(data)
    pieces: list[bytes] = []
    at = moved = 0
    for number, hunk in enumerate(file.hunks, start=1):
        where = f"{file.path}: hunk {number}"
        start = _start(hunk, at=at, moved=moved, where=where)
        _compare(hunk.old, lines, start, where)
        pieces += lines[at:start]
        pieces += hunk.new
        at = start + len(hunk.old)
        moved += len(hunk.new) - len(hunk.old)
    pieces += lines[at:]
    for piece in pieces[:-1]:
        if not piece.endswith(b"\n"):
            msg = f"{file.path}: a line without line end in the middle: {_show(piece)}"
            raise PatchError(msg)
    return b"".join(pieces)


def _start(hunk: Hunk, *, at: int, moved: int, where: str) -> int:
    """Index in the old file; a range without lines names the line before it."""
    start = hunk.old_start - 1 if hunk.old else hunk.old_start
    new_start = hunk.new_start - 1 if hunk.new else hunk.new_start
    if start < at:
        msg = f"{where}: starts at line {hunk.old_start}, before the last hunk's end"
        raise PatchError(msg)
    if new_start != start + moved:
        msg = f"{where}: new start {hunk.new_start} does not follow from the old one"
        raise PatchError(msg)
    return start


def _compare(
    expected: Sequence[bytes], lines: Sequence[bytes], start: int, where: str
) -> None:
    found = lines[start : start + len(expected)]
    if list(expected) == found and start <= len(lines):
        return
    for offset, line in enumerate(expected):
        at = start + offset
        has = _show(lines[at]) if at < len(lines) else "the end of the file"
        if at >= len(lines) or lines[at] != line:
            msg = f"{where}, line {at + 1}: expected {_show(line)}, found {has}"
            raise PatchError(msg)
    msg = f"{where}: starts at line {start}, past the end of the file"
    raise PatchError(msg)


def _show(line: bytes) -> str:
    text = ascii(line.decode("utf-8", "backslashreplace"))
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


def _refuse_nesting(tree: Tree, created: str) -> None:
    """No path may be a file and a folder at once."""
    parts = created.split("/")
    above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
    below = (path for path in tree if path.startswith(created + "/"))
    for other in (*(path for path in above if path in tree), *below):
        msg = f"{created}: can't be created beside {other}: file and folder at once"
        raise PatchError(msg)
