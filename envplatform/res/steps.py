"""An environment while a plan for it is being searched: what leads where, how deep it lies.

Only what a step changes is gone through again: the way to each of the root's names is
kept for as long as no name on it is drawn anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from envplatform.bundle import Environment, View
from envplatform.res.measure import evidence, plain_reads
from envplatform.res.plan import Step
from envplatform.res.primitives.base import STAMP
from envplatform.res.session import session
from envplatform.res.staged import Staged, stepped_at_first, with_twins
from envplatform.res.told import untold
from envplatform.res.trail import Trail
from envplatform.workspace import Interface, workspace_of
from envplatform.workspace.draft import STORE, is_plain
from envplatform.workspace.recovery import Recovery, Told
from envplatform.ws.wire import canonical

_MADE = "made."
"""Begins the names of resources that operators made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The way to one of the root's names."""

    reads: int
    chain: int
    """The longest chain of dependent requests on it."""
    depths: Mapping[str, int]
    """Name on it to how many dependent requests lead there; in the order of requests."""


class _Tracing(Recovery):
    """Also tells which names were asked, and how deep they lay."""

    def __init__(self, entries: Mapping[str, Any], session: Interface) -> None:
        super().__init__(entries, session.request)
        self.depths: dict[str, int] = {}

    def _request(self, operation: str, said: Mapping[str, Told], after: int) -> Told:
        told = super()._request(operation, said, after)
        name = str(said["name"].value)
        self.depths[name] = max(self.depths.get(name, 0), told.depth)
        return told


@dataclass(frozen=True)
class Made:
    """An environment with some steps of a plan applied, the oracle not yet drawn up."""

    staged: Staged
    trail: Trail
    ways: dict[str, Way] = field(default_factory=dict)
    """By the root's name; filled in as they are gone."""

    @property
    def environment(self) -> Environment:
        """As it is at first."""
        return self.staged.environment

    @cached_property
    def views(self) -> Mapping[str, View]:
        """All views by their names."""
        return {view.name: view for view in self.environment.views}

    @cached_property
    def _roots(self) -> tuple[str, ...]:
        return evidence(self.environment, self.trail)

    def roots(self) -> tuple[str, ...]:
        """Return the root's names of all evidence."""
        return self._roots

    def view(self, name: str) -> View:
        """Return what is shown at a name."""
        return self.views[name]

    def names_of(self, root: str) -> list[str]:
        """Return the names that the content of `root` comes from."""
        return [name for name in self.way(root).depths if name in self.views]

    @cached_property
    def served_bytes(self) -> int:
        """All that the broker holds."""
        return sum(len(file.data) for file in self.environment.served.values())

    @property
    def reads(self) -> int:
        """Requests that give evidence; what two of the root's names share counts twice."""
        return sum(self.way(root).reads for root in self._roots)

    def way(self, root: str) -> Way:
        """Go the way to one of the root's names.

        Raises:
            RecoveryError: it leads nowhere.
        """
        if root not in self.ways:
            self.ways[root] = self._way(root)
        return self.ways[root]

    def _way(self, root: str) -> Way:
        if root not in self.trail.wanted:
            workspace = workspace_of(self.environment)
            reads = plain_reads(workspace, self.views[root])
            return Way(reads=reads, chain=1, depths={root: 1})
        tracing = _Tracing(self.trail.entries, Interface(self.environment))
        tracing.get(root)
        return Way(reads=tracing.reads, chain=tracing.depth, depths=tracing.depths)

    def depth_of(self, name: str) -> int:
        """Return how many dependent requests lead to a name; 1 where it was not asked."""
        ways = map(self.way, self._roots)
        return max((way.depths.get(name, 1) for way in ways), default=1)

    def open_of(self, root: str) -> list[str]:
        """Return the names on the way to `root` that a further step could take."""
        return [one for one in self.names_of(root) if is_plain(self.views[one])]

    def is_made(self, name: str) -> bool:
        """Whether an operator made a name, or what is shown there."""
        if name not in self.views:
            return False
        return name.startswith(STORE) or self.views[name].source.startswith(_MADE)

    def stamped(self) -> list[str]:
        """Return names of documents that hold a stamp."""
        held = {one.name: one.location for one in self.environment.resources}
        mark = f'"{STAMP}":'.encode()
        return [
            name
            for name, view in self.views.items()
            if view.source.startswith(_MADE)
            and is_plain(view)
            and mark in self.environment.served[held[view.source]].data[:12]
        ]


def made_by(made: Made, step: Step, seed: int) -> Made:
    """Return what one more step makes.

    Raises:
        BundleError: it does not fit.
    """
    return whole(made, made_at_first(made, step, seed), step, seed)


def made_at_first(made: Made, step: Step, seed: int) -> Made:
    """Return what one more step makes of an environment as it is at first, twins apart.

    Raises:
        BundleError: it does not fit.
    """
    shown, recipe = stepped_at_first(made.staged, step, seed)
    trail = made.trail.after(step.name, recipe, made.environment)
    kept = {root: way for root, way in made.ways.items() if step.name not in way.depths}
    return Made(staged=Staged(environment=shown), trail=trail, ways=kept)


def whole(made: Made, first: Made, step: Step, seed: int) -> Made:
    """Return `first`, which a step made of `made`, with what it makes of the twins.

    Raises:
        BundleError: it does not fit what the user changes.
    """
    staged = with_twins(made.staged, first.environment, step, seed)
    return replace(first, staged=staged)


def goes_round(after: Made, step: Step) -> bool:
    """Whether a step opened a name to a document that only who has read the name can find.

    By the verifier's own rule: a request is made with what some reply told.
    """
    if "on" not in step.options:
        return False
    had = session(after.environment, after.trail)
    listed = canonical(Interface(after.environment).ask("list").data)
    told = untold(after.environment, listed, after.trail.wanted, had.exchanges)
    return next(told, None) is not None
