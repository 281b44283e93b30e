"""monotone_credit: more of the oracle's work is never worth less."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from envplatform.bundle import CheckResult
from envplatform.grading.batch import Bench
from envplatform.grading.broker import Served
from envplatform.grading.checks.full_marks import nothing_to_damage
from envplatform.grading.checks.oracle_max import describe
from envplatform.grading.evidence import Evidence
from envplatform.grading.grade import Grading
from envplatform.grading.mutants import part_of
from envplatform.grading.pieces import Piece, pieces_of, with_file
from envplatform.grading.sessions import Final
from envplatform.tree import File

NAME = "monotone_credit"
_PARTS = (1 / 3, 2 / 3)
_MOST_PIECES = 6
_ROUNDING = 1e-6


async def monotone_credit(evidence: Evidence, bench: Bench) -> CheckResult:
    """Passed if the reward never falls on the way from nothing to the answer.

    The way leads over files, and over parts of files that the oracle made, in
    order of their names and in the opposite one.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    undone = nothing_to_damage(NAME, evidence)
    if undone is not None:
        return undone
    if evidence.untouched is None:
        what = "the state at the beginning is not at hand"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    pieces = pieces_of(evidence)
    ways = [
        list(_steps(evidence.untouched, evidence.solved_served, way))
        for way in ([pieces, pieces[::-1]] if len(pieces) > 1 else [pieces])
    ]
    gradings = iter(await bench.grade([final for way in ways for _, final in way]))
    told = []
    for way in ways:
        scored = [(name, next(gradings)) for name, _ in way]
        problem = _fall(scored)
        if problem:
            return CheckResult(name=NAME, status="failed", evidence=problem)
        told.append(" <= ".join(f"{found.reward:g}" for _, found in scored))
    what = f"never falls: {'; '.join(told)}"
    return CheckResult(name=NAME, status="passed", evidence=what)


def _fall(scored: Sequence[tuple[str, Grading]]) -> str:
    for name, found in scored:
        if found.reward is None:
            return f"with {name}: {describe(found)}"
    for (less, low), (more, high) in pairwise(scored):
        if (high.reward or 0.0) < (low.reward or 0.0) - _ROUNDING:
            return f"{less}: {describe(low)}; with {more}: {describe(high)}"
    return ""


def _steps(
    untouched: Final, served: Served | None, way: Sequence[Piece]
) -> Iterator[tuple[str, Final]]:
    yield "nothing", untouched
    final = untouched
    if served is not None and untouched.served is not None:
        # The session was the oracle's, with all that the user did in it; only what
        # came of the oracle's work is less.
        final = replace(untouched, served=served)
        for piece in way:
            final = with_file(final, piece, piece.before)
    stride = -(-len(way) // _MOST_PIECES)
    for number, piece in enumerate(way, 1):
        is_new = piece.before is None and piece.after is not None
        if is_new and stride == 1 and piece.after is not None:
            for share in _PARTS:
                part = part_of(piece.after.data, share)
                if part is not None:
                    yield f"part of {piece}", with_file(final, piece, File(part))
        final = with_file(final, piece, piece.after)
        if number % stride == 0 or number == len(way):
            yield f"{piece}", final
