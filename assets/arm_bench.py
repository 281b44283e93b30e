"""Running the arms of an experiment: a model served here, its tasks, the schedule.

A rollout that was stored stays; an arm all of whose rollouts are stored is not served.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from assets.arm_recipes import ArmModel, arm_model, plan_of_arm
from assets.batch import Batch
from assets.rollout_recipes import environments_in, rollout_code
from assets.rollout_tally import Tally, losses_of
from envplatform.bundle import read_environment
from envplatform.configuration import Configuration, RolloutBatchSettings
from envplatform.errors import EnvPlatformError
from envplatform.evaluation.arms import ArmRollout, TaskSet
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.learning.serving.served import Server, served_model
from envplatform.llm.chat import ChatModel
from envplatform.llm.opening import open_model
from envplatform.rollout.mini import MiniPackage
from envplatform.rollout.plan import Plan, Planned, harness_of, planned
from envplatform.rollout.schedule import Job, Pace, Schedule, stored
from envplatform.rollout.session import Policy
from envplatform.sandbox.base import SandboxProvider
from envplatform.store import ResultCache
from envplatform.trajectories import Trajectory
from resources.seeds import SeedsResource

STAGE = "rollouts"
"""Results lie with those of ordinary rollouts; their keys tell them apart."""
_KEY = "KEY"
"""Name by which the client is handed the server's key; no variable of this process."""


@dataclass(frozen=True, slots=True)
class _Acting:
    """Who acts, and who judges."""

    policy: Policy
    judge: ChatModel | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmBench:
    """What arms are run with."""

    batch: Batch[Any]
    configuration: Configuration
    provider: SandboxProvider
    seeds: SeedsResource

    def rollouts(self, name: str) -> Iterator[ArmRollout]:
        """Yield all rollouts of an experiment, arm by arm.

        Raises:
            EnvPlatformError: some have no record yet, the machine's doing; what is
                finished is kept.
            StoreError: an arm's checkpoint is not there yet; names the asset.
        """
        experiment = self.configuration.experiments.experiments[name]
        sets: list[tuple[TaskSet, RolloutBatchSettings]] = [
            ("asked", experiment.rollouts)
        ]
        if experiment.retained is not None:
            sets.append(("retained", experiment.retained))
        for arm in experiment.arms:
            model = arm_model(self.batch, self.configuration, name, arm)
            for tasks, settings in sets:
                for one in self._of_arm(name, arm, model, settings):
                    yield ArmRollout(
                        arm=arm, tasks=tasks, model_digest=model.digest, trajectory=one
                    )

    def _of_arm(
        self, name: str, arm: str, model: ArmModel, settings: RolloutBatchSettings
    ) -> Iterator[Trajectory]:
        plan = plan_of_arm(self.configuration, name, arm, model, settings)
        rows, _ = environments_in(self.batch, settings)
        wanted = tuple(planned(rows, plan, rollout_code(None)))
        results = self.batch.store.results(STAGE)
        missing = [one for one in wanted if results.get(one.key) is None]
        if missing:
            self.batch.log.info("%s: %d rollouts of %s", name, len(missing), arm)
            tally = asyncio.run(self._run(plan, model, missing, results))
            if tally.lost:
                raise EnvPlatformError(losses_of(tally, len(wanted)))
        yield from stored(results, [one.key for one in wanted])

    async def _run(
        self,
        plan: Plan,
        model: ArmModel,
        wanted: list[Planned],
        results: ResultCache,
    ) -> Tally:
        settings = self.configuration.rollouts
        pace = Pace(in_flight=settings.in_flight, attempts=settings.retries + 1)
        tally = Tally()
        async with AsyncExitStack() as stack:
            server = stack.enter_context(served_model(model.order))
            policy = await self._policy(stack, server, plan)
            judge = await self._judge(stack, plan)
            jobs = (
                Job(
                    key=one.key,
                    trajectory_id=one.trajectory_id,
                    run=partial(self._roll_out, one, plan, _Acting(policy, judge)),
                )
                for one in wanted
            )
            async for outcome in Schedule(results, pace).run(jobs):
                tally.add(outcome)
        return tally

    async def _policy(
        self, stack: AsyncExitStack, server: Server, plan: Plan
    ) -> Policy:
        settings = self.configuration.model.model_copy(
            update={
                "kind": "openai",
                "name": plan.sampling.model,
                "base_url": server.base_url,
                "api_key_env": _KEY,
                "record": "off",  # the address is another each time
            }
        )
        opening = open_model(
            settings,
            folder=self.batch.store.home / "models",
            asset="arm_rollouts",
            purpose=plan.sampling.model,
            environ={_KEY: server.key},
        )
        return Policy(
            model=await stack.enter_async_context(opening),
            temperature=plan.sampling.temperature,
            answer_tokens=plan.sampling.answer_tokens,
        )

    async def _judge(self, stack: AsyncExitStack, plan: Plan) -> ChatModel | None:
        settings = self.configuration.judge_model
        if settings is None:
            return None
        opening = open_model(
            settings,
            folder=self.batch.store.home / "models",
            asset="arm_rollouts",
            purpose=f"{plan.sampling.model}, judge",
        )
        return await stack.enter_async_context(opening)

    async def _roll_out(self, one: Planned, plan: Plan, acting: _Acting) -> Trajectory:
        folder = self.batch.store.directory(DIRECTORY_KIND, one.row.digest)
        environment = await asyncio.to_thread(
            read_environment, folder, digest=one.row.digest
        )
        image = await asyncio.to_thread(self.seeds.image, environment)
        harness = harness_of(
            self.provider,
            plan.harness,
            package=MiniPackage(self.batch.store.cache_folder("targets")),
        )
        harness.judge = acting.judge
        return await harness.run(
            environment, acting.policy, plan.limits, image=image, seed=one.seed
        )
