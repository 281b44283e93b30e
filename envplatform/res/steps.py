"""An environment while a plan for it is being searched: what leads where, how deep it lies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from envplatform.bundle import Environment, View
from envplatform.res.measure import evidence
from envplatform.res.plan import Step
from envplatform.res.primitives import primitive
from envplatform.res.primitives.base import STAMP
from envplatform.res.trail import Trail
from envplatform.workspace import Binding, Interface, transform
from envplatform.workspace.draft import is_plain
from envplatform.workspace.recovery import Recovery, Told


class _Tracing(Recovery):
    """Also tells for each root which names its content came from, and how deep they lay."""

    def __init__(self, entries: Mapping[str, Any], session: Interface) -> None:
        super().__init__(entries, session.request)
        self.depths: dict[str, int] = {}
        self.roots: dict[str, str] = {}
        self.root = ""

    def _request(self, operation: str, said: Mapping[str, Told], after: int) -> Told:
        told = super()._request(operation, said, after)
        name = str(said["name"].value)
        self.depths[name] = max(self.depths.get(name, 0), told.depth)
        self.roots.setdefault(name, self.root)
        return told


@dataclass(frozen=True)
class Made:
    """An environment with some steps of a plan applied, the oracle not yet drawn up."""

    environment: Environment
    trail: Trail
    views: Mapping[str, View] = field(init=False)

    def __post_init__(self) -> None:
        """Index the views."""
        views = {view.name: view for view in self.environment.views}
        object.__setattr__(self, "views", views)

    @cached_property
    def _trace(self) -> _Tracing:
        tracing = _Tracing(self.trail.entries, Interface(self.environment))
        for name in self.trail.wanted:
            tracing.root = name
            tracing.get(name)
        return tracing

    def roots(self) -> tuple[str, ...]:
        """Return the root's names of all evidence."""
        return evidence(self.environment, self.trail)

    def view(self, name: str) -> View:
        """Return what is shown at a name."""
        return self.views[name]

    def names_of(self, root: str) -> list[str]:
        """Return the names that the content of `root` comes from."""
        found = [
            n for n, r in self._trace.roots.items() if r == root and n in self.views
        ]
        return found or [root]

    def depth_of(self, name: str) -> int:
        """Return how many dependent requests lead to a name; 1 where it was not asked."""
        return self._trace.depths.get(name, 1)

    def stamped(self) -> list[str]:
        """Return names of documents that hold a stamp."""
        held = {one.name: one.location for one in self.environment.resources}
        mark = f'"{STAMP}":'.encode()
        return [
            name
            for name, view in self.views.items()
            if view.source.startswith("made.")
            and is_plain(view)
            and mark in self.environment.served[held[view.source]].data[:12]
        ]


def made_by(made: Made, step: Step, seed: int) -> Made:
    """Return what one more step makes.

    Raises:
        BundleError: it does not fit.
    """
    binding = Binding(name=step.name, options=step.options)
    after, recipe = transform(made.environment, primitive(step.operator), binding, seed)
    trail = made.trail.after(step.name, recipe, made.environment)
    return Made(environment=after, trail=trail)
