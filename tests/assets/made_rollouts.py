"""A store with two lineages and what three solvers did in them; nobody ran anything."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from envplatform.bundle.row import EnvironmentRow
from envplatform.res.rows import LevelRow
from envplatform.store import Origin, Store
from envplatform.trajectories import Trajectory
from tests.evaluation.test_depth import ENVIRONMENT, level
from tests.trajectories.made_record import record

ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
SEEDS = ("ann", "bob")
DEPTH = 2


def digest_of(seed: str, depth: int) -> str:
    """Of an environment; says which."""
    return f"{seed}{depth}".ljust(64, "0")


def publish(store: Store) -> None:
    """Two seeds, each grown two levels deep."""
    for seed in SEEDS:
        rows = [
            replace(
                ENVIRONMENT,
                environment_id=f"seed.{seed}.level{depth}" if depth else f"seed.{seed}",
                digest=digest_of(seed, depth),
                candidate_id=seed,
                operator="sharding" if depth else "",
            )
            for depth in range(DEPTH + 1)
        ]
        levels = [
            replace(
                level(seed, depth, ""),
                environment=row,
                parent=digest_of(seed, depth - 1) if depth else "",
                root=digest_of(seed, 0),
            )
            for depth, row in enumerate(rows)
        ]
        _write(store, "seed_environments", rows[:1], EnvironmentRow, seed)
        _write(store, "res_lineages", levels, LevelRow, seed)


def rolled_out(
    seed: str,
    depth: int,
    reward: float | None,
    *,
    number: int = 0,
    **changes: Any,  # noqa: ANN401  fields of any type
) -> Trajectory:
    """A rollout of the model `m` in one of them."""
    made = replace(
        record(f"{seed}{depth}.{number}", digest=digest_of(seed, depth)),
        environment_id=f"seed.{seed}",
        seed=number,
        reward=reward,
    )
    return replace(made, **changes)


def keep_rollouts(store: Store, batch: str, rows: Iterable[Trajectory]) -> None:
    """Store a batch."""
    _write(store, "rollouts", list(rows), Trajectory, batch)


def _write(
    store: Store, asset: str, rows: Sequence[object], row_type: type, partition: str
) -> None:
    store.write_rows(asset, rows, row_type=row_type, partition=partition, origin=ORIGIN)
