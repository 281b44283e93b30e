"""`[experiments]` of `envplatform.toml`: arms that differ in one thing, and their tasks.

Each table below it is an experiment by name, a partition of `arm_rollouts` and
`arm_comparisons`. What its arms were trained on stands elsewhere, under the names that
they give.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from envplatform.configuration.harnesses import ASKS_A_MODEL, HarnessName
from envplatform.configuration.rollouts import RolloutBatchSettings
from envplatform.configuration.section import Experiments, Section, check_names

FEWEST_ARMS = 2
Text = Annotated[str, Field(min_length=1, max_length=500)]
CheckpointKind = Literal["base", "sft", "grpo", "distilled"]


class ArmSettings(Section):
    """`[experiments.NAME.arms.ARM]`: which model acts, and how if not as the others."""

    training: Annotated[str, Field(min_length=1)]
    """Experiment that trained it: a table of [training], and what it selects."""
    checkpoint: CheckpointKind = "sft"
    """What of it acts: `base`, as it was before, or what one of the assets published."""
    harness: HarnessName | None = None
    """None: that of all."""
    against: str = ""
    """The arm that it is held against; empty: the experiment's control."""


class ArmExperimentSettings(Section):
    """`[experiments.NAME]`: a question, the tasks that answer it, and the arms."""

    question: Text
    size: Literal["plumbing", "evidence"] = "plumbing"
    """`plumbing`: small models and few tasks, to see that all of it runs. What comes of
    it is no answer, and says so.
    """
    control: str
    """The arm that each other one is held against."""
    rollouts: RolloutBatchSettings
    """The same tasks, limits and seeds for every arm. Neither model nor server: the
    arms bring theirs.
    """
    retained: RolloutBatchSettings | None = None
    """A general benchmark that must not get worse: further tasks, told apart."""
    reward: Annotated[float, Field(gt=0, le=1)] = 1.0
    """From which on a task is solved."""
    seed: int = 0
    """Of draws for intervals."""
    draws: Annotated[int, Field(ge=100, le=100_000)] = 2_000
    arms: Annotated[dict[str, ArmSettings], Field(min_length=FEWEST_ARMS)]

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        check_names(self.arms)
        if self.control not in self.arms:
            msg = f"control: there is no arm {self.control!r}; arms: {', '.join(self.arms)}"
            raise ValueError(msg)
        for tasks in (self.rollouts, self.retained):
            if tasks is not None and (tasks.model or tasks.base_url):
                msg = "model and base_url are the arms' own; leave them out"
                raise ValueError(msg)
        for name, arm in self.arms.items():
            other = arm.against or self.control
            if other not in self.arms or (arm.against and other == name):
                msg = f"arms.{name}.against: {other!r} is no other arm"
                raise ValueError(msg)
            harness = arm.harness or self.rollouts.harness
            if harness not in ASKS_A_MODEL:
                known = " or ".join(sorted(ASKS_A_MODEL))
                msg = f"arms.{name}: no model acts in {harness}; take {known}"
                raise ValueError(msg)
        self._check_apart()
        return self

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Each arm that is held against another, with that one, in their order."""
        return tuple(
            (name, arm.against or self.control)
            for name, arm in self.arms.items()
            if arm.against or name != self.control
        )

    def _check_apart(self) -> None:
        """Refuse two arms that are one.

        Raises:
            ValueError: names both.
        """
        seen: dict[tuple[str, str, str], str] = {}
        for name, arm in self.arms.items():
            kind = "" if arm.checkpoint == "base" else arm.training
            key = (arm.checkpoint, kind, arm.harness or self.rollouts.harness)
            if key in seen:
                msg = f"arms {seen[key]} and {name} do not differ"
                raise ValueError(msg)
            seen[key] = name


class ArmExperimentsSettings(Experiments[ArmExperimentSettings]):
    """`[experiments]`: experiments with arms, by name."""

    table_is = "an experiment is a table [experiments.NAME]"
