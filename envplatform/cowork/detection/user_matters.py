"""user_matters: work that never hears of the user's doing does not pass.

The oracle works once more, beside a user that is struck dumb: the same person, without
a single signal. What it delivers then is graded against the world as it is when the
user has done everything: so would work be that was finished on what was read first.
"""

from dataclasses import replace

from envplatform.bundle import CheckResult, Environment
from envplatform.cowork.detection.pass_mark import PASS_MARK
from envplatform.grading.batch import Bench
from envplatform.grading.evidence import Evidence
from envplatform.grading.pieces import is_writable
from envplatform.grading.sessions import (
    Final,
    apply_solution,
    open_environment,
)
from envplatform.user.sidecar import plan_files, read_user

NAME = "user_matters"


async def user_matters(evidence: Evidence, bench: Bench) -> CheckResult:
    """Passed if such work has a verdict below `PASS_MARK`, or none came about.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    if not bench.environment.user:
        return CheckResult(name=NAME, status="not_run", evidence="nobody is inside")
    if evidence.solve.exit_code != 0 or evidence.solved_served is None:
        what = "without a final state of the oracle nothing can be compared"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    mute = _muted(bench.environment)
    async with open_environment(
        bench.provider, mute, image=bench.image, attend=bench.attend
    ) as opened:
        solve = await apply_solution(opened.sandbox, mute)
        stale = await opened.final()
    final = _carried_over(bench.environment, stale, evidence)
    (grading,) = await bench.grade([final])
    how = f"ended with {solve.exit_code}, " if solve.exit_code else ""
    if grading.reward is None:
        what = f"work that ignores the user {how}has no verdict: {grading.failure}"
        return CheckResult(name=NAME, status="failed", evidence=what)
    what = (
        f"work that ignores the user {how}gets {grading.reward:g}, "
        f"below {PASS_MARK} wanted"
    )
    return CheckResult(
        name=NAME,
        status="passed" if grading.reward < PASS_MARK else "failed",
        evidence=what,
    )


def _muted(environment: Environment) -> Environment:
    plan = read_user(environment.user)
    idle = plan.idle or ("I have nothing to add.",)
    silent = plan.model_copy(update={"signals": (), "farewell": idle[0]})
    return replace(environment, user=plan_files(silent))


def _carried_over(environment: Environment, stale: Final, evidence: Evidence) -> Final:
    """What the agent left, in the world that the user left.

    Where an agent may write, what is held is the agent's; all else is the user's.
    """
    served = evidence.solved_served
    if served is None or stale.served is None:
        return stale
    theirs = {
        path: file
        for path, file in served.held.items()
        if not is_writable(environment, path)
    }
    mine = {
        path: file
        for path, file in stale.served.held.items()
        if is_writable(environment, path)
    }
    return Final(
        workspace=stale.workspace, served=replace(served, held={**theirs, **mine})
    )
