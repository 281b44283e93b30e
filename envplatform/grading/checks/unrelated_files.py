"""unrelated_files: files that have nothing to do with the task change no score."""

import random
from dataclasses import replace

from envplatform.bundle import CheckResult
from envplatform.grading.batch import Bench
from envplatform.grading.checks.oracle_max import describe
from envplatform.grading.evidence import Evidence
from envplatform.grading.pieces import solved_of
from envplatform.grading.sessions import Final
from envplatform.tree import File

NAME = "unrelated_files"
_PLACES = ("scratch-{0}/notes-{0}.txt", "scratch-{0}/old/data {0}.csv", ".cache-{0}")


async def unrelated_files(
    evidence: Evidence, bench: Bench, *, seed: int
) -> CheckResult:
    """Passed if neither the oracle's state nor the untouched one is graded otherwise.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    if evidence.solve.exit_code != 0 or not evidence.oracle or not evidence.nop:
        what = "there are no gradings to compare with"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    states = [("the oracle", solved_of(evidence), evidence.oracle[0])]
    if evidence.untouched is not None:
        states.append(("nothing done", evidence.untouched, evidence.nop[0]))
    gradings = await bench.grade([_littered(final, seed) for _, final, _ in states])
    for (name, _, before), after in zip(states, gradings, strict=True):
        if describe(before) != describe(after):
            what = f"{name}: {describe(before)}; with other files {describe(after)}"
            return CheckResult(name=NAME, status="failed", evidence=what)
    what = f"{len(_PLACES)} files more change no score of {len(states)} states"
    return CheckResult(name=NAME, status="passed", evidence=what)


def _littered(final: Final, seed: int) -> Final:
    chance = random.Random(f"unrelated {seed}")  # noqa: S311  no secret
    word = f"{chance.getrandbits(32):08x}"
    files = {place.format(word): File(f"{word},1\n".encode()) for place in _PLACES}
    return replace(final, workspace={**final.workspace, **files})
