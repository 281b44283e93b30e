"""Orders of GRPO over a tiny model, and a training of them with a player in memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from envplatform.learning.online.job import grpo_job
from envplatform.learning.online.player import Plays
from envplatform.learning.online.rows import write_play_rows
from envplatform.learning.online.settings import OnlineSettings
from envplatform.learning.training.fit import fit
from envplatform.learning.training.order import LoraSettings, TrainingOrder
from envplatform.learning.training.workfolder import WorkFolder
from envplatform.llm.chat import Message
from envplatform.trajectories import Trajectory
from envplatform.trajectories.playing import PlayerOrder, PlayRow
from tests.learning.made_elsewhere import student
from tests.learning.made_plays import EchoPlays, record, row

Event = Mapping[str, Any]


def order(
    folder: Path,
    rows: Sequence[PlayRow] = (row("a"), row("b")),
    *,
    settings: Mapping[str, Any] | None = None,
    **changes: Any,  # noqa: ANN401  any field
) -> TrainingOrder:
    """An order of two steps of two groups of two, with its rows in `folder`."""
    path = folder / "plays.jsonl"
    write_play_rows(path, rows)
    online = OnlineSettings(
        player=("false",),
        plays=PlayerOrder(home=folder, policy="trainee"),
        group=2,
        answer_tokens=12,
    )
    plain = TrainingOrder(
        kind="grpo",
        base=student(),
        rows=path,
        lora=LoraSettings(r=4, alpha=8),
        learning_rate=1e-2,
        steps=2,
        batch=4,
        micro_batch=2,
        max_length=400,
        dtype="float32",
        checkpoint_every=1,
        online=replace(online, **(settings or {})),
    )
    return replace(plain, **changes)


def by_length(message: Message) -> Trajectory:
    """A reward that differs within groups: by what was said last."""
    return record(len(message.content) % 7 / 7)


def plays_of(*, turns: int = 2) -> EchoPlays:
    """Plays that end after some turns; every other one is worth something."""
    turn, ended = count(1), count()
    return EchoPlays(
        ends=lambda _: next(turn) % turns == 0,
        rewards=lambda _: record(next(ended) % 2),
    )


def train(
    given: TrainingOrder,
    folder: Path,
    plays: Plays,
    *,
    after_step: Callable[[int], None] | None = None,
) -> tuple[Path, list[Event]]:
    """Train with this player; the result and what was told."""

    @contextmanager
    def opening() -> Iterator[Plays]:
        yield plays

    told: list[Event] = []
    result = fit(
        given,
        WorkFolder(folder),
        told.append,
        make_job=partial(grpo_job, opening=opening),
        after_step=after_step,
    )
    return result, told
