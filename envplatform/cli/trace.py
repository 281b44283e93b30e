"""`envplatform trace`: lineage from an environment or asset down to its sources.

Manifests are the truth; this reads nothing else.
"""

from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.tree import Tree

from envplatform.cli.find import ENVIRONMENTS, find_row
from envplatform.cli.output import Json, answer, clear_errors
from envplatform.cli.place import ConfigOption, find_place
from envplatform.errors import StoreError
from envplatform.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One artefact and what it was made from."""

    asset: str
    partition: str | None
    digest: str
    state: str
    """`current`, `superseded` (the stored version is another) or `source`."""
    revision: int | None
    notes: tuple[str, ...]
    made_from: tuple["Node", ...]


def trace(
    name: Annotated[
        str, typer.Argument(help="Environment id or digest, or ASSET[:PARTITION].")
    ],
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Follow the lineage of an artefact down to its sources."""
    with clear_errors(as_json=as_json):
        store = Store(find_place(config).home)
        node = lineage_of(store, *_asset_of(store, name))
    answer(node, as_json=as_json, show=lambda console: _show(console, node))


def lineage_of(store: Store, asset: str, partition: str | None) -> Node:
    """Follow the stored manifests from one table down.

    Raises:
        StoreError: nothing is stored there.
    """
    manifest = store.manifest(asset, partition)
    if manifest is None:
        msg = f"{asset} has nothing stored for partition {partition!r}"
        raise StoreError(msg)
    return _node(store, asset, partition, manifest.digest)


def _node(store: Store, asset: str, partition: str | None, digest: str) -> Node:
    manifest = store.manifest(asset, partition)
    if manifest is None or manifest.digest != digest:
        state = "source" if asset.startswith("source:") else "superseded"
        return Node(
            asset=asset,
            partition=partition,
            digest=digest,
            state=state,
            revision=None,
            notes=(),
            made_from=(),
        )
    return Node(
        asset=asset,
        partition=partition,
        digest=digest,
        state="current",
        revision=manifest.recipe.revision,
        notes=manifest.notes,
        made_from=tuple(
            _node(store, part.asset, part.partition, part.digest)
            for part in manifest.recipe.inputs
        ),
    )


def _asset_of(store: Store, name: str) -> tuple[str, str | None]:
    asset, _, partition = name.partition(":")
    if asset in store.assets():
        return asset, partition or None
    return ENVIRONMENTS, find_row(store, name).repository


def _show(console: Console, node: Node) -> None:
    tree = Tree(_label(node))
    _grow(tree, node)
    console.print(tree)


def _grow(tree: Tree, node: Node) -> None:
    for part in node.made_from:
        _grow(tree.add(_label(part)), part)


def _label(node: Node) -> str:
    where = f"{node.asset} {node.partition or ''}".strip()
    revision = f" revision {node.revision}" if node.revision is not None else ""
    notes = f" ({'; '.join(node.notes)})" if node.notes else ""
    return f"{where} {node.digest[:12]} {node.state}{revision}{notes}"
