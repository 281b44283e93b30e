"""The user of a child: as it was written, and how it sees what is shown otherwise there.

A plan waits until a name was read. In a child that takes several requests; whoever has
made all of them that carry the content has read it. Those that only tell how to get
there are left out: a key or a handle is needed anyway.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from envplatform.bundle import Environment
from envplatform.res.staged import Staged, made_changes
from envplatform.res.trail import Trail
from envplatform.tree import File
from envplatform.user import Plan
from envplatform.user.predicates import Dispatched, dispatched_in
from envplatform.user.shown import SHOWN, Asked, Shown, is_reading
from envplatform.user.sidecar import read_written
from envplatform.workspace import Interface
from envplatform.workspace.recovery import READS, Recovery
from envplatform.ws.wire import canonical


def user_with(child: Staged, trail: Trail) -> dict[str, File]:
    """Return the user's files: those of the parent, and what they come to in the child.

    Raises:
        BundleError: as `made_changes`.
    """
    environment = child.environment
    files = {path: f for path, f in environment.user.items() if path != SHOWN}
    if not files:
        return files
    shown = Shown(
        changes=made_changes(child),
        asked={
            name: asked_of(environment, trail, root)
            for name, root in waited_for(read_written(files), trail).items()
        },
    )
    if shown != Shown():
        said = canonical(shown.model_dump(mode="json"))
        files[SHOWN] = File(f"{said}\n".encode("ascii"))
    return files


def live_names(environment: Environment, trail: Trail) -> frozenset[str]:
    """Return the root's redrawn names that the user changes, or waits for.

    Raises:
        BundleError: the user can't be read.
    """
    if not environment.user:
        return frozenset()
    plan = read_written(environment.user)
    places = {one.name: one.location for one in environment.resources}
    paths = [change.path for signal in plan.signals for change in signal.changes]
    changed = frozenset(
        str(view["name"])
        for view in trail.root.get("views", ())
        for place in (places[view["source"]],)
        if any(path == place or path.startswith(f"{place}/") for path in paths)
    )
    return changed | {root_of(one.name, trail) for one in waits(plan)} - {""}


def waits(plan: Plan) -> Iterator[Dispatched]:
    """Yield all dispatches that a plan waits for."""
    for signal in plan.signals:
        yield from dispatched_in(signal.when)


def waited_for(plan: Plan, trail: Trail) -> dict[str, str]:
    """Return names of which a plan waits that they are read, to the root's redrawn names."""
    names = sorted({one.name for one in waits(plan) if is_reading(one)})
    found = {name: root_of(name, trail) for name in names}
    return {name: root for name, root in found.items() if root}


def root_of(name: str, trail: Trail) -> str:
    """Return the redrawn name that a name stands for, itself or a folder's; or nothing."""
    for view in trail.root.get("views", ()):
        root = str(view["name"])
        below = view["kind"] == "folder" and name.startswith(f"{root}/")
        if name == root or below:
            return root
    return ""


def asked_of(environment: Environment, trail: Trail, root: str) -> tuple[Asked, ...]:
    """Return the requests that carry the content of one of the root's names."""
    interface, asked = Interface(environment), list[tuple[str, str, str]]()

    def ask(operation: str, arguments: Mapping[str, Any]) -> tuple[bytes | None, Any]:
        version = {key: arguments[key] for key in ("version",) if key in arguments}
        asked.append((operation, str(arguments["name"]), canonical(version)))
        return interface.request(operation, arguments)

    Recovery(trail.entries, ask).get(root)
    names = {name for _, name, _ in asked}
    pointers = set(_pointers(environment, names))
    counted = Counter(
        one for one in asked if one[0] in READS and one[1] not in pointers
    )
    return tuple(
        Asked(
            operation=operation,
            name=name,
            arguments=json.loads(version),
            at_least=count,
        )
        for (operation, name, version), count in sorted(counted.items())
    )


def _pointers(environment: Environment, names: Iterable[str]) -> Iterator[str]:
    """Yield those of some names that tell another of them how to be read."""
    known = set(names)
    for edge in environment.dependencies:
        if {edge.view, edge.needs} <= known and edge.kind != "job":
            yield edge.needs
