"""What decides the rows of evaluations: their settings, batches, and rollouts as they are."""

from collections.abc import Sequence
from typing import Any

from assets.batch import Batch
from assets.rollout_recipes import NESTED, PLAIN, batch_sources
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import (
    ComparisonSettings,
    Configuration,
    EvaluationSettings,
)
from envplatform.errors import ConfigError, StoreError
from envplatform.evaluation.attempts import RolloutRecord, Sorting
from envplatform.evaluation.contrast import check_protocols
from envplatform.evaluation.tasks import Task, tasks_of
from envplatform.res.rows import LevelRow
from envplatform.rollout.settings import plan_of
from envplatform.store import Store
from envplatform.store.values import digest_json

_ROLLOUTS = "rollouts"


def evaluation_of(configuration: Configuration, name: str) -> EvaluationSettings:
    """Return what is scored of an experiment; by default the batches it selects from.

    Raises:
        ConfigError: there is no experiment of this name.
    """
    evaluations = configuration.evaluation.experiments
    if name in evaluations:
        return evaluations[name]
    selections = configuration.selection.experiments
    if name in selections:
        return EvaluationSettings(batches=selections[name].batches)
    known = ", ".join(sorted({*evaluations, *selections})) or "none"
    msg = f"envplatform.toml has no [evaluation.{name}]; experiments: {known}"
    raise ConfigError(msg)


def scoring_sources(
    configuration: Configuration, name: str, _: Store
) -> dict[str, str]:
    """What is scored, and how."""
    settings = evaluation_of(configuration, name)
    said = settings.model_dump(mode="json", exclude={"compare"})
    return {"evaluation": digest_json(said)}


def comparison_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """What is held against what, and under which protocols; `none` where nothing is."""
    settings = evaluation_of(configuration, name)
    if settings.compare is None:
        return {"comparison": "none"}
    sides = (settings.compare.before, settings.compare.after)
    said = settings.model_dump(mode="json", include={"compare", "reward", "seed"})
    plans = [batch_sources(configuration, side, store) for side in sides]
    return {"comparison": digest_json({"settings": said, "plans": plans})}


def tasks_in(batch: Batch[Any]) -> dict[str, Task]:
    """Return all published environments as tasks, by digest."""
    there = {part.asset for part in _inputs(batch)}
    rows = [
        row
        for asset in PLAIN
        if asset in there
        for row in batch.scan(EnvironmentRow, asset)
    ]
    levels = [
        one for asset in NESTED if asset in there for one in batch.scan(LevelRow, asset)
    ]
    return tasks_of(rows, levels)


def sorted_rollouts(
    batch: Batch[Any], tasks: dict[str, Task], names: Sequence[str]
) -> Sorting:
    """Read the rollouts of some batches, of all if none is named.

    Raises:
        StoreError: a batch has none; names it.
    """
    there = [part.partition or "" for part in _inputs(batch) if part.asset == _ROLLOUTS]
    missing = [name for name in names if name not in there]
    if missing:
        known = ", ".join(there) or "none"
        msg = (
            f"batch {missing[0]!r} has no rollouts yet: materialise its partition of "
            f"rollouts first; there are: {known}"
        )
        raise StoreError(msg)
    sorting = Sorting(writers={name: task.writers for name, task in tasks.items()})
    for name in dict.fromkeys(names or there):
        sorting.add(name, batch.scan(RolloutRecord, _ROLLOUTS, only=[name]))
    return sorting


def check_sides(
    configuration: Configuration, store: Store, compare: ComparisonSettings
) -> None:
    """Refuse batches that differ in more than is compared, or have changed since.

    Raises:
        ConfigError: there is no such batch, or the protocols differ.
        StoreError: rollouts are not what envplatform.toml now says of their batch.
    """
    check_protocols(
        plan_of(configuration, compare.before),
        plan_of(configuration, compare.after),
        compare.kind,
    )
    for name in dict.fromkeys((compare.before, compare.after)):
        _check_current(configuration, store, name)


def _check_current(configuration: Configuration, store: Store, name: str) -> None:
    manifest = store.manifest(_ROLLOUTS, name)
    inputs = manifest.recipe.inputs if manifest else ()
    made_with = {part.digest for part in inputs if part.asset == "source:batch"}
    now = batch_sources(configuration, name, store)["batch"]
    if made_with and now not in made_with:
        msg = (
            f"[rollouts.{name}] has changed since its rollouts were made, so its "
            f"protocol is not theirs: materialise that partition of rollouts again"
        )
        raise StoreError(msg)


def _inputs(batch: Batch[Any]) -> Sequence[Any]:
    return batch.current.recipe.inputs if batch.current else ()
