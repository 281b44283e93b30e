"""From proven bugs to gated environments in the store. A filter: what fails is counted.

An environment is kept only if every check of the gate ran and passed. The rest is a
reason and a number, never a row among the published.
"""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from envplatform.bundle import (
    CheckResult,
    Environment,
    all_passed,
    core_digest,
    environment_digest,
)
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, EnvPlatformError
from envplatform.grading import run_gate
from envplatform.grading.kept import is_kept, keep_environment
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.retry import with_retries
from envplatform.store import ResultCache, Store, result_key
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.environment import assemble_environment
from envplatform.swe.gradable import gradable
from envplatform.swe.image_leaks import image_leaks
from envplatform.swe.issue import Issue, ModelWriter, issue_with
from envplatform.swe.targets import HealthyRepository
from envplatform.swe.verifier.files import Assertions

REVISION = 6
"""Raised when the same proof can become another environment than before."""

_BY_TESTS = frozenset({"oracle_max", "nop_floor", "determinism"})
"""Checks whose outcome may hang on how assertions run."""

REFUSED = "refused_bugs"
"""Table of proven bugs that became no environment, beside the asset of those that did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A proven bug that became no environment."""

    candidate_id: str
    reason: str
    """`issue_leak`, `image_leak`, `no_environment`, or the first check that did not pass."""
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


def _untold(done: int, total: int) -> None:
    """Progress nobody asked for."""


async def publish(  # noqa: PLR0913  what to build, where, and how
    provider: SandboxProvider,
    store: Store,
    repository: HealthyRepository,
    proven: Sequence[Proven],
    *,
    seed: int,
    concurrency: int,
    writer: ModelWriter | None = None,
    told: Callable[[int, int], None] = _untold,
) -> tuple[tuple[EnvironmentRow, ...], tuple[Refused, ...]]:
    """Build, gate and store environments; both results in the order of `proven`.

    What was published before, by this or a killed run, is not gated again. `told` is
    called after each with the number that is done, and of all. `writer` writes the
    issues; without one, the template does.

    Raises:
        ModelError: the writer's server failed, or its budget is spent; likewise.
        SandboxError: a sandbox failed time and again; what was published stays.
    """
    room = asyncio.Semaphore(concurrency)
    works = _Works(
        provider=provider,
        store=store,
        results=store.results("publish"),
        repository=repository,
        seed=seed,
        writer=writer,
    )
    done = 0

    async def one(bug: Proven) -> EnvironmentRow | Refused | EnvPlatformError:
        nonlocal done
        async with room:
            try:
                found: EnvironmentRow | Refused = await works.publish(bug)
            except EnvPlatformError as error:
                return error
        done += 1
        told(done, len(proven))
        return found

    # Every one to its end: a sandbox that fails costs no other environment. What is no
    # error of ours, such as the end of the run, ends them all.
    found = await asyncio.gather(*map(one, proven))
    failed = next((each for each in found if isinstance(each, EnvPlatformError)), None)
    if failed is not None:
        raise failed
    rows = tuple(each for each in found if isinstance(each, EnvironmentRow))
    return rows, tuple(each for each in found if isinstance(each, Refused))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Works:
    """Where environments of one repository are built."""

    provider: SandboxProvider
    store: Store
    results: ResultCache
    repository: HealthyRepository
    seed: int
    writer: ModelWriter | None

    async def publish(self, bug: Proven) -> EnvironmentRow | Refused:
        """Build one; gate it unless the same one passed before."""
        began = time.monotonic()
        proven = bug.verdict
        bug = replace(bug, verdict=gradable(self.repository, proven))
        left_out = len(proven.fail_to_pass) - len(bug.verdict.fail_to_pass)
        issue = await issue_with(
            self.writer,
            self.repository,
            bug.candidate,
            bug.verdict,
            seed=self.seed,
        )
        if issue.leaks:
            return _refused(bug, "issue_leak", ", ".join(map(str, issue.leaks)))
        found = await self._gated(bug, issue, "plain", began)
        is_rewritable = self.repository.target.suite.results == "pytest"
        if is_rewritable and isinstance(found, Refused) and found.reason in _BY_TESTS:
            # Some test is about what pytest makes of a failed assertion.
            found = await self._gated(bug, issue, "rewritten", began)
        if isinstance(found, EnvironmentRow):
            return replace(found, fail_to_pass_left_out=left_out)
        return found

    async def _gated(
        self, bug: Proven, issue: Issue, assertions: Assertions, began: float
    ) -> EnvironmentRow | Refused:
        try:
            environment = assemble_environment(
                self.repository,
                bug.candidate,
                bug.verdict,
                issue=issue,
                assertions=assertions,
            )
            key = result_key(
                revision=REVISION,
                inputs={"environment": environment_digest(environment)},
                config=None,
                tools={},
            )
            known = self.results.get_row(key, EnvironmentRow)
            if known is not None and is_kept(self.store, known):
                return known
            image = self.repository.image
            leaks = await with_retries(
                lambda: image_leaks(self.provider, image, environment)
            )
            if leaks:
                return _refused(bug, "image_leak", "; ".join(leaks))
            audit = await with_retries(lambda: self._gate(environment))
        except BundleError as error:
            return _refused(bug, "no_environment", str(error))
        if not all_passed(audit):
            worst = next(check for check in audit if check.status != "passed")
            return _refused(bug, worst.name, f"{worst.status}: {worst.evidence}")
        environment = replace(environment, audit=audit)
        await keep_environment(self.store, environment)
        seconds = time.monotonic() - began
        row = _row(environment, bug, self.provider, issue, seconds)
        self.results.put_row(key, row)
        return row

    async def _gate(self, environment: Environment) -> tuple[CheckResult, ...]:
        return await run_gate(self.provider, environment, image=self.repository.image)


def _refused(bug: Proven, reason: str, detail: str) -> Refused:
    return Refused(
        candidate_id=bug.candidate.candidate_id, reason=reason, detail=detail[:500]
    )


def _row(
    environment: Environment,
    bug: Proven,
    provider: SandboxProvider,
    issue: Issue,
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
        issue_writer=issue.writer,
        issue_model=issue.model,
        issue_fallback=issue.fallback,
        checks=tuple(
            sorted(f"{check.name}={check.status}" for check in environment.audit)
        ),
        gated=all_passed(environment.audit),
        sandbox=f"{provider.info.kind} {provider.info.version}",
        seconds=round(spent, 3),
        tokens=bug.candidate.cost.tokens + issue.cost.tokens,
    )
