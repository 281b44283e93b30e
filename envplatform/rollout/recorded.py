"""A recorded rollout again: the same calls in a fresh environment, no model.

What came of them is a record of its own; `trajectories.differences` compares the two.
"""

from envplatform.bundle import Environment
from envplatform.grading.sessions import SOLUTION
from envplatform.llm.chat import Message
from envplatform.rollout.calls import answer_calls
from envplatform.rollout.dialects import FENCED, NATIVE
from envplatform.rollout.harness import Harness
from envplatform.rollout.session import Policy, Session
from envplatform.sandbox.base import SandboxProvider
from envplatform.trajectories import Ending, Step, Trajectory

_SEARCHED = "explorer"
_SOLVED = "oracle"


class RecordedHarness(Harness):
    """Replays one trajectory."""

    name = "recorded"

    def __init__(self, provider: SandboxProvider, recorded: Trajectory) -> None:
        super().__init__(provider)
        self._recorded = recorded
        is_fenced = recorded.harness == FENCED.harness
        self._dialect = FENCED if is_fenced else NATIVE

    def unfit(self, environment: Environment) -> str:
        """It acts where the recorded rollout did."""
        if self._recorded.harness == _SEARCHED:
            return "an explorer's search is no whole rollout: its solving is no call"
        if self._recorded.harness.startswith("mini_swe_agent"):
            return "what mini-swe-agent ran is no call that can be made here"
        if self._recorded.environment_id != environment.environment_id:
            return f"the rollout was recorded in {self._recorded.environment_id}"
        return ""

    def actor(self, policy: Policy | None) -> str:  # noqa: ARG002  none acts
        """Name who acted then."""
        return self._recorded.policy

    async def act(self, session: Session) -> Ending:
        """Make the recorded calls, in their order, until they or a limit end."""
        session.prompt = self._recorded.prompt
        session.tools = self._dialect.offered(session.assignment.environment)
        if self._recorded.harness == _SOLVED:
            solution = session.assignment.environment.solution
            await session.sandbox.upload(solution, SOLUTION)
        for step in self._recorded.steps:
            limit = session.used_up()
            if limit is not None:
                return limit
            if await self._again(session, step):
                return "submitted"
        known = self._recorded.ending
        return "finished" if known in ("submitted", "infrastructure_error") else known

    async def _again(self, session: Session, step: Step) -> bool:
        """Take one turn again; tell whether it ended the rollout."""
        began = session.clock()
        answered = await answer_calls(session, self._dialect.calls(step.message))
        nudge = (Message(role="user", content=self._dialect.nudge),)
        session.steps.append(
            Step(
                message=step.message,
                finish_reason=step.finish_reason,
                outcomes=tuple(answer.outcome for answer in answered),
                replies=self._dialect.replies(answered) or nudge,
                usage=step.usage,
                seconds=session.clock() - began,
            )
        )
        return any(answer.submits for answer in answered)
