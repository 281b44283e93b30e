"""The lineage of an environment or a table, followed down to its sources.

What an environment says of itself stands in its bundle, the rest in manifests; both
are read as they are stored. Nothing is printed here.
"""

from collections.abc import Mapping

from envplatform.bundle import Environment, environment_digest
from envplatform.cli.checkpoints import find_checkpoint, trained_environments
from envplatform.cli.find import find_environment, is_folder, stored_rows, table_of
from envplatform.cli.lineage_node import (
    Node,
    checkpoint_node,
    manifest_of,
    table_node,
)
from envplatform.cli.lineage_origins import blueprint_node, candidate_node
from envplatform.grading.kept import kept_environment
from envplatform.graph import ASSETS
from envplatform.learning.training.checkpoint import Checkpoint
from envplatform.store import Store


def lineage_of(store: Store, name: str) -> Node:
    """Follow `ASSET[:PARTITION]`, else a checkpoint or environment.

    Those by their folder or digest, environments by their id too.

    Raises:
        StoreError: nothing, or several things, are stored under that name.
        BundleError: the environment is not what its digest says.
    """
    asset, _, partition = name.partition(":")
    if asset in {*ASSETS, *store.assets()}:
        return table_node(store, manifest_of(store, asset, partition or None).as_input)
    checkpoint = find_checkpoint(store, name)
    if checkpoint is not None:
        return _checkpoint(store, checkpoint)
    environment, _ = find_environment(store, name)
    known = not is_folder(name)
    return _environment(store, environment, is_known=known)


def _checkpoint(store: Store, found: Checkpoint) -> Node:
    """Its table, the checkpoint it goes on from, and where its rows were played."""
    record = found.record
    environments = (
        _environment(store, kept_environment(store, row), is_known=True)
        for row in trained_environments(store, record)
    )
    parents = _parent_checkpoint(store, record.parent)
    return checkpoint_node(store, found, (*parents, *environments))


def _parent_checkpoint(store: Store, digest: str | None) -> tuple[Node, ...]:
    if digest is None:
        return ()
    found = find_checkpoint(store, digest)
    if found is not None:
        return (_checkpoint(store, found),)
    return (Node(kind="checkpoint", name="parent", digest=digest, state="missing"),)


def _environment(store: Store, environment: Environment, *, is_known: bool) -> Node:
    digest = environment_digest(environment)
    row = next((row for row in stored_rows(store) if row.digest == digest), None)
    made_from = [_origin(store, environment)]
    if row is not None:
        manifest = manifest_of(store, *table_of(row))
        made_from.append(table_node(store, manifest.as_input))
    return Node(
        kind="environment",
        name=environment.environment_id,
        digest=digest,
        state="current" if is_known or row is not None else "outside",
        facts=_facts(environment),
        made_from=tuple(made_from),
    )


def _origin(store: Store, environment: Environment) -> Node:
    """What an environment was made from, as it says itself."""
    lineage = environment.lineage
    if "candidate" in lineage.origin:
        return candidate_node(store, environment)
    if "level" in lineage.origin:
        return _parent(store, environment)
    if "blueprint" in lineage.origin:
        return blueprint_node(store, environment)
    return Node(
        kind="source",
        name=lineage.origin.get("seed", "unknown"),
        digest=lineage.parent or "",
        state="outside",
        facts={"producer": lineage.producer, **lineage.origin},
    )


def _parent(store: Store, child: Environment) -> Node:
    """The level above, itself followed down."""
    digest = child.lineage.parent or ""
    row = next((row for row in stored_rows(store) if row.digest == digest), None)
    if row is None:
        name = child.lineage.origin.get("seed", "unknown")
        return Node(kind="environment", name=name, digest=digest, state="missing")
    return _environment(store, kept_environment(store, row), is_known=True)


def _facts(environment: Environment) -> Mapping[str, str]:
    """Its facts; of a level also how it was made."""
    lineage = environment.lineage
    if "level" not in lineage.origin:
        return environment.core.facts
    return {
        "level": lineage.origin["level"],
        "operators": ", ".join(lineage.plan),
        "producer": lineage.producer,
        **environment.core.facts,
    }
