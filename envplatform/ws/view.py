"""What a view is: one public name, and the requests it answers.

A view is made of its specification, the holdings, and a dictionary of JSON values for
what it must remember. It keeps nothing else, so that a reset is a new dictionary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import INVALID, NOT_READY, REFUSED, ManifestError, WsError
from .holdings import Holdings
from .manifest import Manifest, Resource, ViewSpec
from .wire import Reply, digest

if TYPE_CHECKING:
    from .mcp import McpServer


class Room:
    """What views stand on: holdings, and what every view remembers."""

    def __init__(self, manifest: Manifest, holdings: Holdings) -> None:
        self.manifest = manifest
        self.holdings = holdings
        self.memory: dict[str, dict[str, Any]] = {}
        """Name of a view to its JSON values; made when first needed."""
        self.servers: dict[str, McpServer] = {}
        """By name of a view, those that run; none where no broker's process is."""

    def resource(self, name: str) -> Resource:
        """Return a resource that a view refers to.

        Raises:
            ManifestError: there is none.
        """
        try:
            return self.manifest.resources[name]
        except KeyError:
            msg = f"there is no resource {name}"
            raise ManifestError(msg) from None

    def content(self, name: str) -> bytes:
        """Return what a resource holds now."""
        return self.holdings.read(self.resource(name).location)

    def object(self, name: str) -> dict[str, Any]:
        """Return a resource that must hold a JSON object.

        Raises:
            WsError: `not_ready`: somebody wrote something else into it.
        """
        try:
            found = json.loads(self.content(name).decode("utf-8"))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise WsError(NOT_READY, f"{name} does not hold a JSON object")
        return found


class View:
    """Answers the requests about one name."""

    operations: tuple[str, ...] = ()
    """What it answers; all else is refused before it is asked."""
    needs: tuple[str, ...] = ()
    """Options that its specification must have."""

    def __init__(self, spec: ViewSpec, room: Room) -> None:
        self.spec = spec
        self.room = room
        for option in self.needs:
            if option not in spec.options:
                msg = f"view {spec.name}: option {option} is missing"
                raise ManifestError(msg)

    @property
    def memory(self) -> dict[str, Any]:
        """What this view remembers."""
        return self.room.memory.setdefault(self.spec.name, {})

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """Carry out one checked request.

        Raises:
            WsError: the answer is no.
        """
        raise NotImplementedError

    def source(self) -> bytes:
        """Return the content of the resource that the view shows."""
        if not self.spec.source:
            msg = f"view {self.spec.name}: it needs a source"
            raise ManifestError(msg)
        return self.room.content(self.spec.source)

    def names(self, prefix: str = "") -> list[str]:
        """Return the public names that this view stands for.

        Those that don't begin with `prefix` may be left out, and need not be looked for.
        """
        del prefix
        return [self.spec.name]

    def option(self, name: str) -> Any:  # noqa: ANN401  JSON
        """Return an option that `needs` names."""
        return self.spec.options[name]

    def takes(self, arguments: Mapping[str, Any], *allowed: str) -> None:
        """Refuse arguments that mean nothing here.

        Raises:
            WsError: `invalid`; names one.
        """
        for name in arguments:
            if name not in {"name", *allowed}:
                msg = f"{self.spec.name} takes no {name}"
                raise WsError(INVALID, msg)


def required(arguments: Mapping[str, Any], name: str, whence: str) -> str:
    """Return an argument without which a view answers nothing.

    Raises:
        WsError: `refused`; `whence` tells where to get it.
    """
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise WsError(REFUSED, f"pass {name}: {whence}")
    return value


def token(*parts: str) -> str:
    """Return a short text that only who knows `parts` can tell."""
    return digest("\0".join(parts).encode("utf-8", "surrogatepass"))[:16]
