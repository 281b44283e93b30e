"""What an environment was made from: a candidate and who proposed it, or a blueprint."""

import re
from collections.abc import Mapping

from envplatform.bundle import Environment
from envplatform.cli.checkpoints import find_checkpoint
from envplatform.cli.lineage_node import Node, checkpoint_node, table_node
from envplatform.cli.why_cowork import BLUEPRINTS
from envplatform.cowork.blueprint import Blueprint, shard_of
from envplatform.cowork.library import LIBRARY, Library, ResourceRow
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.inducers.mined.pattern import BugPattern

_PATTERNS = "mined_patterns"
_FACT = "fact "
"""Begins what the origin of a cowork environment calls a pointer into the library."""
_ADAPTER = re.compile(r"(?P<asset>\w+):(?P<experiment>.+)@(?P<digest>[0-9a-f]{12})")
"""By what candidates call a model that was trained here."""


def candidate_node(store: Store, environment: Environment) -> Node:
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
        made_from=(
            *_adapter(store, lineage.model or ""),
            *(() if manifest is None else (table_node(store, manifest.as_input),)),
        ),
    )


def _adapter(store: Store, model: str) -> tuple[Node, ...]:
    """The model that proposed a bug, where it was trained here; down to its fixes."""
    named = _ADAPTER.fullmatch(model)
    if named is None:
        return ()
    found = find_checkpoint(store, named["digest"])
    if found is not None:
        return (checkpoint_node(store, found),)
    missing = Node(
        kind="checkpoint",
        name=named["asset"],
        partition=named["experiment"],
        digest=named["digest"],
        state="missing",
    )
    return (missing,)


def blueprint_node(store: Store, environment: Environment) -> Node:
    """The blueprint, and what of the library the facts were taken from."""
    lineage = environment.lineage
    name = lineage.origin["blueprint"]
    shard = shard_of(name)
    manifest = store.manifest(BLUEPRINTS, shard) if shard else None
    rows = () if manifest is None else store.rows(Blueprint, BLUEPRINTS, shard)
    is_stored = any(row.blueprint_id == name for row in rows)
    table = (table_node(store, manifest.as_input),) if manifest and is_stored else ()
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


def _fixes_of(store: Store, producer: str, pattern_id: str) -> Mapping[str, str]:
    """Ids of the fixes that a mined pattern came from, as a fact."""
    if producer != "mined" or store.manifest(_PATTERNS) is None:
        return {}
    rows = store.rows(BugPattern, _PATTERNS)
    found = [row.fix_ids for row in rows if row.pattern_id == pattern_id]
    return {"fixes": ", ".join(found[0])} if found else {}
