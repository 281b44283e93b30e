"""What decides whether a partition is up to date, and what it is made from."""

from collections.abc import Callable
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.batch import (
    Batch,
    PartitionResult,
    PartitionResults,
    Upstream,
    batch_asset,
)
from assets.partitions import rollout_batch, target_repo
from envplatform.configuration import Configuration
from envplatform.errors import StoreError
from envplatform.store import Store
from resources.configuration import ConfigurationResource
from resources.store import StoreResource
from tests.assets.numbers import Number
from tests.assets.runs import materialised, partitions, range_tags

KEYS = ["a", "bb", "ccc"]


def result(value: int = 1) -> PartitionResult:
    """One row."""
    return PartitionResult(rows=[Number(name="x", value=value)])


def run(
    instance: dg.DagsterInstance,
    home: Path,
    *assets: dg.AssetsDefinition,
    **resources: object,
) -> dg.ExecuteInProcessResult:
    """Materialise all partitions `a` to `ccc`."""
    instance.add_dynamic_partitions("target_repo", KEYS)
    return dg.materialize(
        list(assets),
        instance=instance,
        raise_on_error=False,
        resources={"store": StoreResource(home=str(home)), **resources},
        tags=range_tags("a", "ccc"),
    )


def named(batch: Batch[None]) -> PartitionResults:
    """One row a partition, called as it."""
    for key in batch.partitions:
        yield key, PartitionResult(rows=[Number(name=key, value=1)])


def asset(body: Callable[[Batch[None]], PartitionResults]) -> dg.AssetsDefinition:
    """An asset `numbers` of that body."""
    body.__name__ = "numbers"
    return batch_asset(
        row_type=Number, revision=1, group="test", partitions=target_repo
    )(body)


class Decided:
    """An asset of which each part of the recipe can be set, and its executions."""

    def __init__(self) -> None:
        self.revision = 1
        self.seeds = 0
        self.source = "s1"
        self.tool = "t1"
        self.part_by = ""
        self.executed: list[str] = []

    def asset(self) -> dg.AssetsDefinition:
        """The asset as it is declared now."""

        def sources(configuration: Configuration, key: str, _: Store) -> dict[str, str]:
            assert configuration.profile == "small"
            return {"file": self.source if key == "bb" else "same"}

        @batch_asset(
            row_type=Number,
            revision=self.revision,
            group="test",
            partitions=target_repo,
            settings=lambda configuration: configuration.synthesis.seed,
            sources=sources,
            tools=lambda resources: {"tool": f"{self.tool} {resources.flavour}"},
            part_by=self.part_by,
        )
        def decided(batch: Batch[int], flavour: str) -> PartitionResults:
            """Depends on all there is."""
            assert flavour == "plain"
            for key in batch.partitions:
                self.executed.append(key)
                yield key, result(batch.settings)

        return decided

    def run(self, instance: dg.DagsterInstance, home: Path) -> list[str]:
        """Run it under the configuration; returns what was executed."""
        file = home / "envplatform.toml"
        file.write_text(f"[synthesis]\nseed = {self.seeds}\n[rollouts]\nturns = 3\n")
        self.executed = []
        outcome = run(
            instance,
            home,
            self.asset(),
            configuration=ConfigurationResource(path=str(file)),
            flavour=dg.ResourceDefinition.hardcoded_resource("plain"),
        )
        assert outcome.success
        return self.executed


def test_each_part_of_the_recipe_decides(
    instance: dg.DagsterInstance, home: Path
) -> None:
    decided = Decided()
    assert decided.run(instance, home) == KEYS
    changes: list[tuple[str, Any, list[str]]] = [
        ("revision", 1, []),
        ("revision", 2, KEYS),
        ("seeds", 1, KEYS),
        ("tool", "t2", KEYS),
        ("source", "s2", ["bb"]),
        ("part_by", "name", KEYS),  # else what depends on a part would miss it
    ]
    for name, value, again in changes:
        setattr(decided, name, value)
        assert decided.run(instance, home) == again, name
    manifest = Store(home).manifest("decided", "bb")
    assert manifest is not None
    (source,) = manifest.recipe.inputs
    assert (source.asset, source.digest) == ("source:file", "s2")
    assert manifest.recipe.tools[0].version == "t2 plain"


def test_a_key_dropped_under_way_costs_no_other_its_record(
    instance: dg.DagsterInstance, home: Path
) -> None:
    @asset
    def numbers(batch: Batch[None]) -> PartitionResults:
        """Loses a key while it works, as to a sensor."""
        for key in batch.partitions:
            instance.delete_dynamic_partition("target_repo", "bb")
            yield key, result()

    outcome = run(instance, home, numbers)
    assert not outcome.success
    assert partitions(materialised(instance, "numbers")) == ["a", "ccc"]
    assert Store(home).manifest("numbers", "bb") is not None
    (failure,) = [event for event in outcome.all_events if event.is_step_failure]
    assert "1 of 3 partitions failed: bb" in str(failure.step_failure_data.error)
    assert run(instance, home, numbers).success


