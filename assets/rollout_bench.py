"""Running one batch: environments out of the store, images, a model, the schedule."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from assets.batch import Batch, PartitionResult
from assets.beside import keep_aside
from assets.pictures import counts_table, in_cell
from assets.rollout_recipes import environments_of, rollout_code
from assets.sandbox_runs import fallbacks
from envplatform.bundle import Environment, read_environment
from envplatform.configuration import Configuration
from envplatform.errors import EnvPlatformError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.llm.chat import ChatModel
from envplatform.rollout.plan import Plan, Planned, harness_of, planned
from envplatform.rollout.schedule import (
    Done,
    FailedAttempt,
    Job,
    Lost,
    Outcome,
    Pace,
    Refused,
    Schedule,
    stored,
)
from envplatform.rollout.session import Policy
from envplatform.rollout.settings import (
    batch_of,
    model_of,
    plan_of,
    user_model_of,
)
from envplatform.sandbox.base import SandboxProvider
from envplatform.store import Cost, ResultCache
from envplatform.trajectories import Trajectory
from envplatform.user.wording import ModelWording
from resources.models import ChatModelResource
from resources.seeds import SeedsResource

STAGE = "rollouts"
"""Of the results that outlive a crash."""
FAILED = "failed_attempts"
"""Table of what the sandbox or the model server did wrong, beside the asset."""
REFUSED = "refused_rollouts"
"""Table of rollouts that can't be, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRollout:
    """A rollout that a batch asked for and that can't be, whoever tries."""

    trajectory_id: str
    reason: str


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of a batch so far."""

    done: int = 0
    known: int = 0
    refused: list[RefusedRollout] = field(default_factory=list)
    failed: list[FailedAttempt] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        trajectory_id = outcome.job.trajectory_id
        match outcome:
            case Done(is_known=is_known, failures=failures):
                self.done += 1
                self.known += is_known
                self.failed += failures
            case Refused(reason=reason):
                refused = RefusedRollout(trajectory_id=trajectory_id, reason=reason)
                self.refused.append(refused)
            case Lost(failures=failures):
                self.failed += failures
                self.lost.append(outcome)


@dataclass(slots=True, kw_only=True)
class Figures:
    """What is told of the records, filled while they are written."""

    endings: Counter[str] = field(default_factory=Counter)
    rewards: list[float] = field(default_factory=list)
    tokens: int = 0
    usd: float = 0.0

    def add(self, one: Trajectory) -> None:
        """Count one record."""
        self.endings[one.ending] += 1
        self.tokens += one.usage.prompt_tokens + one.usage.completion_tokens
        self.usd += one.usage.usd
        if one.reward is not None:
            self.rewards.append(one.reward)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Acting:
    """Who acts, and whose words users inside use."""

    plan: Plan
    policy: Policy | None
    words: ChatModel | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutBench:
    """What batches of rollouts are run with."""

    batch: Batch[Any]
    configuration: Configuration
    provider: SandboxProvider
    seeds: SeedsResource
    chat_model: ChatModelResource

    def partition(self, name: str) -> PartitionResult:
        """Run a batch, or what is left of it.

        Raises:
            EnvPlatformError: some rollouts have no record yet, the machine's or the
                model server's doing; says how many. What is finished is kept.
        """
        plan = plan_of(self.configuration, name)
        rows, roots = environments_of(self.batch, self.configuration, name)
        wanted = tuple(planned(rows, plan, rollout_code(None)))
        results = self.batch.store.results(STAGE)
        tally = asyncio.run(self._run(name, plan, wanted, roots, results))
        keep_aside(self.batch, FAILED, name, tally.failed, row_type=FailedAttempt)
        keep_aside(self.batch, REFUSED, name, tally.refused, row_type=RefusedRollout)
        if tally.lost:
            raise EnvPlatformError(_lost(tally, len(wanted)))
        return self._result(results, wanted, tally)

    async def _run(
        self,
        name: str,
        plan: Plan,
        wanted: tuple[Planned, ...],
        roots: Mapping[str, str],
        results: ResultCache,
    ) -> Tally:
        settings = self.configuration.rollouts
        pace = Pace(in_flight=settings.in_flight, attempts=settings.retries + 1)
        tally, step = Tally(), max(1, len(wanted) // 20)
        async with self._policy(name, plan) as policy, self._words(name) as words:
            acting = _Acting(plan=plan, policy=policy, words=words)
            jobs = (self._job(one, acting, roots) for one in wanted)
            async for outcome in Schedule(results, pace).run(jobs):
                tally.add(outcome)
                done = tally.done + len(tally.refused) + len(tally.lost)
                if done % step == 0:
                    self.batch.log.info("%s: %d of %d", name, done, len(wanted))
        return tally

    def _job(self, one: Planned, acting: _Acting, roots: Mapping[str, str]) -> Job:
        return Job(
            key=one.key,
            trajectory_id=one.trajectory_id,
            run=partial(self._roll_out, one, acting, roots.get(one.row.digest)),
        )

    async def _roll_out(
        self, one: Planned, acting: _Acting, root: str | None
    ) -> Trajectory:
        plan = acting.plan
        environment = await asyncio.to_thread(self._environment, one.row.digest)
        image = await asyncio.to_thread(self.seeds.image, environment)
        is_child = plan.harness == "explorer" and root not in (None, one.row.digest)
        rooted = (
            await asyncio.to_thread(self._environment, root)
            if is_child and root is not None
            else environment
        )
        harness = harness_of(
            self.provider,
            plan.harness,
            perturbation=one.perturbation,
            root_of=lambda _: rooted,
            wording=ModelWording(acting.words, seed=one.seed) if acting.words else None,
        )
        return await harness.run(
            environment, acting.policy, plan.limits, image=image, seed=one.seed
        )

    def _environment(self, digest: str) -> Environment:
        folder = self.batch.store.directory(DIRECTORY_KIND, digest)
        return read_environment(folder, digest=digest)

    @asynccontextmanager
    async def _policy(self, name: str, plan: Plan) -> AsyncIterator[Policy | None]:
        batch = batch_of(self.configuration, name)
        settings = model_of(self.configuration, batch)
        if settings is None:
            yield None
            return
        opening = self.chat_model.open(
            asset="rollouts", purpose=name, settings=settings
        )
        async with opening as model:
            yield Policy(
                model=model,
                temperature=plan.sampling.temperature,
                answer_tokens=plan.sampling.answer_tokens,
            )

    @asynccontextmanager
    async def _words(self, name: str) -> AsyncIterator[ChatModel | None]:
        """Open the model that words what users inside say, if one does."""
        batch = batch_of(self.configuration, name)
        settings = user_model_of(self.configuration, batch)
        if settings is None:
            yield None
            return
        opening = self.chat_model.open(
            asset="rollouts", purpose=f"{name}, user", settings=settings
        )
        async with opening as model:
            yield model

    def _result(
        self, results: ResultCache, wanted: tuple[Planned, ...], tally: Tally
    ) -> PartitionResult:
        figures = Figures()
        metadata: dict[str, Any] = {}
        markdown: dict[str, str] = {}

        def rows() -> Iterator[Trajectory]:
            for one in stored(results, [each.key for each in wanted]):
                figures.add(one)
                yield one
            metadata.update(_facts(figures, tally))
            markdown["endings"] = counts_table(
                dict(figures.endings.most_common()), of="ending"
            )
            if tally.refused:
                markdown["why refused"] = _refusals(tally)

        return PartitionResult(
            rows=rows(),
            metadata=metadata,
            markdown=markdown,
            cost=Cost(),
            notes=fallbacks(self.provider.info),
        )


def _facts(figures: Figures, tally: Tally) -> dict[str, Any]:
    rewards = figures.rewards
    facts: dict[str, Any] = {
        "rollouts": tally.done,
        "of an earlier run": tally.known,
        "refused": len(tally.refused),
        "failed attempts": len(tally.failed),
        "tokens of the policy": figures.tokens,
        "usd of the policy": figures.usd,
    }
    if rewards:
        facts["mean reward"] = sum(rewards) / len(rewards)
        facts["full marks"] = sum(one == 1 for one in rewards) / len(rewards)
    return facts


def _refusals(tally: Tally) -> str:
    counts = Counter(in_cell(one.reason[:120]) for one in tally.refused)
    return counts_table(dict(counts.most_common(8)), of="reason")


def _lost(tally: Tally, total: int) -> str:
    classes = Counter(one.error_class for one in tally.failed)
    told = ", ".join(f"{count} {name}" for name, count in classes.most_common())
    return (
        f"{len(tally.lost)} of {total} rollouts have no record, the machine or the model "
        f"server failed ({told}); first: {tally.lost[0].reason}. The {tally.done} that "
        f"ended are kept: materialise again to run the rest"
    )
