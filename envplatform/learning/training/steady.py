"""What every trainer here does besides: whole checkpoints, finite losses, progress.

A mixin before a trainer of transformers or TRL. It changes no arithmetic.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from transformers import TrainerCallback

from envplatform.errors import TrainingError
from envplatform.learning.training.messages import Say
from envplatform.learning.training.workfolder import mark_complete


class Steady:
    """Mixin; stands before the trainer's class."""

    say: Say
    """Set before `train`."""
    args: Any
    state: Any
    model: Any

    def create_model_card(self, *args: object, **kwargs: object) -> None:
        """Write none: the record is the card, and this one asks a hub."""

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Tell a step, if its figures are numbers.

        Raises:
            TrainingError: loss or gradient are not.
        """
        if "loss" in logs:
            step = self.state.global_step
            for name in ("loss", "grad_norm"):
                if not math.isfinite(logs.get(name, 0.0)):
                    msg = (
                        f"the {name} of step {step} is {logs[name]}: lower "
                        "learning_rate or max_grad_norm, or train in float32"
                    )
                    raise TrainingError(msg)
            self.say(
                {
                    "event": "step",
                    "step": step,
                    "steps": self.state.max_steps,
                    "loss": logs["loss"],
                    "learning_rate": logs.get("learning_rate", 0.0),
                    "grad_norm": logs.get("grad_norm", 0.0),
                }
            )
        super().log(logs, start_time)  # type: ignore[misc]  # of the trainer

    def _save(
        self,
        output_dir: str | None = None,
        state_dict: object = None,  # noqa: ARG002  its base's
    ) -> None:
        """Save the adapter alone: base and embeddings stay, and no hub is asked."""
        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(str(folder), save_embedding_layers=False)

    def _save_checkpoint(self, model: object, trial: object) -> None:
        """Save, and only then say that all of it is there.

        Raises:
            TrainingError: it can't be written, as on a full disk.
        """
        step, root = self.state.global_step, Path(self.args.output_dir)
        try:
            super()._save_checkpoint(model, trial)  # type: ignore[misc]  # as above
            mark_complete(root / f"checkpoint-{step}")
        except (OSError, RuntimeError, SafetensorError) as error:
            msg = (
                f"the checkpoint after step {step} can't be written to {root}: {error}; "
                "make room and train again: it goes on from the last whole one"
            )
            raise TrainingError(msg) from error


class OnStep(TrainerCallback):  # type: ignore[misc]  # transformers is not followed
    """Calls a function with the number of each step that is done."""

    def __init__(self, done: Callable[[int], None]) -> None:
        self._done = done

    def on_step_end(
        self,
        args: object,  # noqa: ARG002  its base's, as the next ones
        state: Any,  # noqa: ANN401
        control: object,  # noqa: ARG002
        **_: object,
    ) -> None:
        """Pass the step on."""
        self._done(state.global_step)
