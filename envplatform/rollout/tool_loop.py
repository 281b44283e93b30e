"""The tool loop: a model asks for commands, reads what they did, and submits.

Whatever a model says is data: unknown tools, broken arguments and silence are
answered in words and go into the record. How tools are worded is in `dialects`,
running them in `calls`.
"""

import time
from collections.abc import Callable

from envplatform.errors import ContextLengthError, ModelError
from envplatform.llm.chat import ChatRequest, ChatResponse, Message
from envplatform.rollout.calls import Answered, answer_calls
from envplatform.rollout.dialects import NATIVE, Dialect
from envplatform.rollout.harness import Harness
from envplatform.rollout.session import Policy, Session
from envplatform.sandbox.base import SandboxProvider
from envplatform.trajectories import Ending, Step
from envplatform.user.wording import Wording

_PATIENCE = 3
"""Turns in a row without a tool call before the rollout ends."""


class ToolLoopHarness(Harness):
    """Lets a policy work with a shell."""

    def __init__(
        self,
        provider: SandboxProvider,
        *,
        dialect: Dialect = NATIVE,
        clock: Callable[[], float] = time.monotonic,
        wording: Wording | None = None,
        patience: int = _PATIENCE,
    ) -> None:
        """`patience`: turns in a row without a tool call before a rollout ends."""
        super().__init__(provider, clock=clock, wording=wording)
        self.name = dialect.harness
        self._dialect = dialect
        self._patience = patience

    async def act(self, session: Session) -> Ending:
        """Take turns until the policy submits, falls silent or uses up a limit."""
        policy = await self.policy_of(session)
        environment = session.assignment.environment
        session.prompt = (
            Message(role="system", content=self._dialect.opening(environment)),
            Message(role="user", content=environment.instruction),
        )
        session.tools = self._dialect.offered(environment)
        idle = 0
        while (ending := session.used_up()) is None:
            try:
                answered = await self._turn(session, policy)
            except ContextLengthError:
                return "context_limit"
            if any(answer.submits for answer in answered):
                return "submitted"
            idle = 0 if answered else idle + 1
            if idle == self._patience:
                return "no_action"
        return ending

    async def policy_of(self, session: Session) -> Policy:
        """Return who acts.

        Raises:
            ModelError: there is nobody.
        """
        policy = session.assignment.policy
        if policy is None:
            msg = f"{self.name} needs a policy; pass one with a model"
            raise ModelError(msg)
        return policy

    async def _turn(self, session: Session, policy: Policy) -> tuple[Answered, ...]:
        """Ask, run what was asked for, and keep both as a step."""
        began = session.clock()
        response = await self._ask(session, policy)
        calls = self._dialect.calls(response.message)
        answered = await answer_calls(session, calls)
        nudge = (Message(role="user", content=self._dialect.nudge),)
        session.steps.append(
            Step(
                message=self._dialect.said(response.message),
                finish_reason=response.finish_reason,
                outcomes=tuple(answer.outcome for answer in answered),
                replies=self._dialect.replies(answered) or nudge,
                usage=response.usage,
                seconds=session.clock() - began,
            )
        )
        return answered

    async def _ask(self, session: Session, policy: Policy) -> ChatResponse:
        # Not cut short by the time limit: a server that hangs is an infrastructure
        # error, which its own timeout finds, and no failing of the agent.
        return await policy.model.complete(
            ChatRequest(
                messages=session.messages,
                tools=session.tools,
                temperature=policy.temperature,
                max_tokens=policy.answer_tokens,
                seed=session.assignment.seed,
            )
        )
