"""The way back from a child to its root, as it lies with the child's oracle.

`/solution/recovery.json`: for each public name the expression that has its content
again, and what of the root's interface is no longer there. Never shown to the agent.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from envplatform.bundle import SOLVE_SCRIPT, Environment
from envplatform.errors import BundleError
from envplatform.tree import File
from envplatform.workspace.draft import STORE
from envplatform.workspace.graph import manifest_of
from envplatform.workspace.recipes import plain, replaced
from envplatform.workspace.recovery import Node
from envplatform.workspace.way_back import WAY_BACK, way_back_of
from envplatform.ws.wire import canonical

TRAIL = WAY_BACK
_ROOT_SCRIPT = "solve_root.sh"
_INTERPRETER = tuple(
    f"recovery/{name}.py" for name in ("__init__", "contents", "expressions")
)
_SHIPPED = ("had.py", "recover.py", "relay.py")
_SOLVE = b"""\
#!/bin/sh
# Has again by public requests what the root showed, then solves as the root's oracle does.
set -e
python3 -I -B /solution/recover.py
PATH="/solution/bin:$PATH" exec bash /solution/solve_root.sh
"""
_RELAY = b"""\
#!/bin/sh
exec python3 -I -B /solution/relay.py "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """The way back; of a root, empty."""

    entries: Mapping[str, Node] = field(default_factory=dict)
    """Public name to the expression for the content that it stands for."""
    root: Mapping[str, Any] = field(default_factory=dict)
    """What of the root's env.json is shown otherwise now: providers, resources, views."""
    level: int = 0
    root_digest: str = ""

    @property
    def wanted(self) -> tuple[str, ...]:
        """The root's names that are shown otherwise now."""
        return tuple(view["name"] for view in self.root.get("views", ()))

    def after(self, name: str, recipe: Node, before: Environment) -> "Trail":
        """Return the trail after one more step, which `recipe` undoes at `name`."""
        known = self.entries.get(name, plain(name))
        entries = {**self.entries, name: replaced(known, name, recipe)}
        root = self.root
        if name not in self.entries and _is_of_root(before, name):
            root = _with_view(root, json.loads(manifest_of(before)), name)
        return Trail(
            entries=entries, root=root, level=self.level, root_digest=self.root_digest
        )


def trail_of(environment: Environment) -> Trail:
    """Return the way back of an environment.

    Raises:
        BundleError: what lies there is none.
    """
    said = way_back_of(environment)
    if not said:
        return Trail()
    try:
        return Trail(
            entries=said["entries"],
            root=said["root"],
            level=int(said["level"]),
            root_digest=str(said["root_digest"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{environment.environment_id}: {TRAIL} is no way back: {error}"
        raise BundleError(msg) from error


def solution_with(
    environment: Environment, trail: Trail, *, live: Iterable[str]
) -> dict[str, File]:
    """Return the oracle of a child: recovers along `trail`, then does what the root's did.

    `live`: the root's names that are recovered anew each time they are asked for, since
    a user changes what they show, or waits until they are read.
    """
    solution = dict(environment.solution)
    if TRAIL not in solution:
        solution[_ROOT_SCRIPT] = solution[SOLVE_SCRIPT]
        solution[SOLVE_SCRIPT] = File(_SOLVE, executable=True)
        solution["bin/ws"] = File(_RELAY, executable=True)
        folder = resources.files("envplatform.workspace")
        for name in _INTERPRETER:
            solution[name] = File((folder / name).read_bytes())
        for name in _SHIPPED:
            solution[name] = File((folder / "inside" / name).read_bytes())
    said = {
        "entries": trail.entries,
        "root": trail.root,
        "made": sorted(
            view.name
            for view in environment.views
            if view.listed and view.source.startswith("made.")
        ),
        "lazy": bool(environment.user),
        "live": sorted(live),
        "level": trail.level,
        "root_digest": trail.root_digest,
    }
    solution[TRAIL] = File(canonical(said).encode("ascii"))
    return solution


def _is_of_root(environment: Environment, name: str) -> bool:
    """Whether a name is the root's; what the root holds may lie at a hidden one by now."""
    source = next(view.source for view in environment.views if view.name == name)
    return source in environment.core.frozen and not name.startswith(STORE)


def _with_view(
    root: Mapping[str, Any], graph: Mapping[str, Any], name: str
) -> dict[str, Any]:
    view = next(one for one in graph["views"] if one["name"] == name)
    resource = next(one for one in graph["resources"] if one["name"] == view["source"])
    known = {one["name"] for one in root.get("resources", ())}
    return {
        "providers": graph["providers"],
        "resources": [
            *root.get("resources", ()),
            *([] if resource["name"] in known else [resource]),
        ],
        "views": [*root.get("views", ()), view],
    }
