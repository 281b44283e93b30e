"""`[rollouts]` and `[selection]` of `envplatform.toml`: who acts where, and what is kept.

`[rollouts]` itself holds limits of one rollout; each table below it is a batch by name,
a partition of the asset `rollouts`. Each table below `[selection]` is an experiment.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from envplatform.configuration.harnesses import HarnessName, Perturbation
from envplatform.configuration.section import (
    Experiments,
    Positive,
    Seconds,
    Section,
    Share,
    Tables,
)

SHIPPED_TEMPLATES = frozenset({"chatml_tools"})
"""In place of a path: chat templates that come with the platform."""
EMBEDDED_STUDENT = "embedded"
"""In place of a path: the model that comes with the platform."""


class RolloutBatchSettings(Section):
    """`[rollouts.NAME]`: one policy in the environments that are chosen."""

    pillars: tuple[Literal["swe", "res", "cowork"], ...] = ()
    """Empty: all."""
    where: str = ""
    """SQL condition over the columns of the environments table; empty: all."""
    environments: Positive | None = None
    """At most, the first by digest; None: all."""
    harness: HarnessName = "tool_loop"
    perturbations: Annotated[tuple[Perturbation, ...], Field(min_length=1)] = ("none",)
    """Of `reference`: one rollout each."""
    model: str = ""
    """Name of the model that acts; empty: that of [model]."""
    base_url: str = ""
    """Its OpenAI-compatible server; empty: that of [model]."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    answer_tokens: Positive = 1_024
    """Of one turn, at most."""
    attempts: Positive = 1
    """Rollouts in one environment, each with a seed of its own."""
    seed: int = 0
    """Of the first attempt; the others follow it."""
    turns: Positive | None = None
    tool_calls: Positive | None = None
    tokens: Positive | None = None
    seconds: Seconds | None = None
    """Limits in place of those of [rollouts]."""

    @model_validator(mode="after")
    def _perturbs_references_only(self) -> Self:
        if self.harness != "reference" and self.perturbations != ("none",):
            msg = f"perturbations are of the harness reference, not of {self.harness}"
            raise ValueError(msg)
        return self


class RolloutSettings(Tables[RolloutBatchSettings]):
    """`[rollouts]`: limits of one rollout, how many at once, and batches by name."""

    table_is = "a batch is a table [rollouts.NAME]"

    turns: Positive = 20
    tool_calls: Positive = 100
    tokens: Positive = 60_000
    seconds: Seconds = 600.0
    command_seconds: Seconds = 60.0
    output_bytes: Positive = 20_000_000
    """Of all commands of one rollout together."""
    in_flight: Positive = 8
    """Rollouts under way at once; one that is served needs four sandboxes."""
    user_wording: Literal["template", "model"] = "template"
    """How users inside speak: as their plan has it, or reworded by [user_model]."""
    retries: Annotated[int, Field(ge=0)] = 2
    """Of a rollout that the sandbox or the model server failed."""
    may_lose: Share = 0.0
    """Share of a batch that may end without a record and is told of; more fails it."""

    @property
    def batches(self) -> Mapping[str, RolloutBatchSettings]:
        """The tables below it, by name."""
        return self.tables


class ThresholdSettings(Section):
    """A criterion that must reach a score."""

    criterion: str
    score: Share


class StudentSettings(Section):
    """`[selection.NAME.student]`: the model whose scores decide; it is to be trained."""

    model: Annotated[str, Field(min_length=1)]
    """Folder of a Hugging Face model, a GGUF file, or `embedded`."""
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Of weights and logits."""
    device: str = "cpu"
    """As torch names it."""
    template: str = ""
    """A Jinja file in place of the model's own chat template, or `chatml_tools`, which
    ships; empty: its own.
    """
    max_length: Positive | None = None
    """Tokens of the longest trajectory scored; None: what the model can read."""
    chunk: Positive = 128
    """Positions whose logits are in memory at once."""


class ExperimentSettings(Section):
    """`[selection.NAME]`: which trajectories are valid, and which of those are kept."""

    batches: tuple[str, ...] = ()
    """Of rollouts; empty: all."""
    reward: Share = 1.0
    """At least."""
    scores: tuple[ThresholdSettings, ...] = ()
    """Of further verifiers."""
    claims: Literal["if_made", "required"] = "if_made"
    metric: Literal["nll", "rsr", "reward", "length", "random"] = "nll"
    better: Literal["lower", "higher"] | None = None
    """None: higher of rewards, lower of all else."""
    keep: Share = 0.7
    """Of each bin."""
    bins: Positive = 4
    """By length, of as many trajectories each."""
    seed: int = 0
    """Of the random control."""
    student: StudentSettings | None = None
    """None: no trajectory is scored, and `metric` is one that needs no score."""

    @property
    def direction(self) -> Literal["lower", "higher"]:
        """Which end of the metric is kept."""
        return self.better or ("higher" if self.metric == "reward" else "lower")


class SelectionSettings(Experiments[ExperimentSettings]):
    """`[selection]`: experiments by name."""

    table_is = "an experiment is a table [selection.NAME]"


def anchored_selection(settings: SelectionSettings, folder: Path) -> SelectionSettings:
    """Make the paths of students absolute, from the configuration's folder."""
    return settings.model_copy(
        update={
            name: one.model_copy(update={"student": _anchored(one.student, folder)})
            for name, one in settings.experiments.items()
            if one.student is not None
        }
    )


def _anchored(student: StudentSettings, folder: Path) -> StudentSettings:
    changes = {}
    if student.model != EMBEDDED_STUDENT:
        changes["model"] = str(folder / student.model)
    if student.template and student.template not in SHIPPED_TEMPLATES:
        changes["template"] = str(folder / student.template)
    return student.model_copy(update=changes)
