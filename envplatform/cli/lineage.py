"""The lineage of an environment or a table, followed down to its sources.

What an environment says of itself stands in its bundle, the rest in manifests; both
are read as they are stored. Nothing is printed here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from envplatform.bundle import Environment, environment_digest
from envplatform.cli.checkpoints import (
    find_checkpoint,
    tables_of,
    trained_environments,
)
from envplatform.cli.find import find_environment, is_folder, stored_rows, table_of
from envplatform.cli.why_cowork import BLUEPRINTS
from envplatform.cowork.blueprint import Blueprint, shard_of
from envplatform.cowork.library import LIBRARY, Library, ResourceRow
from envplatform.errors import StoreError
from envplatform.grading.kept import kept_environment
from envplatform.graph import ASSETS
from envplatform.learning.training.checkpoint import Checkpoint
from envplatform.store import Input, Manifest, Store
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.inducers.mined.pattern import BugPattern

_SOURCE, _PATTERNS = "source:", "mined_patterns"
_FACT = "fact "
"""Begins what the origin of a cowork environment calls a pointer into the library."""
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


def lineage_of(store: Store, name: str) -> Node:
    """Follow `ASSET[:PARTITION]`, else a checkpoint or environment.

    Those by their folder or digest, environments by their id too.

    Raises:
        StoreError: nothing, or several things, are stored under that name.
        BundleError: the environment is not what its digest says.
    """
    asset, _, partition = name.partition(":")
    if asset in {*ASSETS, *store.assets()}:
        return _table(store, _manifest(store, asset, partition or None).as_input)
    checkpoint = find_checkpoint(store, name)
    if checkpoint is not None:
        return _checkpoint(store, checkpoint)
    environment, _ = find_environment(store, name)
    known = not is_folder(name)
    return _environment(store, environment, is_known=known)


def _checkpoint(store: Store, found: Checkpoint) -> Node:
    """Its table, the checkpoint it goes on from, and where its rows were played."""
    record = found.record
    tables = tables_of(store, found.digest)
    environments = (
        _environment(store, kept_environment(store, row), is_known=True)
        for row in trained_environments(store, record)
    )
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
        },
        made_from=(
            *_parent_checkpoint(store, record.parent),
            *environments,
            *(_table(store, manifest.as_input) for manifest in tables),
        ),
    )


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
        manifest = _manifest(store, *table_of(row))
        made_from.append(_table(store, manifest.as_input))
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
        return _candidate(store, environment)
    if "level" in lineage.origin:
        return _parent(store, environment)
    if "blueprint" in lineage.origin:
        return _blueprint(store, environment)
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


def _candidate(store: Store, environment: Environment) -> Node:
    """What the environment's own record says of the bug; it outlives the tables."""
    lineage = environment.lineage
    bindings = lineage.bindings
    repository = lineage.origin.get("repository", "")
    name = lineage.origin.get("candidate", "")
    rows = store.all_rows(BugCandidate, "bug_candidates")
    is_stored = any(row.candidate_id == name for row in rows)
    manifest = store.manifest("bug_candidates", repository) if is_stored else None
    return Node(
        kind="candidate",
        name=name,
        partition=repository or None,
        digest="",
        state="outside" if manifest is None else "current",
        facts={
            "inducer": lineage.producer,
            "operator": ", ".join(lineage.plan),
            "file": f"{bindings.get('path', '?')}:{bindings.get('line', '?')}",
            "seed": str(lineage.seed),
            "model": lineage.model or "none",
            **_fixes_of(store, lineage.producer, "".join(lineage.plan[:1])),
        },
        made_from=() if manifest is None else (_table(store, manifest.as_input),),
    )


def _blueprint(store: Store, environment: Environment) -> Node:
    """The blueprint, and what of the library the facts were taken from."""
    lineage = environment.lineage
    name = lineage.origin["blueprint"]
    shard = shard_of(name)
    manifest = store.manifest(BLUEPRINTS, shard) if shard else None
    rows = () if manifest is None else store.rows(Blueprint, BLUEPRINTS, shard)
    is_stored = any(row.blueprint_id == name for row in rows)
    table = (_table(store, manifest.as_input),) if manifest and is_stored else ()
    return Node(
        kind="blueprint",
        name=name,
        partition=shard,
        digest="",
        state="current" if is_stored else "outside",
        facts={
            "producer": lineage.producer,
            "seed": str(lineage.seed),
            "model": lineage.model or "none",
        },
        made_from=(*_resources(store, lineage.origin), *table),
    )


def _resources(store: Store, origin: Mapping[str, str]) -> tuple[Node, ...]:
    """Each resource of the library once, with the places that facts point to."""
    pointers = [place for fact, place in origin.items() if fact.startswith(_FACT)]
    if not pointers:
        return ()
    library = Library.of(store.all_rows(ResourceRow, LIBRARY), store).with_builtin()
    known = {row.resource_id: row for row in library.rows}
    places: dict[str, list[str]] = {}
    for pointer in pointers:
        name = next(
            (each for each in known if pointer.startswith(f"{each} ")),
            pointer.partition(" ")[0],
        )
        places.setdefault(name, []).append(pointer.removeprefix(name).strip())
    return tuple(
        _resource(name, known.get(name), found) for name, found in places.items()
    )


def _resource(name: str, row: ResourceRow | None, places: list[str]) -> Node:
    of_row = {"version": row.version, "licence": row.licence} if row else {}
    return Node(
        kind="resource",
        name=name,
        digest=row.digest if row else "",
        state="current" if row else "missing",
        facts={**of_row, "facts": "\n".join(places)},
    )


def _manifest(store: Store, asset: str, partition: str | None) -> Manifest:
    manifest = store.manifest(asset, partition)
    if manifest is not None:
        return manifest
    keys = [each.partition for each in store.manifests(asset)]
    stored = ", ".join(str(key) for key in keys[:_SHOWN]) or "none"
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    what = f"no partition {partition!r}" if partition else "no table of its own"
    msg = f"{asset} has {what}; stored partitions (ASSET:PARTITION): {stored}{more}"
    raise StoreError(msg)


def _table(store: Store, wanted: Input) -> Node:
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
        made_from=(
            *(_table(store, part) for part in manifest.recipe.inputs),
            *_patterns(store, manifest),
        ),
    )


def _patterns(store: Store, manifest: Manifest) -> tuple[Node, ...]:
    """The table of mined patterns, where its version is named among a table's tools."""
    used = {tool.version for tool in manifest.recipe.tools if tool.name == "patterns"}
    mined = store.manifest(_PATTERNS)
    if mined is None or mined.digest not in used:
        return ()
    return (_table(store, mined.as_input),)


def _fixes_of(store: Store, producer: str, pattern_id: str) -> Mapping[str, str]:
    """Ids of the fixes that a mined pattern came from, as a fact."""
    if producer != "mined" or store.manifest(_PATTERNS) is None:
        return {}
    rows = store.rows(BugPattern, _PATTERNS)
    found = [row.fix_ids for row in rows if row.pattern_id == pattern_id]
    return {"fixes": ", ".join(found[0])} if found else {}
