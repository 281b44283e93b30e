"""A lens: shows a resource otherwise, with a public way back to the same bytes.

What makes one: applying it is a pure function of workspace, binding and seed; recovery
uses the public interface alone; and the way by which the resource was read before is
gone. `check_lens` holds all three to execution.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envplatform.bundle import Environment, environment_digest
from envplatform.errors import BundleError
from envplatform.workspace.graph import Workspace, with_workspace, workspace_of
from envplatform.workspace.interface import Interface


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a lens is applied to, and how."""

    resource: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """By lens; JSON values."""


class Lens(ABC):
    """One way to show a resource."""

    name: str
    """As plans and lineages have it."""

    @abstractmethod
    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Workspace:
        """Return the workspace in which the resource is shown otherwise.

        Raises:
            BundleError: the binding does not fit the workspace.
        """

    @abstractmethod
    def recover(self, interface: Interface, binding: Binding) -> bytes:
        """Return the resource's bytes, by public requests alone.

        Raises:
            LookupError: an answer was no.
        """


def transform(
    environment: Environment, lens: Lens, binding: Binding, seed: int
) -> Environment:
    """Return `environment` with the lens applied to its workspace.

    Raises:
        BundleError: as `Lens.apply`, or the resource may not be transformed.
    """
    if binding.resource not in environment.core.transformable:
        msg = f"{binding.resource} is not declared transformable"
        raise BundleError(msg)
    changed = lens.apply(workspace_of(environment), binding, seed)
    return with_workspace(environment, changed)


def check_lens(
    environment: Environment, lens: Lens, binding: Binding, seed: int
) -> Environment:
    """Apply a lens and hold it to what makes one; return the child.

    Raises:
        BundleError: names what does not hold: the same input gave another child, the
            bytes that come back differ, or the old way still leads to them.
    """
    before = workspace_of(environment)
    content = before.content(binding.resource)
    child = transform(environment, lens, binding, seed)
    if environment_digest(child) != environment_digest(
        transform(environment, lens, binding, seed)
    ):
        msg = f"{lens.name}: applied twice, it gives two environments"
        raise BundleError(msg)
    if lens.recover(Interface(child), binding) != content:
        msg = f"{lens.name}: what is recovered of {binding.resource} differs"
        raise BundleError(msg)
    for view in before.showing(binding.resource):
        reply = Interface(child).ask("read", name=view.name)
        if reply.content == content:
            msg = f"{lens.name}: {view.name} still shows {binding.resource}"
            raise BundleError(msg)
    return child
