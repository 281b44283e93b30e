"""A store from which releases are made: tiny environments, rollouts, a selection."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from envplatform.bundle import Environment, environment_digest, write_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import ReleaseSettings
from envplatform.release.gathering import stored_inputs
from envplatform.release.making import Made, make
from envplatform.store import Origin, Recipe, Store
from envplatform.trajectories import Trajectory
from envplatform.trajectories.rows import SelectedTrajectory
from tests.bundle.sample import sample_environment
from tests.swe.small_repository import ENVIRONMENT_ROW
from tests.trajectories.made_record import record

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = datetime(2026, 2, 1, tzinfo=UTC)
SETTINGS = ReleaseSettings(validation_share=0.3, test_share=0.3)
GOAL = (
    "Reconcile the quarterly invoices against freight manifests, flag every shipment "
    "whose declared tonnage exceeds the vessel allowance, and sign the summary."
)


def origin(revision: int = 1) -> Origin:
    return Origin(created=NOW, recipe=Recipe(revision=revision))


def environment(name: str, **changes: Any) -> Environment:  # noqa: ANN401  fields
    """The sample under another name."""
    return replace(sample_environment(), environment_id=name, **changes)


def keep(store: Store, one: Environment, **row: Any) -> EnvironmentRow:  # noqa: ANN401
    """Keep an environment; return its row, which is of no repository."""
    folder = store.home / "written" / environment_digest(one)
    digest = write_environment(one, folder)
    store.put_directory("environments", digest, folder)
    plain = replace(
        ENVIRONMENT_ROW,
        environment_id=one.environment_id,
        candidate_id=one.environment_id,
        digest=digest,
        repository="",
        licence="MIT",
        kill_rate_criteria=1.0,
    )
    return replace(plain, **row)


def write_rows(
    store: Store,
    rows: Sequence[EnvironmentRow],
    *,
    asset: str = "seed_environments",
    partition: str = "p",
    revision: int = 1,
) -> None:
    store.write_rows(
        asset,
        rows,
        row_type=EnvironmentRow,
        partition=partition,
        origin=origin(revision),
    )


def write_rollouts(store: Store, rows: Sequence[Trajectory], *selected: str) -> None:
    """Write a batch, and that an experiment selected some of it."""
    store.write_rows(
        "rollouts", rows, row_type=Trajectory, partition="b", origin=origin()
    )
    chosen = [
        SelectedTrajectory(
            trajectory_id=one,
            batch="b",
            arm="selected",
            metric="reward",
            value=1.0,
            length=1,
            bin=0,
        )
        for one in selected
    ]
    store.write_rows(
        "selected_trajectories",
        chosen,
        row_type=SelectedTrajectory,
        partition="e",
        origin=origin(),
    )


def filled(home: Path) -> Store:
    """A store of three families and one repository, each of two environments.

    `t1` took place in the first; `t2` has no step.
    """
    store = Store(home)
    rows = [
        keep(store, environment(f"{family}-{number}"), family=family, pillar="cowork")
        for family in ("ledgers", "letters", "lists")
        for number in range(2)
    ]
    write_rows(store, rows, asset="cowork_environments")
    bugs = [
        keep(store, environment(f"bug-{number}"), repository="o__r")
        for number in range(2)
    ]
    write_rows(store, bugs, asset="swe_environments")
    first = record("t1", digest=rows[0].digest)
    silent = replace(record("t2", digest=rows[0].digest), steps=())
    write_rollouts(store, [first, silent, record("t3")], "t1", "t2", "t3", "gone")
    return store


def released(
    store: Store,
    settings: ReleaseSettings = SETTINGS,
    *,
    created: datetime = NOW,
) -> Made:
    """Release what is stored."""
    return make(store, stored_inputs(store), settings, created=created)
