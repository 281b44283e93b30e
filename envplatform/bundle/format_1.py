"""From format 1 to format 2, which has views, dependencies and what a broker holds.

An environment of format 1 has none of them, so it only gets its new name: the old
digest is verified first, then the same parts are written as format 2 has them.
"""

from envplatform.bundle import records
from envplatform.bundle.digest import identity_file
from envplatform.bundle.layout import (
    AUDIT,
    GRAPH,
    IDENTITY,
    LINEAGE,
    Description,
    parse,
    part,
)
from envplatform.errors import BundleError
from envplatform.tree import File, Tree, tree_digest

_FORMAT = 1
_NOTHING_SPENT = {"seconds": 0.0, "tokens": 0, "usd": 0.0}


def to_format_2(files: Tree) -> dict[str, File]:
    """Return the files of the same environment in format 2.

    Raises:
        BundleError: a part is missing, or the content is not what the digest says.
    """
    identity = records.load(part(files, IDENTITY), IDENTITY)
    actual = _digest(files, identity)
    if identity.get("digest") != actual:
        named = str(identity.get("digest"))[:80]
        msg = f"{IDENTITY} names the digest {named}, its content is {actual}"
        raise BundleError(msg)
    graph = records.load(part(files, GRAPH), GRAPH)
    permissions = graph.get("permissions")
    if not isinstance(permissions, dict):
        msg = f"{GRAPH}: permissions must be an object"
        raise BundleError(msg)
    new = {
        **graph,
        "views": [],
        "dependencies": [],
        "permissions": {
            **permissions,
            "operations": ["list", "read", "search", "query", "act"],
            "writable_names": [],
            "calls": 100_000,
        },
    }
    found = {**files, GRAPH: File(records.dump(new))}
    description = records.decode(Description, identity["environment"], IDENTITY)
    found[IDENTITY] = identity_file(parse(found, description))
    return found


def _digest(files: Tree, identity: dict[str, records.Json]) -> str:
    """Return the digest as format 1 counted it."""
    lineage = records.load(part(files, LINEAGE), LINEAGE)
    described = {"format": _FORMAT, "environment": identity.get("environment")}
    content = {path: file for path, file in files.items() if path != AUDIT}
    content[LINEAGE] = File(records.dump({**lineage, "spent": _NOTHING_SPENT}))
    content[IDENTITY] = File(records.dump(described))
    return tree_digest(content)
