"""The training kind `grpo`: rows of environments, groups of plays, one reward."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from datasets import Dataset
from trl.trainer.grpo_config import GRPOConfig

from envplatform.errors import TrainingError
from envplatform.learning.conversation import template_messages
from envplatform.learning.online.groups import Groups, Room
from envplatform.learning.online.grpo import (
    ROW,
    OnlineTrainer,
    knows_tools,
    read_calls,
    reward_function,
)
from envplatform.learning.online.player import LatePlays, Plays, opened_player
from envplatform.learning.online.rows import read_play_rows
from envplatform.learning.online.settings import OnlineSettings, Style
from envplatform.learning.online.stages import tool_set
from envplatform.learning.online.turns import Turns
from envplatform.learning.training.arguments import common_arguments
from envplatform.learning.training.base import Loaded
from envplatform.learning.training.job import Job
from envplatform.learning.training.order import Packing, TrainingOrder
from envplatform.learning.training.planning import steps_of
from envplatform.learning.training.record import ComponentPoint
from envplatform.learning.training.rows import LeftOut
from envplatform.learning.training.workfolder import WorkFolder
from envplatform.llm.chat import Tool
from envplatform.trajectories.playing import PLAY_ROW, PlayRow

Opening = Callable[[], AbstractContextManager[Plays]]
_COMPONENTS = ("verifiers/", "reward", "completions/mean_length", "tools/")
"""Beginnings of the names of figures that the record keeps."""


class GRPOJob(Job):
    """Rows that fit, and when each is played."""

    packing: Packing = "none"
    packing_refused: str = ""

    def __init__(
        self, order: TrainingOrder, loaded: Loaded, rows: "Rows", opening: Opening
    ) -> None:
        self._order = order
        self._loaded = loaded
        self._rows = rows
        self._opening = opening
        self._trainer: OnlineTrainer | None = None

    @property
    def row_ids(self) -> tuple[str, ...]:
        """Ids of the rows that are played."""
        return tuple(one.row_id for one in self._rows.kept)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Rows whose opening leaves no room for an answer."""
        return self._rows.left_out

    @property
    def examples(self) -> tuple[tuple[str, ...], ...]:
        """Ids of the rows that each step plays, each a group."""
        kept = self._rows.kept
        return tuple(tuple(kept[at].row_id for at in step) for step in self._rows.steps)

    @property
    def tokens(self) -> int:
        """Of openings and of what the policy said, in all steps."""
        counts = [one["num_tokens"] for one in self._history() if "num_tokens" in one]
        return int(counts[-1]) if counts else 0

    @property
    def trained_tokens(self) -> int:
        """What the policy said, in all steps."""
        means = (one.get("completions/mean_length", 0.0) for one in self._history())
        return sum(round(mean * self._order.batch) for mean in means)

    @property
    def components(self) -> tuple[ComponentPoint, ...]:
        """What each verifier said, on average, and how long plays were, by step."""
        return tuple(
            ComponentPoint(
                step=one["step"],
                figures={
                    name: float(one[name])
                    for name in sorted(one)
                    if name.startswith(_COMPONENTS)
                },
            )
            for one in self._history()
            if "loss" in one
        )

    @property
    def facts(self) -> Mapping[str, str]:
        """How plays were made and judged."""
        online = online_of(self._order)
        return {
            "beta": str(online.beta),
            "code weight": str(online.code_weight),
            "dialect": online.plays.dialect,
            "group": str(online.group),
            "style": self._rows.style,
            "temperature": str(online.temperature),
        }

    def trainer(self, folder: WorkFolder, micro_batch: int) -> OnlineTrainer:
        """What trains on plays, the way that the rows allow."""
        online, loaded = online_of(self._order), self._loaded
        turns = Turns(loaded.tokenizer, loaded.renderer)
        loaded.model.generation_config.eos_token_id = list(turns.stop_ids())
        calls_tools = self._rows.style == "environment_factory"
        room = self._rows.room if calls_tools else online.answer_tokens
        given: dict[str, Any] = {
            "model": loaded.model,
            "reward_funcs": reward_function(online.code_weight, online.group),
            "args": self._arguments(folder, micro_batch, room),
            "train_dataset": self._dataset(),
            "processing_class": loaded.tokenizer,
        }
        plays = LatePlays(self._opening)
        if calls_tools:
            read_calls(loaded.tokenizer, turns)
            made = OnlineTrainer.calling_tools(plays, self._rows.sets, **given)
        else:
            limits = Room(context=self._order.max_length, answer=online.answer_tokens)
            made = OnlineTrainer.playing(plays, Groups(plays, turns, limits), **given)
        self._trainer = made
        return made

    def _arguments(self, folder: WorkFolder, micro_batch: int, room: int) -> GRPOConfig:
        online = online_of(self._order)
        given = common_arguments(
            self._order, folder, steps=len(self._rows.steps), micro_batch=micro_batch
        )
        return GRPOConfig(
            **given,
            num_generations=online.group,
            max_completion_length=room,
            generation_kwargs={"max_new_tokens": online.answer_tokens},
            temperature=online.temperature,
            top_p=online.top_p,
            top_k=0,
            beta=online.beta,
            shuffle_dataset=False,
            remove_unused_columns=False,
        )

    def _dataset(self) -> Dataset:
        rows = [self._rows.kept[at] for step in self._rows.steps for at in step]
        columns: dict[str, list[Any]] = {
            "prompt": [template_messages(one.prompt) for one in rows],
            ROW: [PLAY_ROW.dump_json(one).decode() for one in rows],
            "digest": [one.digest for one in rows],
            "seed": [one.seed for one in rows],
        }
        if self._rows.style == "environment_factory":
            columns["environment"] = [tool_set(one.tools) for one in rows]
        return Dataset.from_dict(columns)

    def _history(self) -> list[dict[str, Any]]:
        return self._trainer.state.log_history if self._trainer else []


