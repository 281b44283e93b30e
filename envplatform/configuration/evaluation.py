"""`[evaluation]` and `[realism]` of `envplatform.toml`: what is scored, and who reviews.

Each table below `[evaluation]` is of the experiment of that name: a partition of
`benchmark_scores` and `paired_evaluation`.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from envplatform.configuration.section import (
    Experiments,
    Positive,
    Section,
)

ComparisonKind = Literal["harness", "training", "transformed"]
"""What differs: the harness; the model, before and after training; the environment, a
root and what was grown from it.
"""
FEWEST_REVIEWERS = 3
Name = Annotated[str, Field(min_length=1)]


class ComparisonSettings(Section):
    """`[evaluation.NAME.compare]`: one batch of rollouts held against another."""

    kind: ComparisonKind
    before: Name
    """Batch of rollouts."""
    after: Name
    """Another one, or the same: then policies differ, or roots and children do."""
    before_policy: str = ""
    """Needed where the batch has several: `reference+skip_step`, a model's name."""
    after_policy: str = ""

    @model_validator(mode="after")
    def _has_two_sides(self) -> Self:
        one = (self.before, self.before_policy)
        other = (self.after, self.after_policy)
        if self.kind != "transformed" and one == other:
            msg = f"before and after are both {self.before!r}: there is no difference"
            raise ValueError(msg)
        return self


class EvaluationSettings(Section):
    """`[evaluation.NAME]`: what is scored, and what is held against what."""

    batches: tuple[Name, ...] = ()
    """Of rollouts; empty: all."""
    reward: Annotated[float, Field(gt=0, le=1)] = 1.0
    """From which on a task is solved."""
    ks: Annotated[tuple[Positive, ...], Field(min_length=1)] = (1,)
    """For Pass@k and Pass^k."""
    seed: int = 0
    """Of draws for intervals."""
    draws: Annotated[int, Field(ge=100, le=100_000)] = 2_000
    compare: ComparisonSettings | None = None
    """None: nothing is compared."""


class EvaluationsSettings(Experiments[EvaluationSettings]):
    """`[evaluation]`: evaluations by the name of their experiment."""

    table_is = "an evaluation is a table [evaluation.NAME]"


class RealismSettings(Section):
    """`[realism]`: bugs of ours beside real ones, and who tells them apart."""

    reviewers: tuple[Name, ...] = ()
    """Names; three at least, or nobody."""
    pairs: Positive = 30
    """At most."""
    seed: int = 0
    """Of the draw of pairs, and of which bug stands on the left."""
    majority: Annotated[float, Field(ge=0.5, lt=1)] = 0.5
    """A pair counts as taken for real where more than this share of its votes say so."""

    @model_validator(mode="after")
    def _are_enough(self) -> Self:
        names = [name.casefold() for name in self.reviewers]
        if len(set(names)) != len(names):
            msg = "a reviewer is named twice"
            raise ValueError(msg)
        if names and len(names) < FEWEST_REVIEWERS:
            msg = f"{len(names)} reviewers; a majority needs {FEWEST_REVIEWERS}"
            raise ValueError(msg)
        return self
