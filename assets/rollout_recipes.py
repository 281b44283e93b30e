"""What decides the rows of rollouts and of what is selected from them."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Protocol

from assets.batch import Batch
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import Configuration, ExperimentSettings
from envplatform.errors import ConfigError
from envplatform.grading.runtime import ws_tree
from envplatform.res.rows import LevelRow
from envplatform.rollout.choosing import chosen, matching
from envplatform.rollout.plan import REVISION
from envplatform.rollout.settings import batch_of, plan_of
from envplatform.store import Store
from envplatform.store.values import digest_json
from envplatform.trajectories import Cut, Standards, Threshold
from envplatform.tree import tree_digest

PLAIN = ("swe_environments", "seed_environments", "cowork_environments")
"""Assets whose rows are environments."""
NESTED = ("res_lineages",)
"""Assets whose rows have one."""
_SELECTS = {"metric", "better", "keep", "bins", "seed"}
_JUDGES = {"batches", "reward", "scores", "claims"}


def batch_keys(configuration: Configuration) -> tuple[str, ...]:
    """Names of all batches."""
    return tuple(configuration.rollouts.batches)


def experiment_keys(configuration: Configuration) -> tuple[str, ...]:
    """Names of all experiments: those that select, then those that only evaluate."""
    selections = configuration.selection.experiments
    evaluations = configuration.evaluation.experiments
    return tuple(dict.fromkeys((*selections, *evaluations)))


def selecting_keys(configuration: Configuration) -> tuple[str, ...]:
    """Names of the experiments that select trajectories."""
    return tuple(configuration.selection.experiments)


def batch_sources(configuration: Configuration, name: str, _: Store) -> dict[str, str]:
    """What one batch is: changing another leaves its rows."""
    batch = batch_of(configuration, name).model_dump(mode="json")
    plan = plan_of(configuration, name)
    return {"batch": digest_json({"batch": batch, "plan": asdict(plan)})}


def rollout_code(_: object) -> dict[str, str]:
    """What acts and records, and what serves the environments."""
    return {"rollout": f"{REVISION}", "ws": tree_digest(ws_tree())}


def environments_of(
    batch: Batch[Any], configuration: Configuration, name: str
) -> tuple[tuple[EnvironmentRow, ...], Mapping[str, str]]:
    """Return the environments of a batch, and the digest of the root of each level.

    Raises:
        ConfigError: none fits.
        StoreError: the condition is wrong.
    """
    return environments_in(batch, batch_of(configuration, name))


class Chooses(Protocol):
    """Settings that choose among published environments."""

    @property
    def pillars(self) -> tuple[str, ...]:
        """Empty: all."""

    @property
    def where(self) -> str:
        """SQL condition; empty: all."""

    @property
    def environments(self) -> int | None:
        """At most; None: all."""


def environments_in(
    batch: Batch[Any], settings: Chooses
) -> tuple[tuple[EnvironmentRow, ...], Mapping[str, str]]:
    """Return the environments that settings choose, and the root of each level.

    Raises:
        ConfigError: none fits.
        StoreError: the condition is wrong.
    """
    there = (
        {part.asset for part in batch.current.recipe.inputs} if batch.current else {}
    )
    rows = [
        row
        for asset in PLAIN
        if asset in there
        for row in batch.scan(EnvironmentRow, asset)
    ]
    levels = [
        one for asset in NESTED if asset in there for one in batch.scan(LevelRow, asset)
    ]
    fitting = (
        matching(batch.store, settings.where, plain=PLAIN, nested=NESTED)
        if settings.where
        else None
    )
    found = chosen(
        [*rows, *(one.environment for one in levels)],
        pillars=settings.pillars,
        fitting=fitting,
        most=settings.environments,
    )
    return found, {one.environment.digest: one.root for one in levels}


def experiment_of(configuration: Configuration, name: str) -> ExperimentSettings | None:
    """Return how an experiment selects; None of one that does other things only.

    Raises:
        ConfigError: there is none of this name.
    """
    experiments = configuration.selection.experiments
    if name not in experiments and not _does_besides(configuration, name):
        known = ", ".join(sorted(experiments)) or "none"
        msg = f"envplatform.toml has no [selection.{name}]; there are: {known}"
        raise ConfigError(msg)
    return experiments.get(name)


def why_nothing(configuration: Configuration, name: str) -> str:
    """Say what an experiment does that selects nothing."""
    does = " and ".join(_does_besides(configuration, name))
    return (
        f"nothing to select: the experiment {name} only {does}; envplatform.toml has no "
        f"[selection.{name}]"
    )


def _does_besides(configuration: Configuration, name: str) -> list[str]:
    """What an experiment is configured to do besides selecting."""
    return [
        does
        for does, names in (
            ("evaluates", configuration.evaluation.experiments),
            ("trains models of bugs", configuration.bug_models.experiments),
        )
        if name in names
    ]


def where_it_selects(configuration: Configuration, name: str) -> tuple[()] | None:
    """Of `Upstream.named`: all rollouts, or none where an experiment selects nothing."""
    return None if name in configuration.selection.experiments else ()


def standards_sources(
    configuration: Configuration, name: str, _: Store
) -> dict[str, str]:
    """What one experiment asks of a trajectory; empty where it selects nothing."""
    settings = experiment_of(configuration, name)
    if settings is None:
        return {}
    return {"standards": digest_json(settings.model_dump(mode="json", include=_JUDGES))}


def selection_sources(
    configuration: Configuration, name: str, _: Store
) -> dict[str, str]:
    """How one experiment selects; empty where it selects nothing."""
    settings = experiment_of(configuration, name)
    if settings is None:
        return {}
    return {
        "selection": digest_json(settings.model_dump(mode="json", include=_SELECTS))
    }


def standards_of(settings: ExperimentSettings) -> Standards:
    """Return what is asked of a trajectory."""
    return Standards(
        reward=settings.reward,
        scores=tuple(
            Threshold(criterion=one.criterion, score=one.score)
            for one in settings.scores
        ),
        claims=settings.claims,
    )


def cut_of(settings: ExperimentSettings) -> Cut:
    """Return how much is kept, and of which end."""
    return Cut(keep=settings.keep, bins=settings.bins, better=settings.direction)
