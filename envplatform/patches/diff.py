"""Two trees to one canonical diff, in git's own form, three lines of context.

Canonical: files by path, no `index` lines (they would need git's object ids), no
function names after `@@`, `,1` left out of counts as git does. Never turned-around
text: the reverse of `diff_trees(a, b)` is `diff_trees(b, a)`.
"""

from collections.abc import Iterator, Sequence

from envplatform.errors import PatchError
from envplatform.patches.matching import matching_blocks
from envplatform.patches.model import FilePatch, Hunk, Line, Patch
from envplatform.patches.names import check_path
from envplatform.patches.parse import split_lines
from envplatform.patches.render import git_line, mode_lines, name_lines, render_patch
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
            raise PatchError(msg, fault="binary")
    hunks = _hunks(old.data if old else b"", new.data if new else b"")
    was = old.executable if old else None
    is_now = new.executable if new else None
    header = [git_line(name, name), *mode_lines(was, is_now)]
    if hunks:
        header += name_lines(name if old else None, name if new else None)
    changed = was != is_now
    return FilePatch(
        path=path,
        kind="modify" if old and new else "delete" if old else "create",
        old_executable=was if changed else None,
        new_executable=is_now if changed else None,
        header=tuple(header),
        hunks=hunks,
    )


def _hunks(old: bytes, new: bytes) -> tuple[Hunk, ...]:
    """Hunks between two files; only the lines that differ, and near ones, are cut."""
    lead = _common_lead(old, new)
    old_end, new_end = _common_tail(old, new, lead)
    # Context that `matching_blocks` would otherwise find line by line.
    start = _lines_back(old, lead)
    old_stop = _lines_on(old, old_end)
    new_stop = new_end + old_stop - old_end
    before = old.count(b"\n", 0, start)
    old_lines = split_lines(old[start:old_stop])
    new_lines = split_lines(new[start:new_stop])
    changes = _changes(old_lines, new_lines)
    return tuple(
        _hunk(old_lines, new_lines, group, before) for group in _groups(changes)
    )


def _common_lead(old: bytes, new: bytes) -> int:
    """Length of the whole lines that both begin with."""
    low, high = 0, min(len(old), len(new))
    if old[:high] != new[:high]:
        while high - low > 1:
            middle = (low + high) // 2
            if old[low:middle] == new[low:middle]:
                low = middle
            else:
                high = middle
        high = low
    return old.rfind(b"\n", 0, high) + 1


def _common_tail(old: bytes, new: bytes, lead: int) -> tuple[int, int]:
    """Ends of the parts that differ: what follows them is whole lines, and equal."""
    old_size, new_size = len(old), len(new)
    low, most = 0, min(old_size, new_size) - lead
    high = most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if (
            old[old_size - middle : old_size - low]
            == new[new_size - middle : new_size - low]
        ):
            low = middle
        else:
            high = middle
    size = low
    starts_line = all(
        at == lead or data[at - 1 : at] == b"\n"
        for data, at in ((old, old_size - size), (new, new_size - size))
    )
    if not starts_line:
        line_end = old.find(b"\n", old_size - size)
        size = 0 if line_end < 0 else old_size - line_end - 1
    return old_size - size, new_size - size


def _lines_back(data: bytes, at: int) -> int:
    for _ in range(CONTEXT_LINES):
        at = data.rfind(b"\n", 0, max(at - 1, 0)) + 1
    return at


def _lines_on(data: bytes, at: int) -> int:
    for _ in range(CONTEXT_LINES):
        at = data.find(b"\n", at) + 1 or len(data)
    return at


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


def _hunk(
    old: Sequence[bytes], new: Sequence[bytes], group: list[_Change], before: int
) -> Hunk:
    """One hunk; `before` lines of either file stand before the two sequences."""
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
    old_start, old_range = _range(before + start, end - start)
    new_start, new_range = _range(before + first[2] - lead, new_count)
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
