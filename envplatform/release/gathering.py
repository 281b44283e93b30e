"""What of the store may be released: environments and trajectories, or why not.

Reads tables alone; whether an environment's directory is sound, and what it shares
with held-out texts, is seen when it is written.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration.release import ReleaseSettings
from envplatform.errors import ConfigError
from envplatform.interop.stored_trajectories import ASSET as ROLLOUTS
from envplatform.release.licences import why_not_licensed
from envplatform.release.members import LeftOut, Reason, Split
from envplatform.release.splits import Relative, Shares, splits_of
from envplatform.res.rows import LevelRow
from envplatform.store import Input, Store
from envplatform.trajectories import Trajectory
from envplatform.trajectories.rows import SelectedTrajectory

Row = TypeVar("Row")

PLAIN = ("swe_environments", "seed_environments", "cowork_environments")
"""Assets whose rows are environments."""
NESTED = ("res_lineages",)
"""Assets whose rows have one."""
SELECTED = "selected_trajectories"
ASSETS = (*PLAIN, *NESTED, SELECTED, ROLLOUTS)
"""All that a release reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The table that a row was taken from."""

    asset: str
    partition: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """An environment that may be released, by what its row says."""

    row: EnvironmentRow
    origin: Origin
    split: Split


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One trajectory that was selected, its record at hand."""

    trajectory: Trajectory
    batch: str
    experiments: tuple[str, ...]
    origin: Origin

    @property
    def id(self) -> str:
        """As members are called."""
        return f"{self.batch}/{self.trajectory.trajectory_id}"


@dataclass(slots=True, kw_only=True)
class Gathered:
    """Environments by id, and what fell away; grows while it is under way."""

    offered: list[Offered] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def stored_inputs(store: Store) -> tuple[Input, ...]:
    """The current versions of all tables that a release reads."""
    return tuple(one.as_input for name in ASSETS for one in store.manifests(name))


def check_experiments(inputs: Iterable[Input], settings: ReleaseSettings) -> None:
    """See that there is a selection of each experiment that is named.

    Raises:
        ConfigError: of one there is none; a release without it would be for good.
    """
    known = {one.partition or "" for one in _of(inputs, SELECTED)}
    missing = sorted(set(settings.experiments) - known)
    if missing:
        there = ", ".join(sorted(known)) or "none"
        msg = (
            f"[release] experiments names {missing[0]!r}, of which {SELECTED} has no "
            f"partition; there are: {there}"
        )
        raise ConfigError(msg)


def gather(
    store: Store, inputs: Sequence[Input], settings: ReleaseSettings
) -> Gathered:
    """Return the environments of these tables, each once, with their splits.

    Raises:
        StoreError: a table was replaced since, or is damaged.
    """
    found: dict[str, tuple[Relative, Origin]] = {}
    for relative, origin in _relatives(store, inputs):
        found.setdefault(relative.row.digest, (relative, origin))
    shares = Shares(
        validation=settings.validation_share,
        test=settings.test_share,
        seed=settings.split_seed,
    )
    splits = splits_of((relative for relative, _ in found.values()), shares)
    gathered, names = Gathered(), set[str]()
    for digest in sorted(
        found, key=lambda one: (found[one][0].row.environment_id, one)
    ):
        relative, origin = found[digest]
        left_out = _unfit(relative.row, names, settings)
        if left_out is not None:
            gathered.left_out.append(left_out)
            continue
        names.add(relative.row.environment_id)
        gathered.offered.append(
            Offered(row=relative.row, origin=origin, split=splits[digest])
        )
    return gathered


def selected_trajectories(
    store: Store,
    inputs: Sequence[Input],
    settings: ReleaseSettings,
    left_out: list[LeftOut],
) -> Iterator[Found]:
    """Yield what was selected, batch by batch; what has no record is left out.

    Raises:
        StoreError: a table was replaced since, or is damaged.
    """
    wanted = _wanted(store, inputs, settings)
    for used in sorted(_of(inputs, ROLLOUTS), key=lambda one: one.partition or ""):
        batch = used.partition or ""
        ids = wanted.pop(batch, {})
        if ids:
            origin = _origin(store, used)
            yield from _records(store, used, ids, origin)
            left_out += _lost(batch, ids)
    for batch, ids in sorted(wanted.items()):
        left_out += _lost(batch, ids)


def _relatives(
    store: Store, inputs: Iterable[Input]
) -> Iterator[tuple[Relative, Origin]]:
    for used in inputs:
        if used.asset in PLAIN:
            origin = _origin(store, used)
            for row in _rows(store, EnvironmentRow, used):
                yield Relative(row=row), origin
        elif used.asset in NESTED:
            origin = _origin(store, used)
            for level in _rows(store, LevelRow, used):
                above = tuple(one for one in (level.parent, level.root) if one)
                yield Relative(row=level.environment, ancestors=above), origin


def _rows(store: Store, row_type: type[Row], used: Input) -> Iterator[Row]:
    return store.scan(row_type, used.asset, used.partition, digest=used.digest)


def _origin(store: Store, used: Input) -> Origin:
    manifest = store.manifest(used.asset, used.partition)
    revision = manifest.recipe.revision if manifest is not None else 0
    return Origin(asset=used.asset, partition=used.partition or "", revision=revision)


def _of(inputs: Iterable[Input], asset: str) -> list[Input]:
    return [one for one in inputs if one.asset == asset]


def _unfit(
    row: EnvironmentRow, names: set[str], settings: ReleaseSettings
) -> LeftOut | None:
    def out(reason: Reason, detail: str) -> LeftOut:
        return LeftOut(
            kind="environment", id=row.environment_id, reason=reason, detail=detail
        )

    if not row.gated:
        bad = [one for one in row.checks if not one.endswith("=passed")]
        return out("not_gated", ", ".join(bad)[:300] or "no check of the gate ran")
    why = why_not_licensed(row.licence, settings)
    if why:
        return out("licence", why)
    if row.environment_id in names:
        return out("same_name", f"digest {row.digest}")
    return None


def _wanted(
    store: Store, inputs: Sequence[Input], settings: ReleaseSettings
) -> dict[str, dict[str, list[str]]]:
    """Batch to trajectory to the experiments that selected it."""
    wanted: dict[str, dict[str, list[str]]] = {}
    for used in sorted(_of(inputs, SELECTED), key=lambda one: one.partition or ""):
        experiment = used.partition or ""
        if settings.experiments and experiment not in settings.experiments:
            continue
        for row in _rows(store, SelectedTrajectory, used):
            if row.arm == "selected":
                ids = wanted.setdefault(row.batch, {})
                ids.setdefault(row.trajectory_id, []).append(experiment)
    return wanted


def _records(
    store: Store, used: Input, ids: dict[str, list[str]], origin: Origin
) -> Iterator[Found]:
    """Yield the records of these ids, the first of each; takes them out of `ids`."""
    for one in _rows(store, Trajectory, used):
        experiments = ids.pop(one.trajectory_id, None)
        if experiments is not None:
            yield Found(
                trajectory=one,
                batch=used.partition or "",
                experiments=tuple(experiments),
                origin=origin,
            )


def _lost(batch: str, ids: Iterable[str]) -> list[LeftOut]:
    detail = f"batch {batch} of rollouts has no such record any more"
    return [
        LeftOut(kind="trajectory", id=f"{batch}/{one}", reason="lost", detail=detail)
        for one in sorted(ids)
    ]
