"""`[training]` of `envplatform.toml`: where training runs, and what of each experiment.

Each table below `[training]` is an experiment by the name of a table of `[selection]`,
a partition of the assets that publish checkpoints.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from envplatform.configuration.rollouts import (
    EMBEDDED_STUDENT,
    SHIPPED_TEMPLATES,
)
from envplatform.configuration.section import (
    Experiments,
    Positive,
    Seconds,
    Section,
)

Rate = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]


class StepSize(Section):
    """How many examples one step of the optimizer sees."""

    batch: Positive = 8
    """Examples of one step."""
    micro_batch: Positive = 1
    """Of them at once; divides `batch`, and is halved where memory runs out."""

    @model_validator(mode="after")
    def _divides(self) -> Self:
        if self.batch % self.micro_batch:
            msg = f"micro_batch {self.micro_batch} must divide batch, {self.batch}"
            raise ValueError(msg)
        return self


class SFTSettings(StepSize):
    """`[training.NAME.sft]`: supervised training on what the experiment selected."""

    arm: Literal["selected", "control"] = "selected"
    """`control`: the draw by chance, as large."""
    rows: Positive | None = None
    """At most, drawn by `data_seed`; None: all."""
    exact_rows: Positive | None = None
    """Exactly so many, drawn of those that the model can read, so that arms of an
    experiment have as many; fewer are an error. None: all of them.
    """
    steps: Positive | None = None
    """Of the optimizer; None: as many as `epochs` take."""
    epochs: Positive = 1
    learning_rate: Rate = 1e-4
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup_steps: Annotated[int, Field(ge=0)] = 0
    packing: Literal["none", "bfd"] = "none"
    """`bfd`: several rows in one example, if the model reads them as if apart."""
    command: tuple[str, ...] = ()
    """A trainer of others in place of ours; `{order}`, `{rows}` and `{out}` stand for
    the files it is given and the folder for its adapter.
    """


class ExperimentTrainingSettings(Section):
    """`[training.NAME]`: the base model and adapter, and how it is trained in turn."""

    base: Annotated[str, Field(min_length=1)] = EMBEDDED_STUDENT
    """Folder of a Hugging Face model, a GGUF file, or `embedded`."""
    base_licence: str = ""
    """SPDX expression; empty: not known."""
    template: str = ""
    """A Jinja file in place of the model's own chat template, or `chatml_tools`, which
    ships; empty: its own.
    """
    dtype: Literal["float32", "bfloat16", "float16"] = "bfloat16"
    """Of the base's weights; adapters are float32."""
    device: Literal["cpu", "cuda"] = "cpu"
    attention: Literal["sdpa", "eager", "flash_attention_2"] = "sdpa"
    max_length: Annotated[int, Field(ge=2)] = 8_192
    """Tokens of the longest row; longer ones are left out and counted."""
    rank: Annotated[int, Field(ge=1, le=512)] = 16
    alpha: Positive = 32
    dropout: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0
    targets: str = "all-linear"
    gradient_checkpointing: bool = False
    checkpoint_every: Positive = 10
    """Steps; a killed training goes on from the last one."""
    threads: Positive = 1
    """More than one collapses beside other work."""
    seed: Seed = 0
    data_seed: Seed = 0
    sft: SFTSettings | None = None
    """None: nothing is trained on what was selected."""


class TrainingSettings(Experiments[ExperimentTrainingSettings]):
    """`[training]`: where it runs, and experiments by name."""

    table_is = "an experiment is a table [training.NAME]"

    runner: Literal["process", "docker"] = "process"
    image: str = ""
    """Of the container; it holds Python with envplatform[learning]'s packages."""
    gpus: Annotated[int, Field(ge=0, le=64)] = 0
    """Of the container."""
    timeout_seconds: Seconds = 86_400.0
    """Of one training."""

    @model_validator(mode="after")
    def _has_an_image(self) -> Self:
        if self.runner == "docker" and not self.image:
            msg = 'runner = "docker" needs the name of an `image`'
            raise ValueError(msg)
        return self


def anchored_training(settings: TrainingSettings, folder: Path) -> TrainingSettings:
    """Make paths of models and templates absolute, from the configuration's folder."""
    return settings.model_copy(
        update={
            name: anchored_experiment(one, folder)
            for name, one in settings.experiments.items()
        }
    )


def anchored_experiment(
    one: ExperimentTrainingSettings, folder: Path
) -> ExperimentTrainingSettings:
    """Make the paths of one experiment absolute."""
    changes = {}
    if one.base != EMBEDDED_STUDENT:
        changes["base"] = str(folder / one.base)
    if one.template and one.template not in SHIPPED_TEMPLATES:
        changes["template"] = str(folder / one.template)
    return one.model_copy(update=changes)
