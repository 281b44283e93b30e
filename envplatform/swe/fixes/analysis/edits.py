"""Which statements differ between two syntax trees of one file.

Whole statements: found by their text first, so that only what stands in changed
lines is ever written out. Classes are entered, functions are not: a function is the
smallest thing that tells one change from another of the same idiom.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envplatform.patches.matching import matching_blocks
from envplatform.swe.fixes.analysis.code_text import Import, header_text
from envplatform.swe.fixes.analysis.source import Source
from envplatform.swe.parsing import first_line


@dataclass(frozen=True, slots=True)
class Edit:
    """Statements in a row that stand in the place of others; one may be empty."""

    fixed: Sequence[ast.stmt]
    buggy: Sequence[ast.stmt]


@dataclass(frozen=True, slots=True)
class _Placed:
    """One statement, or several imports that stand together, and its lines."""

    statements: tuple[ast.stmt, ...]
    text: bytes


def edits_of(fixed: Source, buggy: Source) -> list[Edit]:
    """List what differs, in file order. Equal code may be among it, by its comments.

    An absent side counts as empty; a side that does not parse has to be kept out.

    Raises: as `CodeWriter.write`.
    """
    sides = fixed.text.split("\n"), buggy.text.split("\n")
    bodies = [side.module.body if side.module else [] for side in (fixed, buggy)]
    return list(_edits((bodies[0], bodies[1]), sides))


def _edits(
    bodies: tuple[Sequence[ast.stmt], Sequence[ast.stmt]],
    sides: tuple[Sequence[str], Sequence[str]],
) -> Iterator[Edit]:
    fixed = _placed(bodies[0], sides[0])
    buggy = _placed(bodies[1], sides[1])
    for some, others in _unequal(fixed, buggy):
        if len(some) != len(others):
            yield Edit(_joined(some), _joined(others))
            continue
        for one, other in zip(some, others, strict=True):
            inner = _same_class(one, other)
            if inner is not None:
                yield from _edits(inner, sides)
            else:
                yield Edit(one.statements, other.statements)


def _unequal(
    fixed: Sequence[_Placed], buggy: Sequence[_Placed]
) -> Iterator[tuple[Sequence[_Placed], Sequence[_Placed]]]:
    """Stretches without a statement in common; every pair of equals is left out."""
    i = j = 0
    blocks = matching_blocks(*([item.text for item in side] for side in (fixed, buggy)))
    for block in blocks:
        if (i, j) != (block.i, block.j):
            yield fixed[i : block.i], buggy[j : block.j]
        i, j = block.i + block.size, block.j + block.size
    if (i, j) != (len(fixed), len(buggy)):
        yield fixed[i:], buggy[j:]


def _placed(body: Sequence[ast.stmt], lines: Sequence[str]) -> list[_Placed]:
    placed: list[_Placed] = []
    for statement in body:
        of_it = lines[first_line(statement) - 1 : statement.end_lineno]
        text = "\n".join(of_it).encode()
        last = placed[-1] if placed else None
        if last and isinstance(statement, Import) and _is_import(last):
            placed[-1] = _Placed(
                (*last.statements, statement), last.text + b"\n" + text
            )
        else:
            placed.append(_Placed((statement,), text))
    return placed


def _is_import(placed: _Placed) -> bool:
    return isinstance(placed.statements[0], Import)


def _joined(placed: Sequence[_Placed]) -> tuple[ast.stmt, ...]:
    return tuple(statement for item in placed for statement in item.statements)


def _same_class(
    one: _Placed, other: _Placed
) -> tuple[list[ast.stmt], list[ast.stmt]] | None:
    """Return the bodies of two classes that differ in nothing else."""
    fixed, buggy = one.statements[0], other.statements[0]
    if not isinstance(fixed, ast.ClassDef) or not isinstance(buggy, ast.ClassDef):
        return None
    if header_text(fixed) != header_text(buggy):
        return None
    return fixed.body, buggy.body