def test_a_run_that_is_terminated_records_what_is_done(
    instance: dg.DagsterInstance, home: Path
) -> None:
    """`Terminate` in the UI and signals come to a body as this exception."""

    @asset
    def numbers(batch: Batch[None]) -> PartitionResults:
        """Is ended at its last key."""
        for key in batch.partitions:
            if key == "ccc":
                raise dg.DagsterExecutionInterruptedError
            yield key, result()

    outcome = run(instance, home, numbers)
    assert not outcome.success
    assert partitions(materialised(instance, "numbers")) == ["a", "bb"]
    assert Store(home).failures("numbers") == ()


def test_a_source_that_cannot_be_read_fails_its_partition_alone(
    instance: dg.DagsterInstance, home: Path
) -> None:
    def sources(_: Configuration, key: str, __: Store) -> dict[str, str]:
        if key == "bb":
            message = "bb.toml: no such file"
            raise StoreError(message)
        return {}

    @batch_asset(
        row_type=Number,
        revision=1,
        group="test",
        partitions=target_repo,
        sources=sources,
    )
    def numbers(batch: Batch[None]) -> PartitionResults:
        """Reads files."""
        for key in batch.partitions:
            yield key, result()

    (home / "envplatform.toml").write_text("")
    configuration = ConfigurationResource(path=str(home / "envplatform.toml"))
    assert not run(instance, home, numbers, configuration=configuration).success
    assert partitions(materialised(instance, "numbers")) == ["a", "ccc"]
    (failure,) = Store(home).failures("numbers")
    assert failure.message == "bb.toml: no such file"


def test_a_changed_row_type_is_produced_again(
    instance: dg.DagsterInstance, home: Path
) -> None:
    executed: list[str] = []

    def declared(version: int) -> dg.AssetsDefinition:
        row_type = make_dataclass(
            "Row", [("value", int)], frozen=True, namespace={"SCHEMA_VERSION": version}
        )

        @batch_asset(
            row_type=row_type, revision=1, group="test", partitions=target_repo
        )
        def numbers(batch: Batch[None]) -> PartitionResults:
            """Rows of the current type."""
            for key in batch.partitions:
                executed.append(key)
                yield key, PartitionResult(rows=[row_type(value=1)])

        return numbers

    for version in (1, 1, 2):
        assert run(instance, home, declared(version)).success
    assert executed == KEYS * 2


def test_two_partition_sets_need_a_mapping() -> None:
    upstream = asset(named)
    with pytest.raises(StoreError, match="numbers is partitioned by another set"):
        batch_asset(
            row_type=Number,
            revision=1,
            group="test",
            partitions=rollout_batch,
            deps=[upstream],
        )


def collecting(
    upstream: dg.AssetsDefinition, mapping: dg.PartitionMapping
) -> dg.AssetsDefinition:
    """An asset by rollout batch that reads target repositories through `mapping`."""

    @batch_asset(
        row_type=Number,
        revision=1,
        group="test",
        partitions=rollout_batch,
        deps=[Upstream(asset=upstream, mapping=mapping)],
    )
    def collected(batch: Batch[None]) -> PartitionResults:
        """Rows of the mapped partitions."""
        for key in batch.partitions:
            yield key, PartitionResult(rows=batch.rows(Number, "numbers"))

    return collected


@pytest.mark.parametrize(
    ("mapping", "names"),
    [
        (dg.AllPartitionMapping(), ["a", "bb", "ccc"]),
        (dg.IdentityPartitionMapping(), None),
        (dg.LastPartitionMapping(), ["ccc"]),
    ],
)
def test_a_mapping_decides_what_is_read(
    mapping: dg.PartitionMapping,
    names: list[str] | None,
    instance: dg.DagsterInstance,
    home: Path,
) -> None:
    upstream = asset(named)
    run(instance, home, upstream)
    instance.add_dynamic_partitions("rollout_batch", ["first"])
    collected = collecting(upstream, mapping)
    outcome = dg.materialize(
        [upstream, collected],
        selection=["collected"],
        partition_key="first",
        instance=instance,
        raise_on_error=False,
        resources={"store": StoreResource(home=str(home))},
    )
    store = Store(home)
    if names is None:
        assert not outcome.success
        (failure,) = store.failures("collected")
        assert (
            failure.message
            == "numbers has no partition for 'first': materialise it first"
        )
    else:
        assert outcome.success
        rows = store.rows(Number, "collected", "first")
        assert [row.name for row in rows] == names
