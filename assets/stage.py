"""One run of a batch asset: what is cached, what to produce, what to tell Dagster."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import dagster as dg
from pydantic import BaseModel

from assets import provenance, shown
from assets.event_log import partitions_held
from assets.keeping import Bench, Task
from assets.upstream import Reader, Upstream
from assets.work import (
    WHOLE,
    Batch,
    PartitionResults,
    Product,
    work_through,
)
from envplatform.configuration import Configuration
from envplatform.errors import EnvPlatformError, StoreError
from envplatform.store import (
    Input,
    Manifest,
    Recipe,
    Store,
    record_of,
    tools_of,
)
from envplatform.store.values import digest_json

FORCE_TAG = "envplatform/force"
"""A run with this tag, of any value, produces its partitions anew."""

_PROGRESS_LINES = 20
"""Log lines of progress in one run at most: each is a row in the event log."""
_NAMED = 20
"""Bad partitions named in the headline of a failure; the metadata names all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What `batch_asset` was told."""

    body: Callable[..., PartitionResults]
    row_type: type[Any]
    revision: int
    partitions: dg.PartitionsDefinition[str] | None
    upstream: Sequence[Upstream]
    settings: Callable[[Configuration], Any] | None
    sources: Callable[[Configuration, str, Store], Mapping[str, str]] | None
    tools: Callable[[Any], Mapping[str, str]] | None
    holds: Callable[[Store, Manifest], bool] | None
    part_by: str = ""

    @property
    def body_resources(self) -> list[str]:
        """Resources that the body names after the batch."""
        return list(inspect.signature(self.body).parameters)[1:]

    @property
    def reads_configuration(self) -> bool:
        """Whether any part of the configuration decides the rows."""
        named = any(each.named is not None for each in self.upstream)
        return self.settings is not None or self.sources is not None or named

    @property
    def resource_names(self) -> set[str]:
        """All resources that a run needs."""
        own = {"store", "configuration"} if self.reads_configuration else {"store"}
        return own | set(self.body_resources)


class StageRun:
    """One run of a stage. Keeps what became of each partition until it is told."""

    def __init__(self, stage: Stage, context: dg.AssetExecutionContext) -> None:
        self._stage = stage
        self._context = context
        self._configuration = (
            context.resources.configuration.load()
            if stage.reads_configuration
            else Configuration()
        )
        partitioned = stage.partitions is not None
        self._keys = list(context.partition_keys) if partitioned else [WHOLE]
        self._bench = Bench(
            store=context.resources.store.open(),
            asset=context.asset_key.to_user_string(),
            row_type=stage.row_type,
            partitioned=partitioned,
            run_id=context.run.run_id,
            clock=lambda: datetime.now(UTC),
            part_by=stage.part_by,
        )
        self._reader = Reader(
            self._bench.store, context.instance, stage.partitions, self._configuration
        )
        self._products: dict[str, Product] = {}
        self._reasons: dict[str, str] = {}

    def compute(self) -> Iterator[Any]:
        """Produce what is out of date, then tell Dagster of every partition.

        Raises:
            dagster.Failure: some partitions are not there; it names them.
        """
        stage, context = self._stage, self._context
        # Before any work: later, the log may name versions that the work did not see.
        events = provenance.read_input_events(context.instance, stage.upstream)
        settings = stage.settings and stage.settings(self._configuration)
        tasks = self._tasks(settings)
        cached, todo = len(self._products), len(tasks)
        context.log.info("%d partitions to produce, %d up to date", todo, cached)
        resources = {
            name: getattr(context.resources, name) for name in stage.body_resources
        }
        try:
            work_through(
                lambda batch: stage.body(batch, **resources),
                Batch(
                    tasks, settings=settings, store=self._bench.store, log=context.log
                ),
                self._bench,
                self._report,
            )
        except (KeyboardInterrupt, dg.DagsterExecutionInterruptedError):
            # Of a signal, or `Terminate` in the UI: what is there stays, and is told.
            self._give_up_dropped()
            yield from self._materializations(events)
            raise
        self._give_up_dropped()
        if self._reasons:
            yield from self._tell_of_some(events)
        else:
            yield self._tell_of_all()

    def _tasks(self, settings: object) -> list[Task]:
        """Sort the run's keys into cached, failed already, and to be produced."""
        common = Recipe(
            revision=self._stage.revision,
            config_digest=digest_json(_as_json(settings)),
            tools=tools_of(
                self._stage.tools(self._context.resources) if self._stage.tools else {}
            ),
        )
        forced = FORCE_TAG in self._context.run.tags
        tasks = []
        for key in self._keys:
            try:
                recipe = self._recipe(common, key)
            except EnvPlatformError as error:
                self._bench.fail(key, str(error))
                self._report(key, str(error))
                continue
            manifest = None if forced else self._up_to_date(key, recipe)
            if manifest is None:
                tasks.append(Task(key=key, recipe=recipe))
            else:
                self._bench.clear(key)
                self._products[key] = Product(manifest=manifest, cached=True)
        return tasks

    def _recipe(self, common: Recipe, key: str) -> Recipe:
        sources = (
            self._stage.sources(self._configuration, key, self._bench.store)
            if self._stage.sources
            else {}
        )
        inputs = (
            *self._reader.inputs(self._stage.upstream, key),
            *(
                Input(asset=f"source:{name}", partition=None, digest=sources[name])
                for name in sorted(sources)
            ),
        )
        return Recipe(
            inputs=inputs,
            revision=common.revision,
            config_digest=common.config_digest,
            tools=common.tools,
        )

    def _up_to_date(self, key: str, recipe: Recipe) -> Manifest | None:
        """The stored table, if it is what `recipe` would produce and is there."""
        bench = self._bench
        try:
            manifest = bench.store.manifest(bench.asset, bench.partition(key))
            fits = manifest is not None and self._fits(manifest, recipe)
        except StoreError as error:
            self._context.log.warning("%s; it is produced again", error)
            return None
        return manifest if fits else None

    def _fits(self, manifest: Manifest, recipe: Recipe) -> bool:
        store, record = self._bench.store, record_of(self._stage.row_type)
        return (
            manifest.recipe.digest == recipe.digest
            and manifest.row_type == record.name
            and manifest.schema_version == record.version
            and manifest.part_by == self._stage.part_by
            and store.is_complete(manifest)
            and (self._stage.holds is None or self._stage.holds(store, manifest))
        )

    def _give_up_dropped(self) -> None:
        """Tell Dagster nothing of keys that are no more: it would record none at all.

        What was made of them is stored, and is found up to date if a key comes back.
        """
        partitions = self._stage.partitions
        if not isinstance(partitions, dg.DynamicPartitionsDefinition):
            return
        known = set(self._context.instance.get_dynamic_partitions(str(partitions.name)))
        for key in [key for key in self._products if key not in known]:
            del self._products[key]
            self._reasons[key] = "the key was dropped while the run was under way"

    def _report(self, key: str, outcome: Product | str) -> None:
        if isinstance(outcome, str):
            self._reasons[key] = outcome
        else:
            self._products[key] = outcome
        done, total = len(self._products) + len(self._reasons), len(self._keys)
        if done % max(1, total // _PROGRESS_LINES) == 0:
            bad = len(self._reasons)
            self._context.log.info("%d of %d partitions, %d failed", done, total, bad)

    def _tell_of_all(self) -> dg.Output[None]:
        """Record all partitions; Dagster then runs what follows."""
        with partitions_held(self._context.instance):
            for key in self._keys:
                metadata = shown.event_metadata(self._products[key])
                self._context.add_asset_metadata(metadata, partition_key=key or None)
        manifests = [product.manifest for product in self._products.values()]
        return provenance.output(manifests)

    def _tell_of_some(
        self, events: Mapping[str, provenance.InputEvents]
    ) -> Iterator[dg.AssetMaterialization]:
        """Record the good partitions one by one, then fail for the others."""
        yield from self._materializations(events)
        raise dg.Failure(
            description=self._headline(),
            metadata=shown.failure_metadata(self._reasons),
            allow_retries=False,
        )

    def _materializations(
        self, events: Mapping[str, provenance.InputEvents]
    ) -> Iterator[dg.AssetMaterialization]:
        for key in self._keys:
            if key in self._products:
                yield self._materialization(key, events)

    def _materialization(
        self, key: str, events: Mapping[str, provenance.InputEvents]
    ) -> dg.AssetMaterialization:
        product = self._products[key]
        return dg.AssetMaterialization(
            self._context.asset_key,
            partition=key,
            metadata=shown.event_metadata(product),
            tags=provenance.version_tags(
                product.manifest,
                code_version=str(self._stage.revision),
                upstream=self._stage.upstream,
                events=events,
                reader=self._reader,
            ),
        )

    def _headline(self) -> str:
        if self._stage.partitions is None:
            return f"{self._bench.asset}: {self._reasons[WHOLE]}"
        bad = list(self._reasons)
        named = ", ".join(bad[:_NAMED])
        more = f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
        return f"{len(bad)} of {len(self._keys)} partitions failed: {named}{more}"


def _as_json(settings: object) -> object:
    if isinstance(settings, BaseModel):
        return settings.model_dump(mode="json")
    return settings
