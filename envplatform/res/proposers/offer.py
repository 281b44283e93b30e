"""What a model may choose from: names on the way to the evidence, told of in bounded size."""

import json
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain, islice, zip_longest
from typing import Any

from envplatform.bundle import Environment
from envplatform.res.measure import evidence
from envplatform.res.primitives.base import STAMP
from envplatform.res.trail import trail_of
from envplatform.workspace import Workspace, workspace_of
from envplatform.workspace.draft import is_plain

MOST_NAMES = 40
LONGEST_NAME = 300
"""Characters; a longer name is not offered."""
_MOST_ABOUT = 200


def offered(parent: Environment) -> list[dict[str, Any]]:
    """Return names that a step can be applied to: for each root in turn the deepest first."""
    workspace, depths = workspace_of(parent), _depths(parent)
    entries = trail_of(parent).entries
    found = []
    for root, name in islice(_turns(parent, workspace, depths), MOST_NAMES):
        view = workspace.views[name]
        content = workspace.content(view.source)
        stamp = name not in entries and _has_stamp(content)
        found.append(
            {
                "name": name,
                "kind": view.kind,
                "about": cut(view.about, _MOST_ABOUT),
                "bytes": len(content),
                "depth": depths.get(name, 1),
                "leads_to": cut(root, LONGEST_NAME),
                **({"has_stamp": True} if stamp else {}),
            }
        )
    return found


def cut(text: str, most: int) -> str:
    """Return a text, or its beginning where it has more than `most` characters."""
    return text if len(text) <= most else f"{text[:most]}..."


def _turns(
    parent: Environment, workspace: Workspace, depths: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    frozen = set(parent.core.frozen) - set(parent.core.transformable)
    lists = [
        [
            (root, name)
            for name in sorted(
                _leads_to(parent, root), key=lambda n: (-depths.get(n, 1), n)
            )
            if is_plain(workspace.views[name])
            and workspace.views[name].source not in frozen
            and len(name) <= LONGEST_NAME
        ]
        for root in evidence(parent)
    ]
    seen: set[str] = set()
    for pair in chain.from_iterable(zip_longest(*lists)):
        if pair is not None and pair[1] not in seen:
            seen.add(pair[1])
            yield pair


def _leads_to(parent: Environment, root: str) -> set[str]:
    """Return the root's name, what it needs, and what is had through any of them."""
    needs, needed = (
        _neighbours(parent, forward=True),
        _neighbours(parent, forward=False),
    )
    return _reached({root}, needs) | _reached(_reached({root}, needed), needs)


def _neighbours(parent: Environment, *, forward: bool) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for edge in parent.dependencies:
        ends = (edge.view, edge.needs) if forward else (edge.needs, edge.view)
        found.setdefault(ends[0], set()).add(ends[1])
    return found


def _reached(names: set[str], to: Mapping[str, set[str]]) -> set[str]:
    found, todo = set(names), list(names)
    while todo:
        further = to.get(todo.pop(), set()) - found
        found |= further
        todo += further
    return found


def _depths(parent: Environment) -> dict[str, int]:
    """Return how many requests lead to each name, one needing the other's answer."""
    needs = _neighbours(parent, forward=True)
    depths: dict[str, int] = {}
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError:  # of a root: whoever made it may have declared one
        return {}
    for name in order:
        depths[name] = 1 + max((depths[one] for one in needs.get(name, ())), default=0)
    return depths


def _has_stamp(content: bytes) -> bool:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and isinstance(told.get(STAMP), str)
