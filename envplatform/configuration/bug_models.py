"""`[bug_models]` and `[synthesis.sampling]` of `envplatform.toml`: models of bugs.

Each table below `[bug_models]` is an experiment by name, a partition of the assets
`bug_model` and `pattern_model`.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from envplatform.configuration.section import (
    Experiments,
    Positive,
    Section,
)
from envplatform.configuration.training import (
    ExperimentTrainingSettings,
    Rate,
    StepSize,
    anchored_experiment,
)

Temperature = Annotated[float, Field(ge=0, le=2)]
SHOWN_CHARACTERS = 9_000


class LearnedSamplingSettings(Section):
    """`[synthesis.sampling]`: how the inducers `model` and `pattern` draw samples."""

    experiment: str = ""
    """Whose adapters answer, in a process here; empty: the servers of [bug_model] and
    [pattern_model].
    """
    samples: Positive = 4
    """Of each place in a file; the temperatures take turns."""
    temperatures: Annotated[tuple[Temperature, ...], Field(min_length=1)] = (
        0.4,
        0.8,
        1.0,
    )
    answer_tokens: Positive = 1_024
    shown_characters: Annotated[int, Field(ge=200)] = SHOWN_CHARACTERS
    """Of a file, line numbers included; of longer ones, what stands around a function. As
    many as in training: of more a model would be asked what it never saw.
    """
    attempts: Positive = 4
    """Samples drawn at most for each candidate that is wanted."""


class BugModelSettings(ExperimentTrainingSettings, StepSize):
    """`[bug_models.NAME]`: how the two models of one experiment are trained."""

    max_length: Annotated[int, Field(ge=2)] = 4_096
    """Tokens of the longest row; longer ones are left out and counted."""
    shown_characters: Annotated[int, Field(ge=200)] = SHOWN_CHARACTERS
    """Of code in one row, line numbers included."""
    rows: Positive | None = None
    """Trained on at most, the shortest ones; None: all that are drawn."""
    held_out_rows: Annotated[int, Field(ge=0)] = 16
    """Of held-back repositories, the shortest ones, whose likelihood is told before and
    after.
    """
    steps: Positive | None = None
    """Of the optimizer; None: as many as `epochs` take."""
    epochs: Positive = 1
    learning_rate: Rate = 2e-4
    packing: Literal["none", "bfd"] = "none"

    @model_validator(mode="after")
    def _has_no_sft(self) -> Self:
        if self.sft is not None:
            msg = "sft is of [training.NAME]; its keys stand here themselves"
            raise ValueError(msg)
        return self


class BugModelsSettings(Experiments[BugModelSettings]):
    """`[bug_models]`: experiments by name."""

    table_is = "an experiment is a table [bug_models.NAME]"


def anchored_bug_models(settings: BugModelsSettings, folder: Path) -> BugModelsSettings:
    """Make paths of models and templates absolute, from the configuration's folder."""
    return settings.model_copy(
        update={
            name: anchored_experiment(one, folder)
            for name, one in settings.experiments.items()
        }
    )
