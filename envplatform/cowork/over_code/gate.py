"""The gate over an environment of code with a colleague inside.

As over any environment of code, the core of checks: each further mutant would cost a
run of the suite. Besides, what is new here is tried: notes that misread the papers
beside a right repair, a right note without a repair, and work that never heard the user.
"""

from dataclasses import replace
from functools import partial

from envplatform.bundle import CheckResult, Environment
from envplatform.cowork.detection import controlled_failures, user_matters
from envplatform.grading.batch import Bench
from envplatform.grading.evidence import Evidence
from envplatform.grading.gate import CORE, run_gate
from envplatform.grading.sessions import Attendance
from envplatform.sandbox.base import Image, SandboxProvider

NOTE_ALONE = "note_alone"


async def gate_with_colleague(
    provider: SandboxProvider,
    environment: Environment,
    *,
    image: Image,
    attend: Attendance,
) -> tuple[CheckResult, ...]:
    """Run the gate.

    Raises:
        BundleError: the environment is inconsistent or `image` is another one.
        SandboxError: a sandbox failed; nothing is concluded, retry.
    """
    return await run_gate(
        provider,
        environment,
        image=image,
        checks=CORE,
        attend=attend,
        extra=(
            partial(controlled_failures, over_solved=True),
            note_alone,
            user_matters,
        ),
    )


async def note_alone(evidence: Evidence, bench: Bench) -> CheckResult:
    """Passed if the oracle's note has no reward where the code is as it was."""
    if evidence.untouched is None or evidence.solve.exit_code != 0:
        what = "without a final state of the oracle there is no note"
        return CheckResult(name=NOTE_ALONE, status="not_run", evidence=what)
    before = evidence.environment.workspace
    note = {path: one for path, one in evidence.solved.items() if path not in before}
    final = replace(
        evidence.untouched,
        workspace={**evidence.untouched.workspace, **note},
        served=evidence.solved_served,
    )
    (grading,) = await bench.grade([final])
    told = "no verdict" if grading.reward is None else f"{grading.reward:g}"
    return CheckResult(
        name=NOTE_ALONE,
        status="passed" if grading.reward == 0 else "failed",
        evidence=f"a note without the repair gets {told}, 0 wanted",
    )
