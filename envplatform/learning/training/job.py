"""What each kind of training brings: its rows, its trainer, figures for the record.

Adding a kind: a module with a `Job`, and a line in `job_of`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from transformers import TrainerCallback

from envplatform.learning.training.base import Loaded
from envplatform.learning.training.messages import Say
from envplatform.learning.training.order import Packing, TrainingOrder
from envplatform.learning.training.record import ComponentPoint
from envplatform.learning.training.rows import LeftOut
from envplatform.learning.training.workfolder import WorkFolder


class Trains(Protocol):
    """A `transformers.Trainer` with `steady.Steady` before it."""

    say: Say
    state: Any
    """`transformers.TrainerState`."""

    def train(self, resume_from_checkpoint: str | None = None) -> object:
        """Train to the end."""

    def add_callback(self, callback: TrainerCallback) -> None:
        """Have one more told."""

    def remove_callback(self, callback: type[TrainerCallback]) -> None:
        """Have one less told."""


class Job(ABC):
    """One order with its rows, ready to be trained."""

    __slots__ = ()

    packing: Packing
    packing_refused: str

    @property
    @abstractmethod
    def row_ids(self) -> tuple[str, ...]:
        """Ids of the rows that are trained on."""

    @property
    @abstractmethod
    def left_out(self) -> tuple[LeftOut, ...]:
        """Rows that are not, and why."""

    @property
    @abstractmethod
    def examples(self) -> tuple[tuple[str, ...], ...]:
        """Ids of the rows that each step sees; their number is that of the steps."""

    @property
    @abstractmethod
    def tokens(self) -> int:
        """Read in all steps, without padding; known once training is done."""

    @property
    @abstractmethod
    def trained_tokens(self) -> int:
        """Of them those that were learnt."""

    @property
    def facts(self) -> Mapping[str, str]:
        """What else the record is to keep of how it was trained."""
        return {}

    @property
    def components(self) -> tuple[ComponentPoint, ...]:
        """Figures beside the loss, by step; known once training is done."""
        return ()

    @abstractmethod
    def trainer(self, folder: WorkFolder, micro_batch: int) -> Trains:
        """What trains `loaded.model` in place, with `arguments.common_arguments`."""


def job_of(order: TrainingOrder, loaded: Loaded) -> Job:
    """The job of an order.

    Raises:
        TrainingError: its rows can't be used.
    """
    match order.kind:
        case "sft_completion" | "sft_conversation":
            from envplatform.learning.training.sft import sft_job  # noqa: PLC0415

            return sft_job(order, loaded)
        case "grpo":
            from envplatform.learning.online.job import grpo_job  # noqa: PLC0415

            return grpo_job(order, loaded)
        case "distillation":
            from envplatform.learning.distillation.job import (  # noqa: PLC0415
                distillation_job,
            )

            return distillation_job(order, loaded)
