"""The reference: the oracle's work through an agent's tools, whole or spoilt on purpose.

It knows the answer and is no model; its records look like an agent's, turn by turn, and
say `reference` wherever a policy is named.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from envplatform.bundle import Environment
from envplatform.configuration.harnesses import Perturbation
from envplatform.errors import ConfigError
from envplatform.llm.chat import (
    ChatModel,
    ChatRequest,
    ChatResponse,
    Message,
    ToolCall,
    Usage,
)
from envplatform.rollout.calls import Answered
from envplatform.rollout.perturbations import Spoilt, perturbed
from envplatform.rollout.script import Script, reference_script
from envplatform.rollout.session import Policy, Session
from envplatform.rollout.tool_loop import ToolLoopHarness
from envplatform.rollout.tools import SHELL
from envplatform.sandbox.base import SandboxProvider
from envplatform.user import Plan, Turn
from envplatform.user.wording import Exchange, Said, Wording

NAME = "reference"
_INVENTED = "1000000007"


class ReferenceHarness(ToolLoopHarness):
    """Runs the oracle in a sandbox of its own, then does the same as an agent would.

    Where a script has nothing to spoil in the chosen way, `run` raises ConfigError.
    """

    def __init__(
        self, provider: SandboxProvider, *, perturbation: Perturbation = "none"
    ) -> None:
        is_misled = perturbation == "misled"
        super().__init__(provider, wording=Misspeaking() if is_misled else None)
        self.name = NAME
        self._perturbation = perturbation
        self._loses = False

    def actor(self, policy: Policy | None) -> str:  # noqa: ARG002  none acts
        """Name the reference, and how it is spoilt."""
        spoilt = self._perturbation
        return NAME if spoilt == "none" else f"{NAME}+{spoilt}"

    def unfit(self, environment: Environment) -> str:
        """It needs the shell, and somebody who changes something to ignore that."""
        if SHELL not in environment.permissions.tools:
            return "its agent has no shell"
        if self._perturbation == "ignore_patch" and not environment.user:
            return "there is no user inside whose changes could be ignored"
        if self._perturbation == "misled" and not environment.user:
            return "there is no user inside who could say something wrong"
        return ""

    async def policy_of(self, session: Session) -> Policy:
        """Return a policy that follows the script of the oracle.

        Raises:
            SandboxError: a sandbox or the solution failed.
            ConfigError: there is nothing to spoil.
        """
        assignment = session.assignment
        script = await reference_script(
            self._provider, assignment.environment, assignment.image
        )
        spoilt = perturbed(
            script,
            self._perturbation,
            random.Random(assignment.seed),  # noqa: S311  no secret
        )
        if spoilt is None:
            msg = f"nothing in the oracle's work can be spoilt by {self._perturbation}"
            raise ConfigError(msg)
        self._loses = spoilt.loses
        session.restart_clock()
        model = ScriptedModel(self.actor(None), spoilt, turns=assignment.limits.turns)
        return Policy(model=model)

    async def _turn(self, session: Session, policy: Policy) -> tuple[Answered, ...]:
        """As any agent's; loses a reply where that is how the record is spoilt."""
        answered = await super()._turn(session, policy)
        if self._loses and answered:
            step = session.steps[-1]
            session.steps[-1] = replace(step, replies=step.replies[:-1])
            self._loses = False
        return answered


class Misspeaking(Wording):
    """A user who says a number that nobody told."""

    async def say(self, plan: Plan, turn: Turn, before: Sequence[Exchange]) -> Said:
        """See the base class."""
        del plan, turn, before
        return Said(text=f"It is {_INVENTED}, I think.", how="template")


class ScriptedModel(ChatModel):
    """Says what a script says, in as many calls a turn as fit the turns."""

    def __init__(self, name: str, spoilt: Spoilt, *, turns: int) -> None:
        self.name = name
        self._answers = _answers(spoilt, turns)

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Give the next answer; says nothing once all is said."""
        del request
        answer = next(self._answers, None)
        return answer or _answer((), is_cut=False, name=self.name)


def _answers(spoilt: Spoilt, turns: int) -> Iterator[ChatResponse]:
    groups = list(grouped(spoilt.script, turns))
    for number, calls in enumerate(groups, 1):
        is_cut = spoilt.is_cut and number == len(groups)
        yield _answer(calls, is_cut=is_cut, name=NAME)


def grouped(script: Script, turns: int) -> Iterator[tuple[ToolCall, ...]]:
    """Calls by turn, in order: one a turn as long as all fit, never over a change."""
    calls = script.numbered()
    patched = script.patched_at or 0
    parts = [part for part in (calls[:patched], calls[patched:]) if part]
    room = max(1, turns - len(parts))
    size = -(-len(calls) // room)
    for part in parts:
        yield from (part[at : at + size] for at in range(0, len(part), size))


def _answer(calls: Sequence[ToolCall], *, is_cut: bool, name: str) -> ChatResponse:
    text = f"Next: {', '.join(call.name for call in calls)}." if calls else ""
    return ChatResponse(
        message=Message(role="assistant", content=text, tool_calls=tuple(calls)),
        finish_reason="length" if is_cut else "tool_calls",
        usage=Usage(),
        model=name,
    )
