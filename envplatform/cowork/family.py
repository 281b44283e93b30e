"""A scenario family: one kind of task, of which thousands are drawn.

A family is a folder with `__init__.py`, which has FAMILY, and two programs that run in
sandboxes only: `oracle.py`, the Builder's reference work, and `verifier.py`, the
Verifier constructor's. They solve the same task apart from one another.

Here: what a family is and what its parts hand over. Not here: drawing and proving
environments (`workshop`).
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from envplatform.bundle import View
from envplatform.bundle.environment import Operation
from envplatform.cowork.desk import Desk
from envplatform.cowork.library import Library, Pointer
from envplatform.cowork.personas import Persona
from envplatform.cowork.taxonomy import (
    Artefact,
    Capability,
    Horizon,
    Pattern,
    Scenario,
    Verification,
)
from envplatform.cowork.words import Names
from envplatform.tree import Tree
from envplatform.user.plan import Plan, WorkspaceChange
from envplatform.user.predicates import Predicate
from envplatform.workspace import Fault

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
D = TypeVar("D")
READING: tuple[Operation, ...] = ("list", "read", "query", "search", "act", "call")
TALKING: tuple[Operation, ...] = (*READING, "say")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a family draws one environment from. Same brief, same environment."""

    chance: random.Random
    names: Names
    persona: Persona
    """Who asks."""
    library: Library
    """Real material."""

    def pick(self, *texts: str) -> str:
        """Return one of several ways to say or to do something."""
        return self.chance.choice(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """What is wanted. Builder and Verifier constructor both see it."""

    instruction: str
    """The goal, as the agent reads it."""
    parameters: Mapping[str, Json]
    """Rules and choices of this one, for the verifier (and the oracle, if it likes)."""
    criteria: tuple[str, ...]
    """What is scored, each 0 to 1; their mean is the reward."""
    facets: Mapping[str, str]
    """Which of its variants were drawn, by name: what makes two of a family differ."""
    pointers: tuple[Pointer, ...] = ()
    """Where in the library the facts come from."""
    licences: tuple[str, ...] = ()
    """SPDX expressions of what was taken from there."""
    drawn: object = None
    """What a family drew, for its own `build`; no other role reads it."""

    def drawn_as(self, kind: type[D]) -> D:
        """Return what was drawn.

        Raises:
            TypeError: it is something else.
        """
        if not isinstance(self.drawn, kind):
            msg = f"a {kind.__name__} was to be drawn, not {type(self.drawn).__name__}"
            raise TypeError(msg)
        return self.drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """The Builder's part: initial workspace, interfaces, user; its oracle lies beside."""

    desk: Desk
    user: Plan | None = None
    workspace: Tree = field(default_factory=dict)
    """What the agent finds in /workspace."""
    operations: tuple[Operation, ...] = READING
    writable_names: tuple[str, ...] = ()
    transformable: tuple[str, ...] = ()
    """Resources that RES may show otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSignal:
    """A signal of the user as the Verifier constructor sees it: no words."""

    id: str
    when: Predicate
    changes: tuple[WorkspaceChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierView:
    """All that the Verifier constructor sees: neither oracle nor the user's words."""

    specification: Specification
    views: tuple[View, ...]
    operations: tuple[Operation, ...]
    served: Tree
    workspace: Tree
    signals: tuple[SeenSignal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One kind of task."""

    name: str
    """Of its folder."""
    title: str
    scenario: Scenario
    capabilities: tuple[Capability, ...]
    artefacts: tuple[Artefact, ...]
    pattern: Pattern
    horizon: Horizon
    specify: Callable[[Brief], Specification]
    """Draws first what is wanted."""
    build: Callable[[Brief, Specification], Build]
    """Then draws a workspace that fits."""
    faults: Callable[[VerifierView], tuple[Fault, ...]]
    """Edits of a right answer, at least one for each criterion."""
    verification: Verification = "code"
    needs: tuple[str, ...] = ()
    """Names of library sources without which it can't draw."""


def told(facets: object) -> dict[str, str]:
    """Return a dataclass of facets as a Specification has them."""
    return {one.name: str(getattr(facets, one.name)) for one in fields(facets)}  # type: ignore[arg-type]  # any dataclass


def faults_of(
    view: VerifierView, edits: Mapping[str, tuple[str, str, str]]
) -> tuple[Fault, ...]:
    """Return edits of files in /workspace as faults; those of no criterion are left out.

    Args:
        view: of which the criteria are taken.
        edits: criterion to path, regular expression and what to put in its place.
    """
    return tuple(
        Fault(criterion=name, where="workspace", path=path, old=old, new=new)
        for name, (path, old, new) in edits.items()
        if name in view.specification.criteria
    )


def verifier_view(specification: Specification, build: Build) -> VerifierView:
    """Return what of a build the Verifier constructor may see."""
    signals = build.user.signals if build.user else ()
    return VerifierView(
        specification=replace(specification, drawn=None),
        views=tuple(build.desk.views),
        operations=build.operations,
        served=build.desk.served,
        workspace=build.workspace,
        signals=tuple(
            SeenSignal(id=one.id, when=one.when, changes=one.changes) for one in signals
        ),
    )
