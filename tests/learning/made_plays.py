"""A player in memory, whose verdict hangs on what the policy says; and rows for it."""

from collections.abc import Callable, Collection, Sequence

from envplatform.learning.online.player import Plays
from envplatform.llm.chat import Message, Tool, Usage
from envplatform.trajectories import Trajectory
from envplatform.trajectories.playing import Answer, Asked, Begin, Over, PlayRow
from envplatform.trajectories.record import Judged
from tests.learning.made_students import ASK, SYSTEM

SHELL = Tool(
    name="shell",
    description="Run a command.",
    parameters={
        "type": "object",
        "properties": {"command": {"type": "string", "description": "A line."}},
        "required": ["command"],
    },
)


def row(name: str, *, has_user: bool = False, seed: int = 0) -> PlayRow:
    """A row of the environment of this name."""
    return PlayRow(
        row_id=name,
        digest=name,
        seed=seed,
        prompt=(SYSTEM, ASK),
        tools=(SHELL,),
        has_user=has_user,
    )


def record(
    reward: float | None, *, judge: float | None = None, error: str | None = None
) -> Trajectory:
    """A trajectory with a verdict and little else."""
    judged = None if judge is None else Judged(code=reward, score=judge, judge="m")
    return Trajectory(
        trajectory_id="t",
        environment_id="e",
        environment_digest="d",
        harness="tool_loop",
        policy="trainee",
        seed=0,
        sandbox="none",
        ending="infrastructure_error" if error else "submitted",
        final_state=None,
        reward=reward,
        judged=judged,
        usage=Usage(),
        error_class=error,
    )


class EchoPlays(Plays):
    """Answers every turn with a line, until one ends the play, as silence does."""

    def __init__(
        self,
        *,
        ends: Callable[[Message], bool],
        rewards: Callable[[Message], Trajectory] = lambda _: record(1.0),
        lost: Collection[str] = (),
        drifts: bool = False,
    ) -> None:
        """`lost`: digests that can't be opened. `drifts`: no opening is as the last."""
        self.begun: list[Begin] = []
        self.answers: list[tuple[str, Message]] = []
        self.cut_off = 0
        self._ends = ends
        self._rewards = rewards
        self._lost = lost
        self._drifts = drifts

    def send(self, requests: Sequence[Begin | Answer]) -> tuple[Asked | Over, ...]:
        """See the base class."""
        return tuple(self._event(one) for one in requests)

    def _event(self, request: Begin | Answer) -> Asked | Over:
        if isinstance(request, Begin):
            return self._begin(request)
        self.answers.append((request.play_id, request.message))
        self.cut_off += request.is_last
        is_silent = not (request.message.content or request.message.tool_calls)
        if request.is_last or self._ends(request.message) or is_silent:
            trajectory = self._rewards(request.message)
            return Over(play_id=request.play_id, trajectory=trajectory)
        calls = request.message.tool_calls
        heard = tuple(
            Message(role="tool", content="a.txt", tool_call_id=call.call_id)
            for call in calls
        ) or (Message(role="user", content="And then?"),)
        return Asked(play_id=request.play_id, heard=heard, tools=(SHELL,))

    def _begin(self, begin: Begin) -> Asked | Over:
        self.begun.append(begin)
        if begin.digest in self._lost:
            return Over(play_id=begin.play_id, trajectory=None, why="not stored")
        again = f" {len(self.begun)}" if self._drifts else ""
        ask = Message(role="user", content=ASK.content + again)
        return Asked(play_id=begin.play_id, heard=(SYSTEM, ask), tools=(SHELL,))
