"""`[grpo]` and `[distillation]` of `envplatform.toml`: training on what a policy plays.

Each table below is of the experiment of that name: base, template and adapter are those
of its `[training.NAME]`, and the checkpoint that it goes on from is that of its
`sft_checkpoint`.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from envplatform.configuration.section import (
    Experiments,
    Positive,
    Seconds,
)
from envplatform.configuration.training import Rate, Seed, StepSize

Finite = Annotated[float, Field(gt=0, allow_inf_nan=False)]
EMBEDDED = "embedded"


class StepSettings(StepSize):
    """What both kinds say of their steps."""

    goes_on_from: Literal["sft", "base"] = "sft"
    """Checkpoint of the same experiment, or the base with a fresh adapter."""
    steps: Positive = 10
    learning_rate: Rate = 1e-5
    max_length: Annotated[int, Field(ge=2)] = 4_096
    """Tokens of a whole rollout."""
    checkpoint_every: Positive = 1
    """Steps; a killed training goes on from the last one."""
    seed: Seed = 0


class GrpoSettings(StepSettings):
    """`[grpo.NAME]`: environments that are played in groups, and what a play may use."""

    pillars: tuple[Literal["swe", "res", "cowork"], ...] = ()
    """Empty: all."""
    where: str = ""
    """SQL condition over the columns of the environments table; empty: all."""
    environments: Positive | None = None
    """At most, the first by digest; None: all."""
    harness: Literal["tool_loop", "tool_loop_fenced"] = "tool_loop"
    style: Literal["auto", "environment_factory", "rollout_func"] = "auto"
    """TRL's way: it calls tools itself, or rollouts are played for it."""
    group: Annotated[int, Field(ge=2, le=1_024)] = 4
    """Plays of one environment from one state; divides `batch`."""
    answer_tokens: Positive = 512
    """Of one turn, at most."""
    temperature: Annotated[Finite, Field(le=10)] = 1.0
    top_p: Rate = 1.0
    beta: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Of the divergence from where the training began; 0: none is computed."""
    code_weight: Annotated[float, Field(gt=0, lt=1)] = 0.5
    """w in code^w * judge^(1-w)."""
    turns: Positive = 20
    tool_calls: Positive = 100
    seconds: Seconds = 600.0

    @model_validator(mode="after")
    def _is_whole_groups(self) -> Self:
        if self.batch % self.group:
            msg = f"group {self.group} must divide batch, {self.batch}"
            raise ValueError(msg)
        return self


class DistilSettings(StepSettings):
    """`[distillation.NAME]`: whose distributions are learnt, and where."""

    teacher: Annotated[str, Field(min_length=1)]
    """Folder of a Hugging Face model, a GGUF file, or `embedded`; of the student's
    vocabulary.
    """
    teacher_training: str = ""
    """Experiment whose `sft_checkpoint` over that model teaches; empty: the model as it
    is.
    """
    on: Literal["rollouts", "single_turns"] = "rollouts"
    """Over the student's recorded rollouts, or over answers that it gives now to their
    openings, without tools.
    """
    batches: Annotated[tuple[str, ...], Field(min_length=1)]
    """Of rollouts that the student played."""
    answer_tokens: Positive = 256
    temperature: Annotated[Finite, Field(le=10)] = 1.0
    chunk: Positive = 128
    """Positions whose logits are in memory at once."""


class GrposSettings(Experiments[GrpoSettings]):
    """`[grpo]`: tables by experiment."""

    table_is = "an experiment is a table [grpo.NAME]"


class DistilsSettings(Experiments[DistilSettings]):
    """`[distillation]`: tables by experiment."""

    table_is = "an experiment is a table [distillation.NAME]"


def anchored_distillation(settings: DistilsSettings, folder: Path) -> DistilsSettings:
    """Make the paths of teachers absolute, from the configuration's folder."""
    return settings.model_copy(
        update={
            name: one.model_copy(update={"teacher": str(folder / one.teacher)})
            for name, one in settings.experiments.items()
            if one.teacher != EMBEDDED
        }
    )
