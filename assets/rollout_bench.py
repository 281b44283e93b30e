"""Running one batch: environments out of the store, images, a model, the schedule."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from assets.batch import Batch, PartitionResult
from assets.beside import keep_aside
from assets.pictures import counts_table
from assets.rollout_recipes import environments_of, rollout_code
from assets.rollout_tally import (
    FAILED,
    LOST,
    REFUSED,
    Figures,
    LostRollout,
    RefusedRollout,
    Tally,
    facts_of,
    losses_of,
    refusals_of,
)
from assets.sandbox_runs import fallbacks
from envplatform.bundle import Environment, read_environment
from envplatform.configuration import Configuration
from envplatform.errors import EnvPlatformError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.llm.chat import ChatModel
from envplatform.rollout.mini import MiniPackage
from envplatform.rollout.plan import Plan, Planned, harness_of, planned
from envplatform.rollout.schedule import (
    FailedAttempt,
    Job,
    Pace,
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
TARGETS = "targets"
"""The store's cache of wheels and images."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Acting:
    """Who acts, and whose words users inside use."""

    plan: Plan
    policy: Policy | None
    words: ChatModel | None
    judge: ChatModel | None
    package: MiniPackage
    """Of mini-swe-agent; fetched when it is first needed."""


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
            EnvPlatformError: more rollouts than may be have no record yet, the machine's
                or the model server's doing; says how many. What is finished is kept.
        """
        plan = plan_of(self.configuration, name)
        rows, roots = environments_of(self.batch, self.configuration, name)
        wanted = tuple(planned(rows, plan, rollout_code(None)))
        results = self.batch.store.results(STAGE)
        tally = asyncio.run(self._run(name, plan, wanted, roots, results))
        keep_aside(self.batch, FAILED, name, tally.failed, row_type=FailedAttempt)
        keep_aside(self.batch, REFUSED, name, tally.refused, row_type=RefusedRollout)
        keep_aside(self.batch, LOST, name, tally.losses, row_type=LostRollout)
        most = self.configuration.rollouts.may_lose * len(wanted)
        if len(tally.lost) > most:
            raise EnvPlatformError(losses_of(tally, len(wanted)))
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
        async with (
            self._policy(name, plan) as policy,
            self._words(name) as words,
            self._judge(name) as judge,
        ):
            acting = _Acting(
                plan=plan,
                policy=policy,
                words=words,
                judge=judge,
                package=MiniPackage(self.batch.store.cache_folder(TARGETS)),
            )
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
            package=acting.package,
        )
        harness.judge = acting.judge
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

    @asynccontextmanager
    async def _judge(self, name: str) -> AsyncIterator[ChatModel | None]:
        """Open the model that judges, if one does."""
        settings = self.configuration.judge_model
        if settings is None:
            yield None
            return
        opening = self.chat_model.open(
            asset="rollouts", purpose=f"{name}, judge", settings=settings
        )
        async with opening as model:
            yield model

    def _result(
        self, results: ResultCache, wanted: tuple[Planned, ...], tally: Tally
    ) -> PartitionResult:
        figures = Figures()
        metadata: dict[str, Any] = {}
        markdown: dict[str, str] = {}
        lost = (losses_of(tally, len(wanted)),) if tally.lost else ()

        def rows() -> Iterator[Trajectory]:
            for one in stored(results, [each.key for each in wanted]):
                figures.add(one)
                yield one
            metadata.update(facts_of(figures, tally))
            markdown["endings"] = counts_table(
                dict(figures.endings.most_common()), of="ending"
            )
            if tally.refused:
                markdown["why refused"] = refusals_of(tally)

        return PartitionResult(
            rows=rows(),
            metadata=metadata,
            markdown=markdown,
            cost=Cost(),
            notes=(*fallbacks(self.provider.info), *lost),
        )
