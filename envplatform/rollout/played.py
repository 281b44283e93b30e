"""Rollouts whose policy sits outside: asked here, answered from elsewhere.

The harness is the ordinary one, so limits, tools, users inside, grading and the record
are those of every other rollout. Who answers is not known here: a trainer generates for
a whole group at once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from envplatform.bundle import Environment
from envplatform.errors import ContextLengthError, EnvPlatformError, ModelError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse, Message
from envplatform.rollout.harness import Harness
from envplatform.rollout.session import Policy
from envplatform.sandbox.base import Image
from envplatform.trajectories import RolloutLimits, Trajectory
from envplatform.trajectories.playing import Answer, Asked, Begin, Over

Find = Callable[[str], Awaitable[tuple[Environment, Image]]]
"""Digest to an environment and the image it runs on."""


class OutsideModel(ChatModel):
    """A model that waits for its answers; one rollout asks it, one turn at a time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: asyncio.Queue[ChatRequest] = asyncio.Queue()
        self._answers: asyncio.Queue[Answer] = asyncio.Queue()
        self.told = 0
        """Messages of the conversation that who answers knows."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Wait for the answer to `request`.

        Raises:
            ContextLengthError: who answers can read no more.
        """
        self.asked.put_nowait(request)
        answer = await self._answers.get()
        if answer.is_last:
            msg = "the policy's context is full"
            raise ContextLengthError(msg)
        return ChatResponse(
            message=answer.message,
            finish_reason=answer.finish_reason,
            usage=answer.usage,
            model=self.name,
        )

    def answer(self, answer: Answer) -> None:
        """Give the answer that is waited for."""
        self._answers.put_nowait(answer)

    def heard(self, messages: tuple[Message, ...], *, answered: bool) -> list[Message]:
        """What of `messages` is new; the policy's own turn is not, if it `answered`."""
        new = messages[self.told + answered :]
        self.told = len(messages)
        return list(new)


@dataclass(slots=True)
class _Play:
    model: OutsideModel
    rollout: asyncio.Task[Trajectory]
    has_answered: bool = False


class Player:
    """Plays many rollouts side by side; each waits for its own answers."""

    def __init__(
        self,
        harness: Callable[[], Harness],
        find: Find,
        limits: RolloutLimits,
        *,
        policy: str,
    ) -> None:
        self._harness = harness
        self._find = find
        self._limits = limits
        self._policy = policy
        self._plays: dict[str, _Play] = {}

    async def begin(self, begin: Begin) -> Asked | Over:
        """Open an environment and return what is asked first.

        Raises:
            ModelError: a play of this id is under way.
        """
        if begin.play_id in self._plays:
            msg = f"play {begin.play_id!r} is under way"
            raise ModelError(msg)
        model = OutsideModel(self._policy)
        play = _Play(model, asyncio.create_task(self._run(begin, model)))
        self._plays[begin.play_id] = play
        return await self._next(begin.play_id, play)

    async def answer(self, answer: Answer) -> Asked | Over:
        """Hand over an answer and return what comes of it.

        Raises:
            ModelError: no play of this id waits for one.
        """
        play = self._plays.get(answer.play_id)
        if play is None:
            msg = f"no play {answer.play_id!r} waits for an answer"
            raise ModelError(msg)
        play.has_answered = not answer.is_last
        play.model.answer(answer)
        return await self._next(answer.play_id, play)

    async def close(self) -> None:
        """Give up whatever is under way."""
        tasks = [play.rollout for play in self._plays.values()]
        self._plays.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, begin: Begin, model: OutsideModel) -> Trajectory:
        environment, image = await self._find(begin.digest)
        return await self._harness().run(
            environment,
            Policy(model=model),
            self._limits,
            image=image,
            seed=begin.seed,
        )

    async def _next(self, play_id: str, play: _Play) -> Asked | Over:
        asked = asyncio.create_task(play.model.asked.get())
        await asyncio.wait({asked, play.rollout}, return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            request = asked.result()
            heard = play.model.heard(request.messages, answered=play.has_answered)
            return Asked(play_id=play_id, heard=tuple(heard), tools=request.tools)
        asked.cancel()
        self._plays.pop(play_id, None)
        try:
            trajectory = play.rollout.result()
        except (EnvPlatformError, OSError) as error:  # the boundary: told, unscored
            return Over(play_id=play_id, trajectory=None, why=str(error))
        heard = play.model.heard(trajectory.messages, answered=play.has_answered)
        return Over(play_id=play_id, trajectory=trajectory, heard=tuple(heard))
