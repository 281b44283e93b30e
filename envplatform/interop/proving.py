"""Execute what is imported: the untouched workspace always, the solution where there is one.

A task is accepted on execution alone: oracle 1, floor 0, the same in every grading, and
nothing else that the gate's core objects to.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from envplatform.bundle import CheckResult, Environment
from envplatform.errors import DownloadTooLargeError
from envplatform.grading import limits_of, run_gate
from envplatform.grading.evidence import collect_evidence
from envplatform.interop.imported import Problem, Reason
from envplatform.sandbox.base import ExecResult, Image, SandboxProvider
from envplatform.tree import Tree

REPEATS = 3
_LOGS = "/logs/verifier"
_MAX_SCORES_BYTES = 1_000_000
_REASONS: Mapping[str, Reason] = MappingProxyType(
    {
        "oracle_max": "oracle_failed",
        "nop_floor": "floor_above_zero",
        "determinism": "nondeterministic",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One run of a verifier of which nothing is known yet."""

    scores: Mapping[str, float]
    """What it wrote; empty where that is no valid verdict."""
    failure: str
    """One line on why there is none; empty where there is one."""


async def try_verifier(
    provider: SandboxProvider,
    image: Image,
    environment: Environment,
    *,
    scores_file: str,
) -> Attempt:
    """Run the verifier on the untouched workspace, in a sandbox of its own.

    `scores_file`: what it writes below /logs/verifier, whatever its keys.

    Raises:
        SandboxError: the sandbox failed; nothing is known of the verifier.
    """
    limits = limits_of(environment, wall_s=environment.allowance.verifier_timeout_s)
    async with provider.open(image, limits) as sandbox:
        await sandbox.upload(environment.workspace, "/workspace")
        await sandbox.upload(environment.tests, "/tests")
        await sandbox.exec(["mkdir", "-p", _LOGS])
        result = await sandbox.exec(["bash", "/tests/test.sh"])
        try:
            left: Tree = await sandbox.download(_LOGS, max_bytes=_MAX_SCORES_BYTES)
        except DownloadTooLargeError as error:
            return Attempt(scores={}, failure=str(error))
    if result.exit_code != 0:
        return Attempt(scores={}, failure=_why(result))
    return _read_scores(left, scores_file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What executing an environment and its solution showed."""

    problems: tuple[Problem, ...]
    audit: tuple[CheckResult, ...]
    oracle: float | None


async def prove(
    provider: SandboxProvider, environment: Environment, *, image: Image
) -> Proof:
    """Run the gate's core; each check that did not pass is a problem.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    try:
        audit = await run_gate(provider, environment, image=image)
    except DownloadTooLargeError as error:
        # The solution's own doing, so it says something about the task.
        problem = Problem(reason="oracle_failed", detail=str(error))
        return Proof(problems=(problem,), audit=(), oracle=None)
    problems = tuple(
        Problem(reason=_REASONS.get(check.name, "gate"), detail=_line(check))
        for check in audit
        if check.status != "passed"
    )
    if any(check.name == "oracle_max" and check.status == "passed" for check in audit):
        return Proof(problems=problems, audit=audit, oracle=1.0)
    # The audit holds words; what the solution reached is worth a second look.
    reward = await score_of_solution(provider, environment, image=image)
    return Proof(problems=problems, audit=audit, oracle=reward)


async def score_of_solution(
    provider: SandboxProvider, environment: Environment, *, image: Image
) -> float | None:
    """Run the solution once and grade what it leaves; None where that is no verdict.

    Raises:
        SandboxError: a sandbox failed; nothing is known of it.
    """
    found = await collect_evidence(provider, environment, image=image, repeats=1)
    return found.oracle[0].reward if found.oracle else None


def with_audit(environment: Environment, proof: Proof) -> Environment:
    """The environment as it is kept."""
    return replace(environment, audit=proof.audit)


def _line(check: CheckResult) -> str:
    return f"{check.name} {check.status}: {check.evidence}"[:500]


def _why(result: ExecResult) -> str:
    if result.ending != "exited":
        return f"the verifier ended with {result.ending} after its time or means"
    said = result.stderr.decode("utf-8", "replace").strip().splitlines()
    return (
        f"exit status {result.exit_code}: {said[-1][:300] if said else 'said nothing'}"
    )


def _read_scores(left: Tree, name: str) -> Attempt:
    if name not in left:
        return Attempt(scores={}, failure=f"the verifier wrote no {name}")
    try:
        found = json.loads(left[name].data)
        scores = {str(key): float(value) for key, value in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        return Attempt(scores={}, failure=f"{name}: {str(error)[:200]}")
    return Attempt(scores=scores, failure="")
