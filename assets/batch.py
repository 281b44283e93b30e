"""`batch_asset`, the one way to make an asset whose partitions can fail one by one.

A plain body records nothing if it raises, a body of several results records wrong
ones, and a body without an Output makes Dagster skip what follows and call it a
success; tests/assets/test_dagster_patterns.py pins all of it. So: each result goes to
the store at once; if all partitions are there, one Output with metadata for each; if
some are not, one event for each that is there, then a Failure that names the others.

This file is what asset modules import. One run of an asset is in `stage.py`, the loop
over partitions in `work.py`, lineage tags in `provenance.py`.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

import dagster as dg

from assets import shown
from assets.keeping import PartitionResult
from assets.stage import Stage, StageRun
from assets.upstream import Upstream, check_mappings
from assets.work import Batch, PartitionResults
from envplatform.configuration import Configuration
from envplatform.store import Manifest, Store

__all__ = [
    "Batch",
    "PartitionResult",
    "PartitionResults",
    "Upstream",
    "batch_asset",
]

_NOTHING: Final = cast("dg.DagsterType", dg.Nothing)  # typed as a class for annotations

P = ParamSpec("P")
S = TypeVar("S")
Body = Callable[Concatenate[Batch[S], P], PartitionResults]


def batch_asset(  # noqa: PLR0913  it declares all there is to say of an asset
    *,
    row_type: type[Any],
    revision: int,
    group: str,
    partitions: dg.PartitionsDefinition[str] | None = None,
    deps: Sequence[dg.AssetsDefinition | Upstream] = (),
    settings: Callable[[Configuration], S] | None = None,
    sources: Callable[[Configuration, str, Store], Mapping[str, str]] | None = None,
    tools: Callable[[Any], Mapping[str, str]] | None = None,
    holds: Callable[[Store, Manifest], bool] | None = None,
    part_by: str = "",
    backfill_policy: dg.BackfillPolicy | None = None,
    pool: str | None = None,
    kinds: frozenset[str] = frozenset(),
    owners: Sequence[str] = (),
) -> Callable[[Body[S, P]], dg.AssetsDefinition]:
    """Make an asset of a generator over `batch.partitions`.

    The body takes the batch first, then any Dagster resources by name. Its docstring
    describes the asset. A partition whose recipe (input versions, `revision`, settings,
    sources, tools) is that of the stored table is not produced again, but recorded; an
    upstream table that is missing fails only the partitions that need it.

    Args:
        row_type: the dataclass of the asset's rows.
        revision: raised by hand when the body, or what it calls, puts out other rows.
        group: in the UI.
        partitions: None for a single table.
        deps: assets whose tables it reads; `Upstream` where a mapping is needed.
        settings: the part of the configuration that decides the rows, a pydantic model
            or a JSON value; the body finds it as `batch.settings`.
        sources: from configuration, key and store to name and digest of what is read
            but held by no asset; the store is there for its download cache.
        tools: from Dagster's resources to name and version of what shapes the rows.
        holds: whether all that a stored table points to is still in the store; a
            table of which it does not hold is produced again.
        part_by: a text field; rows of one value are a part that others may depend on
            alone, see `Upstream.by_part`.
        backfill_policy: `multi_run(50)` or so for sandbox and model work; else all
            partitions of a backfill go into one run.
        pool: `docker`, `gpu` or `llm`.
        kinds: icons in the UI.
        owners: e-mail addresses or `team:...`.

    Raises:
        StoreError: `row_type` can't be stored, or a dependency lacks its mapping.
    """
    upstream = tuple(
        dep if isinstance(dep, Upstream) else Upstream(asset=dep) for dep in deps
    )
    check_mappings(partitions, upstream)

    def decorate(body: Body[S, P]) -> dg.AssetsDefinition:
        stage = Stage(
            body=body,
            row_type=row_type,
            revision=revision,
            partitions=partitions,
            upstream=upstream,
            settings=settings,
            sources=sources,
            tools=tools,
            holds=holds,
            part_by=part_by,
        )

        def compute(context: dg.AssetExecutionContext) -> Iterator[Any]:
            yield from StageRun(stage, context).compute()

        with warnings.catch_warnings():
            # Backfill policies are marked beta; the contract tests watch them for us.
            warnings.simplefilter("ignore", dg.BetaWarning)
            return dg.asset(
                name=body.__name__,
                description=inspect.getdoc(body),
                group_name=group,
                partitions_def=partitions,
                deps=[each.as_dep for each in upstream],
                backfill_policy=backfill_policy or dg.BackfillPolicy.single_run(),
                code_version=str(revision),
                metadata=shown.definition_metadata(row_type, body),
                required_resource_keys=stage.resource_names,
                dagster_type=_NOTHING,
                pool=pool,
                kinds=set(kinds),
                owners=list(owners),
            )(compute)

    return decorate
