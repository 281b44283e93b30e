"""generic_mutants: damage done blindly to the oracle's answer is mostly noticed.

Who makes the mutants knows the files and nothing of the grader. Some survive
rightly: a task may leave order or case open, and the oracle may leave notes that nobody
reads. So a share is asked for, not all of them.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from envplatform.bundle import CheckResult
from envplatform.grading.batch import Bench
from envplatform.grading.checks.full_marks import nothing_to_damage
from envplatform.grading.evidence import Evidence
from envplatform.grading.grade import Grading
from envplatform.grading.mutants import DAMAGES, damaged
from envplatform.grading.pieces import Piece, pieces_of, solved_of, with_file
from envplatform.grading.sessions import Final
from envplatform.tree import File

NAME = "generic_mutants"
LEAST_RATE = 0.6
"""Below, a wrong answer is more likely taken for a right one than is bearable.

Three kinds of thirteen (order, case, what follows the end) are open in many honest
tasks, and two (a row twice, a field too few) in some: a grader that notices all others
reaches 8 of 13, which is 0.62.
"""
MOST_MUTANTS = 48
_STALE, _DELETED = "stale_value", "deleted_file"
KINDS = (*DAMAGES, _STALE, _DELETED)
_Damaged = tuple[str, Piece, File | None]
"""Kind, the file, and what lies there instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One damaged answer and its grading."""

    kind: str
    piece: Piece
    final: Final
    grading: Grading

    @property
    def killed(self) -> bool:
        """Whether the grader gave a verdict, and a lower one."""
        return self.grading.reward is not None and self.grading.reward < 1


async def grade_mutants(
    evidence: Evidence, bench: Bench, *, seed: int
) -> tuple[Mutant, ...]:
    """Make and grade them; none where there is no good answer to damage.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    if nothing_to_damage(NAME, evidence) is not None:
        return ()
    solved = solved_of(evidence)
    chosen = _chosen(_damages(pieces_of(evidence), seed), seed)
    finals = [with_file(solved, piece, file) for _, piece, file in chosen]
    gradings = await bench.grade(finals)
    return tuple(
        Mutant(kind=kind, piece=piece, final=final, grading=grading)
        for (kind, piece, _), final, grading in zip(
            chosen, finals, gradings, strict=True
        )
    )


def generic_mutants(evidence: Evidence, mutants: tuple[Mutant, ...]) -> CheckResult:
    """Passed if `LEAST_RATE` of them are graded lower than the answer they were made of."""
    undone = nothing_to_damage(NAME, evidence)
    if undone is not None:
        return undone
    if not mutants:
        what = "what the oracle changes can't be damaged"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    killed = sum(one.killed for one in mutants)
    rate = killed / len(mutants)
    kinds = len({one.kind for one in mutants})
    what = (
        f"kill_rate_generic {rate:.4f}: {killed} of {len(mutants)} mutants of {kinds} "
        f"kinds, at least {LEAST_RATE} wanted; survived: {_survivors(mutants)}"
    )
    mute = [one for one in mutants if one.grading.failure is not None]
    if mute:
        what += f"; {len(mute)} without a verdict, {mute[0].grading.failure} first"
    return CheckResult(
        name=NAME, status="passed" if rate >= LEAST_RATE else "failed", evidence=what
    )


def _survivors(mutants: tuple[Mutant, ...]) -> str:
    alive = [f"{one.kind} in {one.piece}" for one in mutants if not one.killed]
    return ", ".join(alive) or "none"


def _chosen(damages: Iterator[_Damaged], seed: int) -> list[_Damaged]:
    """At most `MOST_MUTANTS`, kinds as evenly as they come."""
    chance = random.Random(f"mutants {seed}")  # noqa: S311  no secret
    waiting: dict[str, list[_Damaged]] = {kind: [] for kind in KINDS}
    for one in damages:
        waiting[one[0]].append(one)
    for queue in waiting.values():
        chance.shuffle(queue)
    chosen: list[_Damaged] = []
    while len(chosen) < MOST_MUTANTS and any(waiting.values()):
        for queue in waiting.values():
            if queue and len(chosen) < MOST_MUTANTS:
                chosen.append(queue.pop())
    return chosen


def _damages(pieces: tuple[Piece, ...], seed: int) -> Iterator[_Damaged]:
    chance = random.Random(f"pieces {seed}")  # noqa: S311  as above
    for piece in chance.sample(pieces, min(MOST_MUTANTS, len(pieces))):
        for kind, file in _damages_of(piece, seed):
            yield kind, piece, file


def _damages_of(piece: Piece, seed: int) -> Iterator[tuple[str, File | None]]:
    if piece.before is not None:
        yield _STALE, piece.before
    if piece.after is None:
        return  # what the oracle deleted can only come back
    if piece.before is not None or piece.where == "workspace":
        yield _DELETED, None
    for kind in DAMAGES:
        chance = random.Random(f"{kind} {piece.path} {seed}")  # noqa: S311  as above
        data = damaged(kind, piece.after.data, chance)
        if data is not None:
            yield kind, File(data, piece.after.executable)