class Rows:
    """The rows of an order, held to what the model can read."""

    def __init__(self, order: TrainingOrder, loaded: Loaded) -> None:
        """Read, measure and order them.

        Raises:
            TrainingError: none is left, or they are fewer than one step plays.
        """
        online = online_of(order)
        loaded.tokenizer.chat_template = loaded.renderer.template  # TRL reads it there
        self.style: Style = style_of(order, loaded, read_play_rows(order.rows))
        turns = Turns(loaded.tokenizer, loaded.renderer)
        kept, left_out, longest = [], [], 0
        for row in read_play_rows(order.rows):
            length = len(turns.opening_ids(row.prompt, row.tools))
            if length + online.answer_tokens > order.max_length:
                left_out.append(_over_length(row, length, order))
                continue
            kept.append(row)
            longest = max(longest, length)
        self.kept, self.left_out = tuple(kept), tuple(left_out)
        self.room = order.max_length - longest
        """Tokens that every play has for all its turns."""
        self.sets: dict[str, tuple[Tool, ...]] = {
            tool_set(row.tools): row.tools for row in kept
        }
        self.steps = _steps(order, self.kept)


def grpo_job(
    order: TrainingOrder, loaded: Loaded, *, opening: Opening | None = None
) -> GRPOJob:
    """Read the rows of an order; `opening`: who plays, in place of the ordered process.

    Raises:
        TrainingError: the rows can't be played as ordered.
    """
    online, rows = online_of(order), Rows(order, loaded)
    patience = 1 if rows.style == "environment_factory" else online.plays.patience
    plays = replace(online.plays, patience=patience)
    return GRPOJob(
        order,
        loaded,
        rows,
        opening or (lambda: opened_player(online.player, plays)),
    )


def online_of(order: TrainingOrder) -> OnlineSettings:
    """What an order says of plays.

    Raises:
        TrainingError: nothing; it is of another kind.
    """
    if order.online is None:
        msg = f"an order of kind {order.kind} says nothing of plays"
        raise TrainingError(msg)
    return order.online


def style_of(order: TrainingOrder, loaded: Loaded, rows: tuple[PlayRow, ...]) -> Style:
    """Who runs the turns.

    Raises:
        TrainingError: the ordered way is none for these rows or this template.
    """
    online, spoken = online_of(order), any(row.has_user for row in rows)
    has_tools = online.plays.dialect == "tool_loop"
    is_fit = has_tools and not spoken and knows_tools(loaded.tokenizer)
    if online.style == "environment_factory" and not is_fit:
        why = "a user speaks in some environments" if spoken else "it knows no tools"
        msg = f"style: environment_factory can't be had, as {why}: take rollout_func"
        raise TrainingError(msg)
    if has_tools and not knows_tools(loaded.tokenizer):
        msg = (
            "dialect: tool_loop needs a chat template that writes tools and calls, and "
            f"that of {order.base.name} does not: take tool_loop_fenced, or name another"
        )
        raise TrainingError(msg)
    if online.style != "auto":
        return online.style
    return "environment_factory" if is_fit else "rollout_func"


def _steps(
    order: TrainingOrder, rows: tuple[PlayRow, ...]
) -> tuple[tuple[int, ...], ...]:
    """Full steps alone: a short one would be no whole groups of the batch."""
    group = online_of(order).group
    if order.batch % group:
        msg = f"batch: {order.batch} plays are no whole groups of {group}"
        raise TrainingError(msg)
    size = order.batch // group
    plan = replace(order, batch=size, micro_batch=1)
    found = steps_of([row.row_id for row in rows], plan) if rows else ()
    full = tuple(step for step in found if len(step) == size)
    if not full:
        msg = f"{len(rows)} rows fit the model, and a step plays {size}: give more rows"
        raise TrainingError(msg)
    return full


def _over_length(row: PlayRow, length: int, order: TrainingOrder) -> LeftOut:
    detail = f"{length} tokens before the first turn; max_length is {order.max_length}"
    return LeftOut(
        row_id=row.row_id, reason="over_length", detail=detail, length=length
    )
