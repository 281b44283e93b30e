"""Which statements of two versions say the same, or nearly: by their lines and words."""

import ast
import re
from collections.abc import Iterable

from envplatform.swe.fixes.bug_types.source import Source

_WORD = re.compile(r"\w+|[^\w\s]")
_MAX_LINES = 80
_MAX_CHARACTERS = 8000


def lines_of(node: ast.stmt, source: Source) -> tuple[str, ...]:
    """Lines of a statement, from its first decorator to its end."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return source.lines[first - 1 : node.end_lineno or first]


def key_of(node: ast.stmt, source: Source) -> tuple[str, ...]:
    """Lines of a statement without the indentation of its first."""
    lines = lines_of(node, source)
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else ""
    if not indent:
        return lines
    return tuple(line.removeprefix(indent) for line in lines)


def words_of(node: ast.stmt, source: Source) -> frozenset[str]:
    """Words and signs of a statement; of a long one those of its beginning."""
    text = "\n".join(lines_of(node, source)[:_MAX_LINES])[:_MAX_CHARACTERS]
    return frozenset(_WORD.findall(text))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Common words as a share of all; 1 for two statements without words."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def best_pairs(
    scored: Iterable[tuple[float, int, int, int]], *, at_least: float
) -> list[tuple[int, int]]:
    """Take pairs from the best on, each index of either side once.

    `scored` is sorted: likeness negated, distance, left and right index.
    """
    left: set[int] = set()
    right: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for negative, _, i, j in scored:
        if i in left or j in right or -negative < at_least:
            continue
        left.add(i)
        right.add(j)
        pairs.append((i, j))
    return sorted(pairs)
