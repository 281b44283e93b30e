"""From proven bugs to gated environments in the store. A filter: what fails is counted.

An environment is kept only if every check of the gate ran and passed. The rest is a
reason and a number, never a row among the published.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from envplatform.bundle import (
    Environment,
    all_passed,
    core_digest,
    environment_digest,
    write_environment,
)
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, StoreError
from envplatform.grading import run_gate
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.retry import with_retries
from envplatform.store import ResultCache, Store, result_key
from envplatform.store.values import digest_json
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.environment import assemble_environment
from envplatform.swe.issue import issue_for
from envplatform.swe.targets import HealthyRepository

DIRECTORY_KIND = "environments"
"""Under which the store keeps environments by digest."""

REVISION = 1
"""Raised when the same proof can become another environment than before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A proven bug that became no environment."""

    candidate_id: str
    reason: str
    """`no_environment` or the name of the first check that did not pass."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """A candidate with its proof."""

    candidate: BugCandidate
    verdict: Verdict


def proven_of(
    candidates: Sequence[BugCandidate], verdicts: Sequence[Verdict]
) -> tuple[Proven, ...]:
    """Join candidates with the verdicts that prove them; the rest falls away."""
    by_id = {verdict.candidate_id: verdict for verdict in verdicts if verdict.verified}
    return tuple(
        Proven(candidate=candidate, verdict=by_id[candidate.candidate_id])
        for candidate in candidates
        if candidate.candidate_id in by_id
    )


def choose(proven: Sequence[Proven], *, limit: int, seed: int) -> list[Proven]:
    """Choose at most `limit`, operators as evenly as they come; order by id.

    Deterministic in its arguments.
    """
    waiting: dict[str, list[Proven]] = {}
    for one in sorted(proven, key=lambda one: one.candidate.candidate_id):
        waiting.setdefault(one.candidate.operator, []).append(one)
    shuffle = random.Random(f"choose {seed}")  # noqa: S311  no secret
    queues = [waiting[name] for name in sorted(waiting)]
    for queue in queues:
        shuffle.shuffle(queue)
    chosen: list[Proven] = []
    while len(chosen) < min(limit, len(proven)):
        for queue in queues:
            if queue and len(chosen) < limit:
                chosen.append(queue.pop())
    return sorted(chosen, key=lambda one: one.candidate.candidate_id)


async def publish(
    provider: SandboxProvider,
    store: Store,
    repository: HealthyRepository,
    proven: Sequence[Proven],
    *,
    seed: int,
    concurrency: int,
) -> tuple[tuple[EnvironmentRow, ...], tuple[Refused, ...]]:
    """Build, gate and store environments; both results in the order of `proven`.

    What was published before, by this or a killed run, is not built again.

    Raises:
        SandboxError: a sandbox failed time and again; what was published stays.
    """
    room = asyncio.Semaphore(concurrency)
    results = store.results("publish")

    async def one(bug: Proven) -> EnvironmentRow | Refused:
        key = _key(repository, bug, seed)
        known = _published(store, results, key)
        if known is not None:
            return known
        async with room:
            found = await with_retries(
                lambda: _publish_one(provider, store, repository, bug, seed)
            )
        if isinstance(found, EnvironmentRow):
            results.put_row(key, found)
        return found

    found = await asyncio.gather(*(one(bug) for bug in proven))
    rows = tuple(each for each in found if isinstance(each, EnvironmentRow))
    return rows, tuple(each for each in found if isinstance(each, Refused))


def _key(repository: HealthyRepository, bug: Proven, seed: int) -> str:
    proof = [bug.verdict.fail_to_pass, bug.verdict.pass_to_pass]
    return result_key(
        revision=REVISION,
        inputs={
            "commit": repository.commit,
            "image": repository.image.digest,
            "candidate": bug.candidate.candidate_id,
            "patch": bug.candidate.bug_patch,
            "report": bug.verdict.failure_report,
            "proof": digest_json([list(part) for part in proof]),
        },
        config=seed,
        tools={},
    )


def _published(store: Store, results: ResultCache, key: str) -> EnvironmentRow | None:
    row = results.get_row(key, EnvironmentRow)
    if row is None:
        return None
    try:
        store.directory(DIRECTORY_KIND, row.digest)
    except StoreError:
        return None  # swept or lost since: build it again
    return row


async def _publish_one(
    provider: SandboxProvider,
    store: Store,
    repository: HealthyRepository,
    bug: Proven,
    seed: int,
) -> EnvironmentRow | Refused:
    began = time.monotonic()
    issue = issue_for(repository, bug.candidate, bug.verdict, seed=seed)
    if issue.leaks:
        return _refused(bug, "issue_leak", ", ".join(map(str, issue.leaks)))
    try:
        environment = assemble_environment(
            repository,
            bug.candidate,
            bug.verdict,
            issue=issue.text,
            writer=issue.writer,
        )
    except BundleError as error:
        return _refused(bug, "no_environment", str(error))
    audit = await run_gate(provider, environment, image=repository.image)
    if not all_passed(audit):
        worst = next(check for check in audit if check.status != "passed")
        return _refused(bug, worst.name, f"{worst.status}: {worst.evidence}")
    environment = replace(environment, audit=audit)
    await asyncio.to_thread(_keep, store, environment)
    return _row(environment, bug, provider, issue.writer, time.monotonic() - began)


def _keep(store: Store, environment: Environment) -> None:
    with TemporaryDirectory(prefix="envplatform-") as scratch:
        folder = Path(scratch) / "environment"
        digest = write_environment(environment, folder)
        store.put_directory(DIRECTORY_KIND, digest, folder)


def _refused(bug: Proven, reason: str, detail: str) -> Refused:
    return Refused(
        candidate_id=bug.candidate.candidate_id, reason=reason, detail=detail[:500]
    )


def _row(
    environment: Environment,
    bug: Proven,
    provider: SandboxProvider,
    writer: str,
    seconds: float,
) -> EnvironmentRow:
    spent = seconds + bug.candidate.cost.seconds + bug.verdict.cost.seconds
    return EnvironmentRow(
        environment_id=environment.environment_id,
        digest=environment_digest(environment),
        core_digest=core_digest(environment.core),
        pillar=environment.pillar,
        repository=bug.candidate.repository,
        candidate_id=bug.candidate.candidate_id,
        inducer=bug.candidate.inducer,
        operator=bug.candidate.operator,
        licence=environment.labels["license"],
        image_digest=environment.image.digest,
        python=environment.image.python,
        fail_to_pass=len(bug.verdict.fail_to_pass),
        pass_to_pass=len(bug.verdict.pass_to_pass),
        issue_writer=writer,
        checks=tuple(
            sorted(f"{check.name}={check.status}" for check in environment.audit)
        ),
        gated=all_passed(environment.audit),
        sandbox=f"{provider.info.kind} {provider.info.version}",
        seconds=round(spent, 3),
        tokens=bug.candidate.cost.tokens,
    )
