"""Which lines two files share, in order: the heart of a diff.

Common ends are cut off first, lines that occur once on either side anchor the rest
(the longest run of them that keeps its order), and `difflib` fills the gaps between.
`difflib` alone needs minutes on ten thousand lines with many blank ones; anchored, it
sees a few dozen lines at a time. Gaps that stay large are anchored once more, by the
n-th occurrence of a line, and else counted as replaced: still right, less short. So
are those that are left when the whole has cost too much.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_DIFFLIB_CELLS = 250_000
"""Lines times lines up to which `difflib` is asked; about 0.1 s at worst."""
_LOOKS_A_LINE = 64
"""Times that a line is looked at on average, before what is left counts as replaced.
Real files stay below 20; files made for it could be split off line by line for hours.
"""


@dataclass(frozen=True, slots=True)
class Block:
    """Equal lines: `old[i:i+size] == new[j:j+size]`."""

    i: int
    j: int
    size: int


@dataclass(frozen=True, slots=True)
class _Range:
    i: int
    i_end: int
    j: int
    j_end: int


def matching_blocks(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Block, ...]:
    """Blocks of equal lines in increasing order; neighbours are merged, none empty."""
    merged: list[Block] = []
    for block in sorted(_blocks(old, new), key=lambda block: block.i):
        last = merged[-1] if merged else None
        if last and (last.i + last.size, last.j + last.size) == (block.i, block.j):
            merged[-1] = Block(last.i, last.j, last.size + block.size)
        else:
            merged.append(block)
    return tuple(merged)


def _blocks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[Block]:
    pending = [_Range(0, len(old), 0, len(new))]
    looks_left = _LOOKS_A_LINE * (len(old) + len(new))
    while pending:
        ends, inner = _cut_ends(old, new, pending.pop())
        yield from ends
        if inner.i == inner.i_end or inner.j == inner.j_end:
            continue
        looks_left -= inner.i_end - inner.i + inner.j_end - inner.j
        if looks_left < 0:
            continue
        anchors = _anchors(old, new, inner)
        if anchors:
            runs = list(_runs(old, new, anchors))
            yield from runs
            pending.extend(_between(runs, inner))
        elif _cells(inner) <= _DIFFLIB_CELLS:
            yield from _difflib_blocks(old, new, inner)


def _cells(part: _Range) -> int:
    return (part.i_end - part.i) * (part.j_end - part.j)


def _cut_ends(
    old: Sequence[bytes], new: Sequence[bytes], part: _Range
) -> tuple[list[Block], _Range]:
    i, i_end, j, j_end = part.i, part.i_end, part.j, part.j_end
    while i < i_end and j < j_end and old[i] == new[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and old[i_end - 1] == new[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    found = [
        Block(part.i, part.j, i - part.i),
        Block(i_end, j_end, part.i_end - i_end),
    ]
    return [block for block in found if block.size], _Range(i, i_end, j, j_end)


def _anchors(
    old: Sequence[bytes], new: Sequence[bytes], part: _Range
) -> list[tuple[int, int]]:
    old_lines, new_lines = old[part.i : part.i_end], new[part.j : part.j_end]
    pairs = _unique_pairs(old_lines, new_lines)
    if not pairs and _cells(part) > _DIFFLIB_CELLS:
        pairs = _unique_pairs(_numbered(old_lines), _numbered(new_lines))
    return [(part.i + i, part.j + j) for i, j in _longest_increasing(pairs)]


def _numbered(lines: Sequence[bytes]) -> list[tuple[bytes, int]]:
    """Tell equal lines apart by their occurrence: (line, 1), (line, 2), ..."""
    seen: Counter[bytes] = Counter()
    numbered = []
    for line in lines:
        seen[line] += 1
        numbered.append((line, seen[line]))
    return numbered


def _unique_pairs(
    old: Sequence[Hashable], new: Sequence[Hashable]
) -> list[tuple[int, int]]:
    old_counts, new_counts = Counter(old), Counter(new)
    where = {line: j for j, line in enumerate(new) if new_counts[line] == 1}
    return [
        (i, where[line])
        for i, line in enumerate(old)
        if line in where and old_counts[line] == 1
    ]


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Longest run of pairs, already ordered by i, in which j grows as well."""
    order = [j for _, j in pairs]
    if order == sorted(order):  # as ever when nothing moved
        return list(pairs)
    tails: list[int] = []  # smallest last j of a run of each length
    ends: list[int] = []  # index in pairs of that last pair
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect_left(tails, j)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [j]
        ends[length : length + 1] = [index]
    run: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _runs(
    old: Sequence[bytes], new: Sequence[bytes], anchors: Sequence[tuple[int, int]]
) -> Iterator[Block]:
    """Join anchors to blocks, with the lines between them where those are equal too."""
    first_i, first_j = anchors[0]
    i_end, j_end = first_i + 1, first_j + 1
    for i, j in anchors[1:]:
        if i - j != i_end - j_end or (i != i_end and old[i_end:i] != new[j_end:j]):
            yield Block(first_i, first_j, i_end - first_i)
            first_i, first_j = i, j
        i_end, j_end = i + 1, j + 1
    yield Block(first_i, first_j, i_end - first_i)


def _between(blocks: Sequence[Block], part: _Range) -> Iterator[_Range]:
    """Yield what lies between the blocks and may hold equal lines still."""
    i, j = part.i, part.j
    for block in (*blocks, Block(part.i_end, part.j_end, 0)):
        if i < block.i and j < block.j:
            yield _Range(i, block.i, j, block.j)
        i, j = block.i + block.size, block.j + block.size


def _difflib_blocks(
    old: Sequence[bytes], new: Sequence[bytes], part: _Range
) -> Iterator[Block]:
    matcher = SequenceMatcher(
        None, old[part.i : part.i_end], new[part.j : part.j_end], autojunk=False
    )
    for match in matcher.get_matching_blocks():
        if match.size:
            yield Block(part.i + match.a, part.j + match.b, match.size)
