"""A node of a lineage, and those of tables: manifests as they are stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from envplatform.cli.checkpoints import tables_of
from envplatform.errors import StoreError
from envplatform.learning.training.checkpoint import Checkpoint
from envplatform.store import Input, Manifest, Store

_SOURCE = "source:"
_SHOWN = 5

State = Literal["current", "superseded", "missing", "outside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One artefact and what it was made from."""

    kind: Literal[
        "environment",
        "candidate",
        "blueprint",
        "resource",
        "checkpoint",
        "table",
        "source",
    ]
    name: str
    """Id of what has one, asset of a table, name of a source."""
    partition: str | None = None
    digest: str
    """Empty for a candidate or blueprint, which is a row of a table."""
    state: State
    """`superseded`: the table is stored in another version by now; `missing`: not at
    all; `outside`: held by no table of this store.
    """
    revision: int | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    made_from: tuple["Node", ...] = ()


def manifest_of(store: Store, asset: str, partition: str | None) -> Manifest:
    """The manifest of a table.

    Raises:
        StoreError: it is not stored; says which partitions are.
    """
    manifest = store.manifest(asset, partition)
    if manifest is not None:
        return manifest
    keys = [each.partition for each in store.manifests(asset)]
    stored = ", ".join(str(key) for key in keys[:_SHOWN]) or "none"
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    what = f"no partition {partition!r}" if partition else "no table of its own"
    msg = f"{asset} has {what}; stored partitions (ASSET:PARTITION): {stored}{more}"
    raise StoreError(msg)


def table_node(store: Store, wanted: Input) -> Node:
    """Follow the version of a table that was used, as far as it is still stored."""
    if wanted.asset.startswith(_SOURCE):
        return Node(
            kind="source",
            name=wanted.asset.removeprefix(_SOURCE),
            partition=wanted.partition,
            digest=wanted.digest,
            state="outside",
        )
    manifest = store.manifest(wanted.asset, wanted.partition)
    if manifest is None or not manifest.is_input(wanted):
        return Node(
            kind="table",
            name=wanted.asset,
            partition=wanted.partition,
            digest=wanted.digest,
            state="missing" if manifest is None else "superseded",
        )
    return Node(
        kind="table",
        name=wanted.asset,
        partition=wanted.partition,
        digest=wanted.digest,
        state="current",
        revision=manifest.recipe.revision,
        notes=manifest.notes,
        made_from=tuple(table_node(store, part) for part in manifest.recipe.inputs),
    )


def checkpoint_node(
    store: Store, found: Checkpoint, made_from: tuple[Node, ...] = ()
) -> Node:
    """A checkpoint above its tables; `made_from` come before them.

    One that was trained on fixes names them.
    """
    record = found.record
    tables = tables_of(store, found.digest)
    is_of_fixes = record.kind == "sft_completion"
    return Node(
        kind="checkpoint",
        name=record.kind,
        digest=found.digest,
        state="current" if tables else "outside",
        facts={
            "base": f"{record.base.name} {record.base.digest[:12]}",
            "licence": record.base.licence or "not known",
            "rows": str(len(record.row_ids)),
            "steps": str(record.steps),
            **({"fixes": "\n".join(record.row_ids)} if is_of_fixes else {}),
        },
        made_from=(
            *made_from,
            *(table_node(store, manifest.as_input) for manifest in tables),
        ),
    )
