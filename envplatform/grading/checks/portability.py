"""portability: the other kind of sandbox gives the same verdicts."""

import random
from collections.abc import Sequence
from dataclasses import replace

from envplatform.bundle import CheckResult
from envplatform.grading.batch import Bench
from envplatform.grading.checks.oracle_max import describe
from envplatform.grading.evidence import Evidence
from envplatform.grading.grade import Grading
from envplatform.grading.pieces import solved_of
from envplatform.grading.sessions import Final
from envplatform.sandbox.base import SandboxProvider

NAME = "portability"
SAMPLE = 3
"""States that are graded again beside the oracle's and the untouched one."""
State = tuple[str, Final, Grading]


async def portability(
    evidence: Evidence,
    bench: Bench,
    *,
    other: SandboxProvider | None,
    states: Sequence[State] = (),
    seed: int,
) -> CheckResult:
    """Passed if a sample of states, seeded, gets the same scores in `other`.

    `states`: what else was graded, by name; the sample is drawn from these.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    if other is None or other.info.kind == bench.provider.info.kind:
        what = f"no second kind of sandbox beside {bench.provider.info.kind} was given"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    if not evidence.oracle or not evidence.nop or evidence.untouched is None:
        what = "there are no gradings to compare with"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    chance = random.Random(f"portability {seed}")  # noqa: S311  no secret
    drawn = [
        ("the oracle", solved_of(evidence), evidence.oracle[0]),
        ("nothing done", evidence.untouched, evidence.nop[0]),
        *chance.sample(list(states), min(SAMPLE, len(states))),
    ]
    there = replace(bench, provider=other)
    gradings = await there.grade([final for _, final, _ in drawn])
    here, away = bench.provider.info.kind, other.info.kind
    for (name, _, before), after in zip(drawn, gradings, strict=True):
        if describe(before) != describe(after):
            what = f"{name}: {here} {describe(before)}; {away} {describe(after)}"
            return CheckResult(name=NAME, status="failed", evidence=what)
    what = f"{len(drawn)} states get the same scores in {here} and {away}"
    return CheckResult(name=NAME, status="passed", evidence=what)
