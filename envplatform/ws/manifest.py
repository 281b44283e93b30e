"""What a broker serves, read strictly from an environment's `env.json`.

The file is written by the platform; it is checked all the same, since a broker that
starts on half an understanding would serve half a task.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import ManifestError
from .operations import OPERATIONS

VIEW_KINDS = (
    "content",
    "folder",
    "page",
    "lookup",
    "gate",
    "job",
    "transition",
    "index",
    "version",
    "table",
    "service",
    "history",
)
"""The closed set. A transformation of an environment compiles to these."""
RESOURCE_KINDS = ("content", "key", "state", "schema")
PROVIDER_KINDS = ("file", "sqlite", "http", "git")
_WITHOUT_USER = [name for name in OPERATIONS if name != "say"]
"""What may be asked where the file does not say."""


class Resource(NamedTuple):
    """One thing that a provider holds."""

    name: str
    kind: str
    provider: str
    location: str


class ViewSpec(NamedTuple):
    """One public name, what it shows and how."""

    name: str
    kind: str
    source: str
    """Name of a resource; empty for views that show none."""
    options: Mapping[str, Any]
    about: str
    """Public text: what this is and how to read it."""
    listed: bool
    """Whether `list` tells of it; other names must be known to be used."""


class Permissions(NamedTuple):
    """What the agent may ask for."""

    operations: tuple[str, ...]
    writable: tuple[str, ...]
    """Names, and beginnings of names that end in a slash."""
    calls: int
    """Requests in one session; further ones are refused."""

    def may_write(self, name: str) -> bool:
        """Whether the agent may change `name`."""
        return any(
            name == one or (one.endswith("/") and name.startswith(one))
            for one in self.writable
        )


class Manifest(NamedTuple):
    """All of it."""

    resources: Mapping[str, Resource]
    providers: Mapping[str, str]
    """Name to kind."""
    views: Mapping[str, ViewSpec]
    """By name, in the order of the file."""
    permissions: Permissions


def read_manifest(data: bytes) -> Manifest:
    """Parse and check.

    Raises:
        ManifestError: names the entry and what is wrong with it.
    """
    try:
        said = json.loads(data.decode("utf-8"))
    except ValueError as error:
        msg = f"env.json is not JSON: {error}"
        raise ManifestError(msg) from None
    if not isinstance(said, dict):
        msg = "env.json is not a JSON object"
        raise ManifestError(msg)
    providers = {
        _text(one, "name", "provider"): _one_of(one, "kind", PROVIDER_KINDS)
        for one in _objects(said, "providers")
    }
    resources = [_resource(one, providers) for one in _objects(said, "resources")]
    by_name = _by_name(resources, "resource")
    views = [_view(one, by_name) for one in _objects(said, "views")]
    return Manifest(
        resources=by_name,
        providers=providers,
        views=_by_name(views, "view"),
        permissions=_permissions(said.get("permissions", {})),
    )


def _resource(one: dict[str, Any], providers: Mapping[str, str]) -> Resource:
    resource = Resource(
        name=_text(one, "name", "resource"),
        kind=_one_of(one, "kind", RESOURCE_KINDS),
        provider=_text(one, "provider", "resource"),
        location=_text(one, "location", "resource"),
    )
    if resource.provider not in providers:
        msg = f"resource {resource.name}: there is no provider {resource.provider}"
        raise ManifestError(msg)
    return resource


def _view(one: dict[str, Any], resources: Mapping[str, Resource]) -> ViewSpec:
    options, listed = one.get("options", {}), one.get("listed", True)
    view = ViewSpec(
        name=_text(one, "name", "view"),
        kind=_one_of(one, "kind", VIEW_KINDS),
        source=str(one.get("source", "")),
        options=options,
        about=str(one.get("about", "")),
        listed=listed,
    )
    if not isinstance(options, dict) or not isinstance(listed, bool):
        msg = f"view {view.name}: options must be an object, listed true or false"
        raise ManifestError(msg)
    if view.source and view.source not in resources:
        msg = f"view {view.name}: there is no resource {view.source}"
        raise ManifestError(msg)
    return view


def _permissions(said: Any) -> Permissions:  # noqa: ANN401  JSON of a stranger
    if not isinstance(said, dict):
        msg = "permissions must be an object"
        raise ManifestError(msg)
    operations = _texts(said.get("operations", _WITHOUT_USER), "operations")
    unknown = sorted(set(operations) - set(OPERATIONS))
    calls = said.get("calls", 100_000)
    if unknown:
        msg = f"permissions: there is no operation {unknown[0]}"
        raise ManifestError(msg)
    if not isinstance(calls, int) or isinstance(calls, bool) or calls < 1:
        msg = "permissions: calls must be a whole number of at least 1"
        raise ManifestError(msg)
    return Permissions(
        operations=operations,
        writable=_texts(said.get("writable_names", []), "writable_names"),
        calls=calls,
    )


def _by_name(entries: list[Any], what: str) -> dict[str, Any]:
    found = {one.name: one for one in entries}
    if len(found) != len(entries):
        names = [one.name for one in entries]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"{what} {twice} stands twice"
        raise ManifestError(msg)
    return found


def _objects(said: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = said.get(key, [])
    if not isinstance(found, list) or not all(isinstance(o, dict) for o in found):
        msg = f"{key} must be a list of objects"
        raise ManifestError(msg)
    return found


def _text(one: Mapping[str, Any], key: str, what: str) -> str:
    value = one.get(key)
    if not isinstance(value, str) or not value:
        msg = f"{what} {one.get('name', '?')}: {key} must be a text"
        raise ManifestError(msg)
    return value


def _texts(found: Any, key: str) -> tuple[str, ...]:  # noqa: ANN401  as above
    if not isinstance(found, list) or not all(isinstance(o, str) for o in found):
        msg = f"permissions: {key} must be a list of texts"
        raise ManifestError(msg)
    return tuple(found)


def _one_of(one: Mapping[str, Any], key: str, allowed: tuple[str, ...]) -> str:
    value = _text(one, key, "entry")
    if value not in allowed:
        msg = f"{one.get('name', '?')}: {key} {value!r} is none of {', '.join(allowed)}"
        raise ManifestError(msg)
    return value
