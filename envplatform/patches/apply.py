"""Apply a diff to a tree: strictly, and wholly or not at all.

Strict means the exact lines at the exact place: no fuzz, no offset, no repair. The
forgiving rungs stand in `ladder`.
"""

from collections.abc import Callable, Iterable, Sequence

from envplatform.errors import PatchError
from envplatform.patches.model import FilePatch, Hunk
from envplatform.patches.parse import parse_patch, split_lines
from envplatform.patches.splice import Edit, shown, splice
from envplatform.tree import File, Tree

ContentEditor = Callable[[FilePatch, bytes], bytes]
"""Returns a file's bytes after its hunks, from those before."""


def apply_patch(tree: Tree, patch: str) -> dict[str, File]:
    """Return the tree after the diff; `tree` itself is never changed.

    Raises:
        PatchError: naming file, hunk, and the line expected and found; or the header
            line, if the text is no diff that we take.
    """
    return apply_files(tree, parse_patch(patch).files, apply_hunks)


def apply_files(
    tree: Tree, files: Sequence[FilePatch], edit: ContentEditor
) -> dict[str, File]:
    """Return the tree after the diffs of its files; each starts from `tree` itself.

    Raises:
        PatchError: a file is missing, in the way, or not as its diff expects it.
    """
    written = {file.path: _apply_file(file, tree, edit) for file in files}
    gone = {file.source for file in files if file.kind == "rename"}
    result = {path: file for path, file in tree.items() if path not in gone}
    for file in files:
        if file.kind not in {"modify", "delete"} and file.path in result:
            msg = f"{file.path}: the diff would {file.kind} it, and it already exists"
            raise PatchError(msg)
    for path, after in written.items():
        if after is None:
            del result[path]
        else:
            result[path] = after
    made = [file.path for file in files if file.kind not in {"modify", "delete"}]
    if made:
        _refuse_nesting(result, made)
    return result


def _apply_file(file: FilePatch, tree: Tree, edit: ContentEditor) -> File | None:
    if file.kind == "create":
        return File(edit(file, b""), file.new_executable or False)
    source = file.source or file.path
    before = tree.get(source)
    if before is None:
        msg = f"{source}: the diff would {file.kind} it, and it does not exist"
        raise PatchError(msg)
    was = before.executable
    if file.old_executable not in (None, was):
        msg = f"{source}: executable bit is {was}, the diff expects {not was}"
        raise PatchError(msg)
    data = edit(file, before.data)
    if file.kind != "delete":
        return File(data, was if file.new_executable is None else file.new_executable)
    if data:
        msg = f"{file.path}: the diff deletes the file and leaves {len(data)} bytes"
        raise PatchError(msg)
    return None


def apply_hunks(file: FilePatch, data: bytes) -> bytes:
    """Return the file's bytes after its hunks, each at its own line.

    Raises:
        PatchError: naming hunk, line, and what was expected and found.
    """
    if not file.hunks:
        return data
    lines = split_lines(data)
    edits: list[Edit] = []
    at = moved = 0
    for number, hunk in enumerate(file.hunks, start=1):
        where = f"{file.path}: hunk {number}"
        edit = Edit(start_of(hunk), hunk.old, hunk.new)
        if edit.start < at:
            msg = (
                f"{where}: starts at line {hunk.old_start}, before the last hunk's end"
            )
            raise PatchError(msg)
        if hunk.new_start - bool(edit.new) != edit.start + moved:
            msg = (
                f"{where}: new start {hunk.new_start} does not follow from the old one"
            )
            raise PatchError(msg)
        if not fits(edit, lines):
            raise misfit(edit, lines, where)
        edits.append(edit)
        at = edit.end
        moved += len(edit.new) - len(edit.old)
    return splice(file.path, lines, edits)


def start_of(hunk: Hunk) -> int:
    """Index in the old file; a range without lines names the line before it."""
    inserts = all(line.origin == "+" for line in hunk.lines)
    return hunk.old_start if inserts else hunk.old_start - 1


def fits(edit: Edit, lines: Sequence[bytes]) -> bool:
    """Tell whether the old lines stand where the edit says."""
    inside = 0 <= edit.start <= len(lines)
    return inside and tuple(lines[edit.start : edit.end]) == tuple(edit.old)


def misfit(edit: Edit, lines: Sequence[bytes], where: str) -> PatchError:
    """Return the error that names the first line that is not as expected."""
    for at, line in enumerate(edit.old, start=edit.start):
        if not 0 <= at < len(lines):
            return PatchError(
                f"{where}, line {at + 1}: expected {shown(line)}, "
                "found the end of the file"
            )
        if lines[at] != line:
            return PatchError(
                f"{where}, line {at + 1}: expected {shown(line)}, "
                f"found {shown(lines[at])}"
            )
    return PatchError(f"{where}: starts at line {edit.start}, past the end of the file")


def _refuse_nesting(tree: Tree, made: Sequence[str]) -> None:
    """No path may be a file and a folder at once."""
    above, above_made = _folders(tree), _folders(made)
    beside = [(path, above[path]) for path in made if path in above]
    beside += [(path, folder) for folder, path in above_made.items() if folder in tree]
    for path, other in beside:
        msg = f"{path}: can't be created beside {other}: file and folder at once"
        raise PatchError(msg)


def _folders(paths: Iterable[str]) -> dict[str, str]:
    """Each folder above some path, with that path; shared ones are named once."""
    found: dict[str, str] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found[folder] = path
            folder = folder.rpartition("/")[0]
    return found
