"""What a run of an asset will cost, judged by what earlier ones cost in this store.

Figures of other assets than cowork's are those of their manifests, a partition's mean
times the partitions that are configured. Nothing is run here.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from types import MappingProxyType
from typing import Literal

from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import Configuration
from envplatform.errors import StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.llm.ledger import Ledger
from envplatform.store import Store

SAMPLE = 50
"""Environments whose size on disk is looked at."""

_BLOCK = 512
"""Bytes that `st_blocks` counts by, whatever the file system's own blocks are."""

Basis = Literal["measured", "default", "unknown"]
"""Measured in this store; a figure that ships, with its source; neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What is to be expected of one asset. None: nothing is known of it."""

    asset: str
    partitions: int | None
    """As configured; None where only a run can tell."""
    rows: int | None
    """That are to be expected; None where the configuration does not say."""
    seconds: float | None
    bytes: int | None
    """On disk: tables, and environments that their rows point to."""
    tokens: int | None
    usd: float | None
    basis: Basis
    source: str
    """Where the figures come from, and what they leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What models took for an asset so far."""

    tokens: int
    usd: float


def _targets(configuration: Configuration) -> int:
    return len(configuration.targets.builtin) + len(configuration.targets.files)


def _seeds(configuration: Configuration) -> int:
    return len(configuration.seeds.builtin) + len(configuration.seeds.folders)


def _grown(configuration: Configuration) -> int:
    return len(configuration.res.seeds) or _seeds(configuration)


def _batches(configuration: Configuration) -> int:
    return len(configuration.rollouts.batches)


def _experiments(configuration: Configuration) -> int:
    return len(configuration.selection.experiments)


def _evaluations(configuration: Configuration) -> int:
    return len(configuration.evaluation.experiments)


def _comparisons(configuration: Configuration) -> int:
    experiments = configuration.evaluation.experiments.values()
    return sum(one.compare is not None for one in experiments)


def _bug_models(configuration: Configuration) -> int:
    return len(configuration.bug_models.experiments)


def _trained(configuration: Configuration) -> int:
    return len(configuration.training.experiments)


def _played(configuration: Configuration) -> int:
    return len(configuration.grpo.experiments)


def _distilled(configuration: Configuration) -> int:
    return len(configuration.distillation.experiments)


def _with_arms(configuration: Configuration) -> int:
    return len(configuration.experiments.experiments)


def _shards(configuration: Configuration) -> int:
    return configuration.cowork.shards


PARTITIONS: Mapping[str, Callable[[Configuration], int | None]] = MappingProxyType(
    {
        "reverse_patches": lambda _: None,  # as many as the corpus has repositories
        "target_repositories": _targets,
        "bug_candidates": _targets,
        "verified_bugs": _targets,
        "swe_environments": _targets,
        "seed_environments": _seeds,
        "res_lineages": _grown,
        "res_ablations": _grown,
        "task_blueprints": _shards,
        "cowork_environments": _shards,
        "rollouts": _batches,
        "valid_trajectories": _experiments,
        "trajectory_scores": _experiments,
        "selected_trajectories": _experiments,
        "bug_model": _bug_models,
        "pattern_model": _bug_models,
        "sft_checkpoint": _trained,
        "grpo_checkpoint": _played,
        "distilled_checkpoint": _distilled,
        "arm_rollouts": _with_arms,
        "arm_comparisons": _with_arms,
        "benchmark_scores": _evaluations,
        "paired_evaluation": _comparisons,
    }
)
"""Partitioned assets, and how many partitions are configured of each."""


def partitions_of(asset: str, configuration: Configuration) -> int | None:
    """Return how many partitions are configured; 1 of an asset that has none."""
    count = PARTITIONS.get(asset)
    return 1 if count is None else count(configuration)


def stored_line(store: Store, asset: str, configuration: Configuration) -> Line:
    """Return an asset's line from its manifests."""
    wanted = partitions_of(asset, configuration)
    manifests = store.manifests(asset)
    if not manifests:
        return unknown_line(asset, wanted, "never materialised in this store")
    share = 1.0 if wanted is None else wanted / len(manifests)
    spent = spent_on(store, asset)
    sizes = sum(one.bytes for one in manifests) + _pointed_to(store, asset)
    what = f"{len(manifests)} partitions of this store, as they were last made"
    return Line(
        asset=asset,
        partitions=wanted,
        rows=round(sum(one.rows for one in manifests) * share),
        seconds=round(sum(one.cost.seconds for one in manifests) * share, 1),
        bytes=round(sizes * share),
        tokens=round(spent.tokens * share),
        usd=round(spent.usd * share, 4),
        basis="measured",
        source=f"{what}; results that were cached by then took no time",
    )


def unknown_line(asset: str, partitions: int | None, why: str) -> Line:
    """Return a line without figures."""
    return Line(
        asset=asset,
        partitions=partitions,
        rows=None,
        seconds=None,
        bytes=None,
        tokens=None,
        usd=None,
        basis="unknown",
        source=why,
    )


def _pointed_to(store: Store, asset: str) -> int:
    """Bytes of the environments that the rows of an asset point to."""
    kinds = {one.row_type for one in store.manifests(asset)}
    if kinds != {EnvironmentRow.__name__}:
        return 0
    rows = store.all_rows(EnvironmentRow, asset)
    return round((mean_size(store, rows) or 0) * len(rows))


def mean_size(store: Store, rows: Iterable[EnvironmentRow]) -> float | None:
    """Mean bytes on disk of some of them; None if none is there."""
    sizes = []
    for digest in [row.digest for row in rows][:SAMPLE]:
        try:
            sizes.append(_size(store.directory(DIRECTORY_KIND, digest)))
        except StoreError:  # deleted since
            continue
    return mean(sizes) if sizes else None


def _size(folder: Path) -> int:
    """Return what it takes on the disk, of which a file has whole blocks."""
    return sum(path.lstat().st_blocks * _BLOCK for path in (folder, *folder.rglob("*")))


def spent_on(store: Store, asset: str) -> Spent:
    """Sum up what the ledger has for an asset; replays cost nothing.

    Raises:
        StoreError: the ledger is damaged.
    """
    rows = [
        row
        for row in Ledger(store.home / "models" / "ledger.jsonl").rows()
        if row.asset == asset and not row.cached
    ]
    tokens = sum(row.prompt_tokens + row.completion_tokens for row in rows)
    return Spent(tokens=tokens, usd=sum(row.usd for row in rows))
