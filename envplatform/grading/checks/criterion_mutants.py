"""criterion_mutants: for every criterion there is a single fault that lowers it.

Faults are written down with a task, one or more a criterion. Where none are, the
generic mutants have to do: each criterion must then be lowered by one of them.
"""

from collections.abc import Sequence
from dataclasses import replace

from envplatform.bundle import CheckResult
from envplatform.errors import BundleError
from envplatform.grading.batch import Bench
from envplatform.grading.checks.full_marks import nothing_to_damage
from envplatform.grading.checks.generic_mutants import Mutant
from envplatform.grading.evidence import Evidence
from envplatform.grading.grade import Grading
from envplatform.grading.pieces import solved_of
from envplatform.grading.sessions import Final
from envplatform.workspace import Fault
from envplatform.workspace.fault import with_fault

NAME = "criterion_mutants"


async def criterion_mutants(
    evidence: Evidence,
    bench: Bench,
    *,
    faults: Sequence[Fault] = (),
    mutants: Sequence[Mutant] = (),
) -> CheckResult:
    """Passed if every fault lowers its criterion and the reward.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    undone = nothing_to_damage(NAME, evidence)
    if undone is not None:
        return undone
    if not faults:
        return _derived(evidence.environment.criteria, mutants)
    try:
        states = [faulty(solved_of(evidence), fault) for fault in faults]
    except BundleError as error:
        return CheckResult(name=NAME, status="failed", evidence=str(error))
    gradings = await bench.grade(states)
    pairs = list(zip(faults, gradings, strict=True))
    unseen = [fault.criterion for fault, found in pairs if not _seen(fault, found)]
    wanted = set(evidence.environment.criteria) - {"reward"}
    bare = sorted(wanted - {fault.criterion for fault in faults})
    rate = 1 - len(unseen) / len(faults)
    what = (
        f"kill_rate_criteria {rate:.4f}: {len(faults)} faults of {len(wanted)} criteria"
    )
    if unseen:
        what += f"; not noticed: {', '.join(unseen)}"
    if bare:
        what += f"; without a fault: {', '.join(bare)}"
    return CheckResult(
        name=NAME, status="failed" if unseen or bare else "passed", evidence=what
    )


def faulty(final: Final, fault: Fault) -> Final:
    """Return a final state with one fault.

    Raises:
        BundleError: the fault does not fit the state.
    """
    if fault.where == "workspace":
        return replace(final, workspace=with_fault(final.workspace, fault))
    if final.served is None:
        msg = f"fault of {fault.criterion}: nothing is held in this environment"
        raise BundleError(msg)
    held = with_fault(final.served.held, fault)
    return replace(final, served=replace(final.served, held=held))


def _seen(fault: Fault, found: Grading) -> bool:
    if found.reward is None:
        return False
    return found.reward < 1 and found.components[fault.criterion] < 1


def _derived(criteria: tuple[str, ...], mutants: Sequence[Mutant]) -> CheckResult:
    scores = [dict(one.grading.components) for one in mutants if one.killed]
    names = [name for name in criteria if name != "reward"] or ["reward"]
    blind = [name for name in names if all(one[name] == 1 for one in scores)]
    rate = 1 - len(blind) / len(names)
    what = (
        f"kill_rate_criteria {rate:.4f}: no faults are written down; of {len(names)} "
        f"criteria, generic mutants lower {len(names) - len(blind)}"
    )
    if blind:
        what += f", not {', '.join(blind)}"
    return CheckResult(name=NAME, status="failed" if blind else "passed", evidence=what)
