"""Which stored tables go into one partition, and which of them are missing.

Mappings between different partition sets are explicit: Dagster infers the identity
between two dynamic ones without a word.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import dagster as dg

from envplatform.configuration import Configuration
from envplatform.errors import StoreError
from envplatform.store import Input, Store

NO_PARTITION: Final = dg.SpecificPartitionsPartitionMapping(partition_keys=[])
"""Of an upstream whose partitions `Upstream.named` picks: Dagster draws the edge, and
calls nothing out of date for partitions that were never read.
"""


class MissingUpstreamError(StoreError):
    """A partition can't be produced, because what it is made from is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """An asset whose tables another asset reads."""

    asset: dg.AssetsDefinition
    mapping: dg.PartitionMapping | None = None
    """Needed exactly where both are partitioned, by different sets."""
    by_part: bool = False
    """A partition reads only that part of one table which has its key as value."""
    optional: bool = False
    """Whether a partition can do without any table of it: others may serve as well."""
    named: Callable[[Configuration, str], Collection[str | None] | None] | None = None
    """From configuration and key to the partitions of it that are asked for, of which
    those that are not there are done without; None: all that belong to the key.
    """

    @property
    def name(self) -> str:
        """The store's name of the asset."""
        return self.asset.key.to_user_string()

    @property
    def as_dep(self) -> dg.AssetDep:
        """The dependency as Dagster takes it."""
        if self.mapping is None:
            return dg.AssetDep(self.asset)
        return dg.AssetDep(self.asset, partition_mapping=self.mapping)


@dataclass(frozen=True, slots=True)
class Reader:
    """Finds the upstream tables of one asset's partitions during one run."""

    store: Store
    instance: dg.DagsterInstance
    partitions: dg.PartitionsDefinition[str] | None
    """Of the asset that reads."""
    configuration: Configuration = field(default_factory=Configuration)
    """Names partitions of an upstream that is read by name."""

    def inputs(self, upstream: Sequence[Upstream], key: str) -> tuple[Input, ...]:
        """The current versions of all tables that go into partition `key`.

        Raises:
            MissingUpstreamError: names the asset and partition to materialise first.
        """
        return tuple(found for each in upstream for found in self._inputs(each, key))

    def partition_keys(self, upstream: Upstream, key: str) -> tuple[str, ...] | None:
        """Partitions of an upstream that belong to `key`; None: it has none."""
        theirs = upstream.asset.partitions_def
        if theirs is None:
            return None
        with dg.partition_loading_context(dynamic_partitions_store=self.instance):
            if _takes_all(self.partitions, upstream):
                return tuple(theirs.get_partition_keys())
            if upstream.mapping is None or self.partitions is None:
                return (key,)
            mapped = upstream.mapping.get_upstream_mapped_partitions_result_for_partitions(
                downstream_partitions_subset=self.partitions.subset_with_partition_keys(
                    [key]
                ),
                downstream_partitions_def=self.partitions,
                upstream_partitions_def=theirs,
            )
            return tuple(mapped.partitions_subset.get_partition_keys())

    def _inputs(self, upstream: Upstream, key: str) -> list[Input]:
        if upstream.by_part:
            return [self._part(upstream, key)]
        named = upstream.named(self.configuration, key) if upstream.named else None
        if named is not None:
            return self._named(upstream.name, named)
        return self._of_key(upstream, key)

    def _of_key(self, upstream: Upstream, key: str) -> list[Input]:
        keys = self.partition_keys(upstream, key)
        partitions: tuple[str | None, ...] = (None,) if keys is None else keys
        found, missing = [], []
        for partition in partitions:
            manifest = self.store.manifest(upstream.name, partition)
            if manifest is None or not self.store.is_complete(manifest):
                missing.append(partition)
            else:
                found.append(manifest.as_input)
        if upstream.optional and not found:
            return []
        # Who reads all there is does not wait for what failed.
        if missing and not (found and _takes_all(self.partitions, upstream)):
            raise MissingUpstreamError(_missing(upstream.name, missing))
        if not found:
            whose = f"for {key!r}" if key else "yet"
            msg = f"{upstream.name} has no partition {whose}: materialise it first"
            raise MissingUpstreamError(msg)
        return found

    def _named(self, name: str, partitions: Collection[str | None]) -> list[Input]:
        found = []
        for partition in partitions:
            manifest = self.store.manifest(name, partition)
            if manifest is None:
                continue
            if not self.store.is_complete(manifest):
                raise MissingUpstreamError(_missing(name, [partition]))
            found.append(manifest.as_input)
        return found

    def _part(self, upstream: Upstream, key: str) -> Input:
        manifest = self.store.manifest(upstream.name)
        if manifest is None or not self.store.is_complete(manifest):
            raise MissingUpstreamError(_missing(upstream.name, [None]))
        part = manifest.part_as_input(key)
        if part is None:
            msg = f"{upstream.name} has no row of {key!r}, by {manifest.part_by}"
            raise MissingUpstreamError(msg)
        return part


def check_mappings(
    partitions: dg.PartitionsDefinition[str] | None, upstream: Sequence[Upstream]
) -> None:
    """Refuse a mapping that Dagster would guess.

    Raises:
        StoreError: names the upstream whose mapping must be given.
    """
    for each in upstream:
        theirs = each.asset.partitions_def
        if theirs is None or partitions is None or theirs == partitions:
            continue
        if each.mapping is None:
            msg = (
                f"{each.name} is partitioned by another set: give Upstream a mapping,"
                " Dagster would take equal names for equal partitions"
            )
            raise StoreError(msg)


def _takes_all(
    partitions: dg.PartitionsDefinition[str] | None, upstream: Upstream
) -> bool:
    return partitions is None or isinstance(upstream.mapping, dg.AllPartitionMapping)


def _missing(name: str, partitions: Sequence[str | None]) -> str:
    if partitions == [None]:
        return f"{name} is not materialised: materialise it first"
    named = ", ".join(repr(partition) for partition in partitions[:5])
    more = f" and {len(partitions) - 5} more" if len(partitions) > 5 else ""  # noqa: PLR2004  named above
    return f"{name} lacks partition {named}{more}: materialise that first"
