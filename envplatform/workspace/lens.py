"""A lens: shows a content otherwise, with a public way back to the same bytes.

What makes one: applying it is a pure function of workspace, binding and seed; the way
back is an expression over public requests; and the way by which the content was read
before is gone. `check_lens` holds all three to execution.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from envplatform.bundle import Environment, View, environment_digest
from envplatform.errors import BundleError
from envplatform.workspace.draft import held_digest
from envplatform.workspace.graph import Workspace, with_workspace, workspace_of
from envplatform.workspace.interface import Interface
from envplatform.workspace.recovery import Node, Recovery, RecoveryError


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a lens is applied to, and how."""

    name: str
    """Public name at which a content is read plainly."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """By lens; JSON values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a lens makes of a workspace."""

    workspace: Workspace
    recipe: Node
    """Expression for what was read plainly at the bound name."""


class Lens(ABC):
    """One way to show a content."""

    name: str
    """As plans and lineages have it."""

    @abstractmethod
    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Shown:
        """Return the workspace in which the content is shown otherwise.

        Raises:
            BundleError: the binding does not fit the workspace.
        """

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Hold what it made to what is special about it; `opened` begins a session.

        Raises:
            BundleError: names what does not hold.
        """
        del opened, content, binding


def transform(
    environment: Environment, lens: Lens, binding: Binding, seed: int
) -> tuple[Environment, Node]:
    """Return `environment` with the lens applied to its workspace, and the way back.

    Raises:
        BundleError: as `Lens.apply` or `Lens.check`, or the content may not be
            transformed.
    """
    before = workspace_of(environment)
    view = before.views.get(binding.name)
    frozen = set(environment.core.frozen) - set(environment.core.transformable)
    if view is None or view.source in frozen:
        msg = f"{binding.name} is not declared transformable"
        raise BundleError(msg)
    shown = lens.apply(before, binding, seed)
    after = with_workspace(environment, shown.workspace)
    lens.check(lambda: Interface(after), before.content(view.source), binding)
    return after, shown.recipe


def transform_alike(
    before: Environment,
    after: Environment,
    twin: Environment,
    lens: Lens,
    binding: Binding,
    seed: int,
) -> Environment:
    """Return `twin`, which is `before` with other contents, shown as `after` shows `before`.

    Names, keys and ids are the same in both; what is held differs.

    Raises:
        BundleError: as `transform`, or other contents would take other views.
    """
    held = workspace_of(twin)
    drawn_from = held_digest(workspace_of(before))
    made = lens.apply(replace(held, drawn_from=drawn_from), binding, seed).workspace
    wanted = workspace_of(after)
    differs = next(
        (
            name
            for name in {**made.views, **wanted.views}
            if not _are_alike(made.views.get(name), wanted.views.get(name))
        ),
        None,
    )
    if differs is not None or made.resources != wanted.resources:
        msg = f"{lens.name} of {binding.name}: other contents would take other names"
        raise BundleError(msg)
    shown = with_workspace(twin, replace(wanted, served=made.served))
    view = held.views[binding.name]
    lens.check(lambda: Interface(shown), held.content(view.source), binding)
    return shown


def _are_alike(one: View | None, other: View | None) -> bool:
    """Whether two views differ in nothing but what no agent is told of: lengths of pages."""
    if one is other:
        return True
    if one is None or other is None:
        return False
    return replace(one, options={}) == replace(other, options={})


def check_lens(
    environment: Environment, lens: Lens, binding: Binding, seed: int
) -> Environment:
    """Apply a lens and hold it to what makes one; return the child.

    Raises:
        BundleError: names what does not hold: the same input gave another child, the
            bytes that come back differ, the old way still leads to them, or what the
            lens itself checks.
    """
    before = workspace_of(environment)
    child, recipe = transform(environment, lens, binding, seed)
    again, _ = transform(environment, lens, binding, seed)
    content = before.content(before.views[binding.name].source)
    if environment_digest(child) != environment_digest(again):
        msg = f"{lens.name}: applied twice, it gives two environments"
        raise BundleError(msg)
    try:
        found = Recovery({binding.name: recipe}, Interface(child).request).get(
            binding.name
        )
    except RecoveryError as error:
        msg = f"{lens.name}: {binding.name} can't be recovered: {error}"
        raise BundleError(msg) from error
    if found != content:
        msg = f"{lens.name}: what is recovered of {binding.name} differs"
        raise BundleError(msg)
    reply = Interface(child).ask("read", name=binding.name)
    if reply.content == content:
        msg = f"{lens.name}: {binding.name} still shows the content"
        raise BundleError(msg)
    return child
