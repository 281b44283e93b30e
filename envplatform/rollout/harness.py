"""What a harness is: something that acts in an environment and comes back with a record.

A bad rollout is data. An infrastructure error is neither good nor bad: it is recorded
with its class, never scored, and for the caller to retry.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from functools import partial

from envplatform.bundle import Environment, environment_digest
from envplatform.errors import (
    ConfigError,
    DownloadTooLargeError,
    ModelError,
    SandboxError,
)
from envplatform.grading import Final, Opened, grade, open_environment
from envplatform.grading.calibration import work_of
from envplatform.grading.judge import reward_of
from envplatform.grading.rubric import rubric_of
from envplatform.llm.chat import ChatModel
from envplatform.rollout.report import Progress, trajectory_of
from envplatform.rollout.separation import check_solver
from envplatform.rollout.session import Assignment, Policy, Session
from envplatform.rollout.user_session import attended
from envplatform.sandbox.base import Door, Image, SandboxProvider
from envplatform.trajectories import Ending, RolloutLimits, Trajectory
from envplatform.user.wording import Wording


class Harness(ABC):
    """Runs rollouts in sandboxes of one provider."""

    name: str
    """Goes into every trajectory."""
    judge: ChatModel | None = None
    """Scores what code can't, where a task ships a rubric; None: code alone scores."""

    def __init__(
        self,
        provider: SandboxProvider,
        *,
        clock: Callable[[], float] = time.monotonic,
        wording: Wording | None = None,
    ) -> None:
        """`wording`: how users inside speak; the plan's own words if None."""
        self._provider = provider
        self._clock = clock
        self._wording = wording

    @abstractmethod
    async def act(self, session: Session) -> Ending:
        """Act in the open environment until done or a limit is reached.

        Raises:
            SandboxError: the sandbox failed.
            ModelError: the model server failed, or there is no policy but need of one.
        """

    async def run(
        self,
        environment: Environment,
        policy: Policy | None,
        limits: RolloutLimits,
        *,
        image: Image,
        seed: int = 0,
    ) -> Trajectory:
        """Act in a fresh sandbox, grade what is left in another, return the record.

        Args:
            environment: where to act.
            policy: who acts; None for harnesses that need no model.
            limits: what acting may use.
            image: the one that the environment names.
            seed: of the model's sampling; equal seeds repeat scripted rollouts.

        Raises:
            BundleError: `image` is not the one that the environment names, or what it
                ships as a rubric is none.
            ConfigError: the policy's model wrote the task, or the environment is one
                that this harness can't act in.
        """
        why = self.unfit(environment)
        if why:
            msg = f"{self.name} can't act in {environment.environment_id}: {why}"
            raise ConfigError(msg)
        if policy is not None:
            check_solver(environment, policy.model.name)
        assignment = Assignment(
            environment=environment,
            policy=policy,
            limits=limits,
            image=image,
            seed=seed,
        )
        progress = Progress(digest=environment_digest(environment))
        try:
            await self._run(assignment, progress)
        except (SandboxError, ModelError) as error:  # the boundary: recorded, unscored
            progress.error = error
        return trajectory_of(
            assignment,
            progress,
            harness=self.name,
            actor=self.actor(policy),
            sandbox=self._provider.info,
        )

    def unfit(self, environment: Environment) -> str:  # noqa: ARG002  others need it
        """Why this harness can't act in an environment; empty if it can."""
        return ""

    def actor(self, policy: Policy | None) -> str:
        """Name who acts, for the record; the harness where no model takes part."""
        return policy.model.name if policy else self.name

    def graded_as(self, environment: Environment) -> Environment:
        """The environment whose verifier judges the end; usually itself."""
        return environment

    def doors(self) -> AbstractAsyncContextManager[tuple[Door, ...]]:
        """Doors that the agent's sandbox has besides; they lead nowhere else."""
        return nullcontext(())

    async def take_home(self, session: Session, opened: Opened) -> Final | None:  # noqa: ARG002  others need it
        """What is to be graded; None if the agent left more than a grader takes.

        Raises:
            SandboxError: a sandbox failed.
        """
        try:
            return await opened.final()
        except DownloadTooLargeError:
            return None

    async def _run(self, assignment: Assignment, progress: Progress) -> None:
        environment, image = assignment.environment, assignment.image
        rubric = rubric_of(environment)
        async with AsyncExitStack() as stack:
            doors = await stack.enter_async_context(self.doors())
            place = await stack.enter_async_context(
                open_environment(self._provider, environment, image=image, doors=doors)
            )
            session = Session(assignment, place.sandbox, self._clock, doors=doors)
            progress.session = session
            async with attended(place, self._wording) as user:
                progress.user = user
                if user is not None:
                    session.user_turns = partial(len, user.turns)
                    session.user_signals = user.signals
                acting = self.act(session)
                progress.ending = await (user.alongside(acting) if user else acting)
                progress.agent_seconds = session.seconds
            final = await self.take_home(session, place)
        if final is not None:
            progress.final = final
            graded = self.graded_as(environment)
            progress.grading = await grade(
                self._provider,
                graded,
                final.workspace,
                image=image,
                served=final.served,
                digest=progress.digest if graded is environment else "",
            )
            progress.rewarded = await reward_of(
                progress.grading,
                work_of(final),
                rubric=rubric,
                model=self.judge,
                seed=assignment.seed,
            )
