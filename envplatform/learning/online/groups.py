"""Playing a batch to its end: every turn is generated for all that still go on.

Dataset rows come in repeated, a group beside each other; each group starts from one
state, which is held to it here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envplatform.errors import TrainingError
from envplatform.learning.answers import message_of
from envplatform.learning.online.player import Plays
from envplatform.learning.online.rewards import Verdict, verdict_of
from envplatform.learning.online.turns import Tokens, Turns
from envplatform.llm.chat import Message, Tool, Usage
from envplatform.trajectories import Trajectory
from envplatform.trajectories.playing import Answer, Asked, Begin, Over, PlayRow

Generate = Callable[[list[list[int]]], list[list[int]]]
"""Contexts to what the policy says after each, as tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a play may take of a model's context."""

    context: int
    """Tokens that are read at most, the answer included."""
    answer: int
    """Tokens of one turn at most."""


@dataclass(slots=True, kw_only=True)
class Played:
    """One play as it goes, and what came of it."""

    row: PlayRow
    tokens: Tokens
    """Of one that could not begin: nothing that is trained on."""
    said: list[Message]
    tools: tuple[Tool, ...] = ()
    trajectory: Trajectory | None = None
    is_over: bool = False
    why: str = ""
    """Why there is no record; empty where there is one."""

    @property
    def verdict(self) -> Verdict:
        """What its verifiers said."""
        return verdict_of(self.trajectory)


class Groups:
    """Plays rows with one policy."""

    def __init__(self, plays: Plays, turns: Turns, room: Room) -> None:
        self._plays = plays
        self._turns = turns
        self._room = room
        self._count = 0

    def play(
        self, rows: Sequence[PlayRow], generate: Generate, *, group: int
    ) -> tuple[Played, ...]:
        """Play each row once, in their order; rows of a group are equal neighbours.

        Raises:
            TrainingError: a group does not start from one state, or the template can't
                be used.
            StudentError: who plays is gone.
        """
        plays = self._begun(rows)
        check_groups(list(plays.values()), group)
        while going := {id_: one for id_, one in plays.items() if not one.is_over}:
            spoken = self._spoken(going, generate)
            answers = [
                self._answer(id_, one, spoken.get(id_)) for id_, one in going.items()
            ]
            for event in self._plays.send(answers):
                self._hear(going[event.play_id], event, spoken.get(event.play_id))
        return tuple(plays.values())

    def _begun(self, rows: Sequence[PlayRow]) -> dict[str, Played]:
        begins = []
        for row in rows:
            self._count += 1
            play_id = f"{self._count}.{row.row_id}"
            begins.append(Begin(play_id=play_id, digest=row.digest, seed=row.seed))
        events = self._plays.send(begins)
        return {
            event.play_id: self._opened(row, event)
            for row, event in zip(rows, events, strict=True)
        }

    def _opened(self, row: PlayRow, event: Asked | Over) -> Played:
        if isinstance(event, Over):
            return Played(
                row=row,
                tokens=self._nothing(),
                said=[],
                trajectory=event.trajectory,
                is_over=True,
                why=event.why,
            )
        prompt = self._turns.opening_ids(event.heard, event.tools)
        return Played(
            row=row,
            tokens=Tokens(prompt=prompt),
            said=list(event.heard),
            tools=event.tools,
        )

    def _nothing(self) -> Tokens:
        """Something to read where nothing was said; none of it is trained on."""
        stop = list(self._turns.stop_ids()[:1])
        nothing = Tokens(prompt=stop)
        nothing.heard(stop)
        return nothing

    def _spoken(
        self, going: dict[str, Played], generate: Generate
    ) -> dict[str, list[int]]:
        """What is said in each play that has room for it."""
        speaking = {
            id_: one.tokens.context
            for id_, one in going.items()
            if len(one.tokens.context) + self._room.answer <= self._room.context
        }
        said = generate(list(speaking.values())) if speaking else []
        return dict(zip(speaking, said, strict=True))

    def _answer(self, play_id: str, one: Played, ids: list[int] | None) -> Answer:
        if ids is None:
            full = Message(role="assistant", content="")
            return Answer(play_id=play_id, message=full, is_last=True)
        message = message_of(self._turns.words(ids))
        ends = bool(ids) and ids[-1] in self._turns.stop_ids()
        usage = Usage(prompt_tokens=len(one.tokens.context), completion_tokens=len(ids))
        return Answer(
            play_id=play_id,
            message=message,
            finish_reason="stop" if ends else "length",
            usage=usage,
        )

    def _hear(self, one: Played, event: Asked | Over, ids: list[int] | None) -> None:
        if ids is not None:
            one.tokens.generated(ids)
            one.said.append(message_of(self._turns.words(ids)))
        if isinstance(event, Over):
            one.trajectory, one.is_over, one.why = event.trajectory, True, event.why
            if not one.tokens.completion:
                one.tokens = self._nothing()
            return
        heard = list(event.heard)
        reply = self._turns.reply_ids(one.said, heard, one.tools, ids or ())
        one.tokens.heard(reply)
        one.said += heard


def check_groups(played: Sequence[Played], group: int) -> None:
    """Hold each group to one environment, one seed and one opening.

    Raises:
        TrainingError: the rows are no whole groups, or one's opening differs.
    """
    if len(played) % group:
        msg = f"{len(played)} plays are no whole groups of {group}"
        raise TrainingError(msg)
    for start in range(0, len(played), group):
        members = played[start : start + group]
        begun = [one for one in members if one.said]
        states = {(one.row.digest, one.row.seed) for one in members}
        openings = {tuple(one.tokens.prompt) for one in begun}
        if len(states) > 1 or len(openings) > 1:
            names = ", ".join(sorted({one.row.row_id for one in members}))
            msg = f"a group must start from one state, and this one does not: {names}"
            raise TrainingError(msg)
