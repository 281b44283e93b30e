"""Group `evaluation`: the data set that leaves the house. Making it is in the library."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.bugs import swe_environments
from assets.cowork import cowork_environments
from assets.levels import res_lineages
from assets.lineages import seed_environments
from assets.pictures import counts_table
from assets.rollouts import rollouts
from assets.selection import selected_trajectories
from envplatform.configuration import Configuration, ReleaseSettings
from envplatform.errors import ConfigError
from envplatform.release.gathering import ASSETS
from envplatform.release.making import REVISION, Made, NothingToReleaseError, make
from envplatform.release.manifest import read_members
from envplatform.release.members import LeftOut, Member
from envplatform.release.shelf import shelf_of, version_of
from envplatform.release.verifying import damages
from envplatform.store import Fact, Manifest, Store
from envplatform.store.files import sha256_of

_VERSION = "version"
_READ = (
    swe_environments,
    seed_environments,
    cowork_environments,
    res_lineages,
    rollouts,
    selected_trajectories,
)


def release_settings(configuration: Configuration) -> ReleaseSettings:
    """What decides what leaves; of hash files their content counts, not their place."""
    return configuration.release


def held_out_digests(configuration: Configuration, _: str, __: Store) -> dict[str, str]:
    """Digests of the user's hash files.

    Raises:
        ConfigError: one can't be read.
    """
    try:
        return {
            f"held out {number}": sha256_of(Path(file))
            for number, file in enumerate(configuration.release.held_out_files)
        }
    except OSError as error:
        msg = f"[release] held_out_files: {error}"
        raise ConfigError(msg) from error


def release_is_whole(store: Store, manifest: Manifest) -> bool:
    """Whether the release that a table is about is still what it was."""
    version = str(manifest.facts.get(_VERSION, ""))
    if not manifest.rows or not version:
        return not manifest.rows
    number, shelf = version_of(version), shelf_of(store)
    return number in shelf.versions and not damages(shelf.folder(number))


@batch_asset(
    group="evaluation",
    row_type=Member,
    revision=REVISION,
    deps=[Upstream(asset=asset, optional=True) for asset in _READ],
    settings=release_settings,
    sources=held_out_digests,
    holds=release_is_whole,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def release(batch: Batch[ReleaseSettings]) -> PartitionResults:
    """An immutable, versioned data set of gated environments and selected trajectories.

    Rows are its members; the files lie in the version's folder. What was left out, by
    licence, held-out texts or damage, is counted and named.
    """
    for whole in batch.partitions:
        inputs = batch.current.recipe.inputs if batch.current else ()
        read = [one for one in inputs if one.asset in ASSETS]
        try:
            made = make(batch.store, read, batch.settings, created=datetime.now(UTC))
        except NothingToReleaseError as error:
            yield whole, PartitionResult(rows=(), notes=(str(error),))
            continue
        yield (
            whole,
            PartitionResult(
                rows=read_members(made.folder),
                metadata=_facts(made),
                markdown={
                    "splits": counts_table(_splits(made), of="split"),
                    "left out table": counts_table(_reasons(made.ledger.left_out)),
                },
                notes=made.release.notes,
            ),
        )


def _facts(made: Made) -> dict[str, Fact]:
    counts = made.release.counts
    return {
        _VERSION: f"v{made.release.version}",
        "made anew": made.is_new,
        "digest of the release": made.release.digest,
        "environments": counts.environments,
        "trajectories": counts.trajectories,
        "left out": counts.left_out,
        "folder": str(made.folder),
    }


def _splits(made: Made) -> Mapping[str, int]:
    ledger, found = made.ledger, dict[str, int]()
    for kind, counted in (
        ("environments", ledger.pillars),
        ("trajectories", ledger.policies),
    ):
        for (_, split), count in sorted(counted.items()):
            name = f"{split} {kind}"
            found[name] = found.get(name, 0) + count
    return found


def _reasons(left_out: list[LeftOut]) -> Mapping[str, int]:
    found = dict[str, int]()
    for one in left_out:
        name = f"{one.kind}: {one.reason.replace('_', ' ')}"
        found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))
