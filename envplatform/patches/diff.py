"""Two trees to one canonical diff, in git's own form, three lines of context.

Canonical: files by path, no `index` lines (they would need git's object ids), no
function names after `@@`, `,1` left out of counts as git does. Never turned-around
text: the reverse of `diff_trees(a, b)` is `diff_trees(b, a)`.
"""

from collections.abc import Iterator, Sequence

from envplatform.errors import PatchError
from envplatform.patches.matching import matching_blocks
from envplatform.patches.model import FilePatch, Hunk, Line, Patch
from envplatform.patches.names import check_path, quote_name
from envplatform.patches.render import render_patch
from envplatform.tree import File, Tree

CONTEXT_LINES = 3

_Change = tuple[int, int, int, int]
"""`old[i:i_end]` becomes `new[j:j_end]`."""


def diff_trees(old: Tree, new: Tree) -> str:
    """Diff from `old` to `new`; empty if they are equal.

    Raises:
        PatchError: a changed file holds a NUL byte, or its path may not be touched.
    """
    files = tuple(
        _diff_file(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )
    return render_patch(Patch(files=files))


def _diff_file(path: str, old: File | None, new: File | None) -> FilePatch:
    name = check_path(path)
    for file in (old, new):
        if file is not None and b"\0" in file.data:
            msg = f"{path}: holds a NUL byte; binary changes are not taken"
            raise PatchError(msg)
    hunks = _hunks(
        split_lines(old.data if old else b""), split_lines(new.data if new else b"")
    )
    header = [_git_line(name), *_mode_lines(old, new)]
    if hunks:
        header.append(_name_line(b"---", b"a/" + name if old else None))
        header.append(_name_line(b"+++", b"b/" + name if new else None))
    changed = old and new and old.executable != new.executable
    return FilePatch(
        path=path,
        kind="modify" if old and new else "delete" if old else "create",
        old_executable=old.executable if old and (changed or not new) else None,
        new_executable=new.executable if new and (changed or not old) else None,
        header=tuple(header),
        hunks=hunks,
    )


def split_lines(data: bytes) -> list[bytes]:
    """Cut at LF only; each line keeps its LF, the last may have none."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _git_line(name: bytes) -> bytes:
    return b"diff --git %s %s\n" % (quote_name(b"a/" + name), quote_name(b"b/" + name))


def _name_line(mark: bytes, name: bytes | None) -> bytes:
    if name is None:
        return mark + b" /dev/null\n"
    # Git ends a name that has blanks with a tab, lest a time stamp be read into it.
    tab = b"\t" if b" " in name and quote_name(name) == name else b""
    return mark + b" " + quote_name(name) + tab + b"\n"


def _mode_lines(old: File | None, new: File | None) -> list[bytes]:
    if old is None:
        return [b"new file mode " + _mode(new)]
    if new is None:
        return [b"deleted file mode " + _mode(old)]
    if old.executable == new.executable:
        return []
    return [b"old mode " + _mode(old), b"new mode " + _mode(new)]


def _mode(file: File | None) -> bytes:
    return b"100755\n" if file and file.executable else b"100644\n"


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Hunk, ...]:
    return tuple(_hunk(old, new, group) for group in _groups(_changes(old, new)))


def _changes(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[_Change]:
    i = j = 0
    for block in matching_blocks(old, new):
        if (i, j) != (block.i, block.j):
            yield i, block.i, j, block.j
        i, j = block.i + block.size, block.j + block.size
    if (i, j) != (len(old), len(new)):
        yield i, len(old), j, len(new)


def _groups(changes: Iterator[_Change]) -> Iterator[list[_Change]]:
    """Changes so near to each other that their contexts meet share a hunk."""
    group: list[_Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: Sequence[bytes], new: Sequence[bytes], group: list[_Change]) -> Hunk:
    first, last = group[0], group[-1]
    lead = min(CONTEXT_LINES, first[0])
    start, end = first[0] - lead, min(last[1] + CONTEXT_LINES, len(old))
    lines: list[Line] = []
    at = start
    for i, i_end, j, j_end in group:
        lines += [Line(" ", text) for text in old[at:i]]
        lines += [Line("-", text) for text in old[i:i_end]]
        lines += [Line("+", text) for text in new[j:j_end]]
        at = i_end
    lines += [Line(" ", text) for text in old[at:end]]
    new_count = end - start + sum(c[3] - c[2] - c[1] + c[0] for c in group)
    old_start, old_range = _range(start, end - start)
    new_start, new_range = _range(first[2] - lead, new_count)
    return Hunk(
        header=f"@@ -{old_range} +{new_range} @@\n".encode(),
        old_start=old_start,
        new_start=new_start,
        lines=tuple(lines),
    )


def _range(start: int, count: int) -> tuple[int, str]:
    """First line from 1, or the line before an empty range; and how git writes it."""
    first = start + 1 if count else start
    return first, f"{first}" if count == 1 else f"{first},{count}"
