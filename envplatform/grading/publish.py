"""From a task to a gated environment in the store, or to the reason why not.

For graders that somebody wrote, by hand or by import, and that nobody has tried: so
the whole gate is run. Bugs, whose graders are proven before, are published by `swe`.
"""

import time
from dataclasses import dataclass, replace

from envplatform.bundle import (
    CheckResult,
    CheckStatus,
    Environment,
    core_digest,
    environment_digest,
)
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError
from envplatform.grading.gate import (
    FULL,
    hindering,
    kill_rates,
    may_publish,
    run_gate,
)
from envplatform.grading.kept import keep_environment
from envplatform.grading.sessions import Attendance
from envplatform.grading.tasks import Task
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.retry import with_retries
from envplatform.store import Store

REVISION = 2
"""Raised when the same task can be judged otherwise than before."""

REFUSED = "refused_seeds"
"""Table of tasks that became no environment, beside the asset of those that did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedTask:
    """A task that became no environment."""

    name: str
    """Of the seed, its partition key."""
    environment_id: str
    reason: str
    """`no_environment`, or the first check that failed or, of the core, did not run."""
    detail: str


AUDITS = "seed_audits"
"""Table of what the gate last said of each task, published or refused. The audit that
lies in an environment is of the first time: what the store keeps never changes.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One check of the gate over one task."""

    name: str
    """Of the seed, its partition key."""
    environment_id: str
    check: str
    status: CheckStatus
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a task: a row or a refusal."""

    audit: tuple[CheckResult, ...]
    """Empty where it could not be opened at all."""
    row: EnvironmentRow | None = None
    refused: RefusedTask | None = None


def audit_rows(task: Task, outcome: Outcome) -> list[AuditRow]:
    """Return the audit as rows, in the gate's order."""
    return [
        AuditRow(
            name=task.name,
            environment_id=task.environment.environment_id,
            check=one.name,
            status=one.status,
            evidence=one.evidence,
        )
        for one in outcome.audit
    ]


async def publish_task(
    provider: SandboxProvider,
    store: Store,
    task: Task,
    *,
    attend: Attendance | None = None,
    other: SandboxProvider | None = None,
) -> Outcome:
    """Run the whole gate over `task`; keep it in the store if it may be published.

    `attend` and `other`: as `run_gate` takes them.

    Raises:
        SandboxError: a sandbox failed time and again; nothing is concluded.
    """
    began = time.monotonic()
    try:
        audit = await with_retries(
            lambda: run_gate(
                provider,
                task.environment,
                image=task.image,
                checks=FULL,
                faults=task.faults,
                other=other,
                attend=attend,
            )
        )
    except BundleError as error:
        return Outcome(audit=(), refused=_refused(task, "no_environment", str(error)))
    if not may_publish(audit):
        worst = hindering(audit)[0]
        what = f"{worst.status}: {worst.evidence}"
        return Outcome(audit=audit, refused=_refused(task, worst.name, what))
    environment = replace(task.environment, audit=audit)
    await keep_environment(store, environment)
    seconds = time.monotonic() - began
    row = environment_row(environment, provider, name=task.name, seconds=seconds)
    return Outcome(audit=audit, row=row)


def _refused(task: Task, reason: str, detail: str) -> RefusedTask:
    return RefusedTask(
        name=task.name,
        environment_id=task.environment.environment_id,
        reason=reason,
        detail=detail[:500],
    )


def environment_row(
    environment: Environment, provider: SandboxProvider, *, name: str, seconds: float
) -> EnvironmentRow:
    """Return the row of a gated environment that was made of the task `name`.

    `provider`: where the gate ran, `seconds` long.
    """
    rates = kill_rates(environment.audit)
    return EnvironmentRow(
        environment_id=environment.environment_id,
        digest=environment_digest(environment),
        core_digest=core_digest(environment.core),
        pillar=environment.pillar,
        repository="",
        candidate_id=name,
        inducer=environment.lineage.producer,
        operator="",
        licence=environment.labels.get("license", ""),
        image_digest=environment.image.digest,
        python=environment.image.python,
        fail_to_pass=0,
        pass_to_pass=0,
        issue_writer="",
        checks=tuple(sorted(f"{one.name}={one.status}" for one in environment.audit)),
        gated=may_publish(environment.audit),
        sandbox=f"{provider.info.kind} {provider.info.version}",
        seconds=round(seconds, 3),
        tokens=0,
        criteria=environment.criteria,
        has_user=bool(environment.user),
        kill_rate_criteria=rates.criteria,
        kill_rate_generic=rates.generic,
    )
