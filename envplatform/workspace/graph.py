"""The typed resource graph of an environment, as a value that transformations change.

Everything that the broker serves, and nothing else of an environment: goal, grader,
user and the agent's own folder stay out of reach. Functions return new values.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from envplatform.bundle import (
    Dependency,
    Environment,
    Permissions,
    Provider,
    Resource,
    View,
)
from envplatform.bundle.environment import ProviderKind, ResourceKind
from envplatform.bundle.layout import GRAPH, content_files
from envplatform.errors import BundleError
from envplatform.tree import File, Tree
from envplatform.ws.manifest import Manifest, ViewSpec
from envplatform.ws.manifest import Permissions as ServedPermissions
from envplatform.ws.manifest import Resource as ServedResource

FILES: ProviderKind = "file"
ENCODING = ("utf-8", "surrogateescape")
"""Of files in a folder's one text, so that any bytes come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Resources with their content, the views that show them, what needs what."""

    providers: Mapping[str, Provider]
    resources: Mapping[str, Resource]
    """By name, in the order in which they came."""
    views: Mapping[str, View]
    """By public name, in the order in which they came."""
    dependencies: tuple[Dependency, ...]
    permissions: Permissions
    served: Tree
    """Location to content; a resource may lie at one location or below one."""
    drawn_from: str = ""
    """Digest that hidden names and values rest on; empty: that of all that is held."""

    def content(self, name: str) -> bytes:
        """Return what the resource `name` holds; of a folder, all its files as JSON.

        Raises:
            BundleError: there is none, or it holds nothing.
        """
        location = self._resource(name).location
        file = self.served.get(location)
        if file is not None:
            return file.data
        below = {
            path.removeprefix(f"{location}/"): file.data.decode(*ENCODING)
            for path, file in sorted(self.served.items())
            if path.startswith(f"{location}/")
        }
        if not below:
            msg = f"resource {name} holds nothing at {location}"
            raise BundleError(msg)
        return (json.dumps(below, indent=0) + "\n").encode("ascii")

    def showing(self, name: str) -> tuple[View, ...]:
        """Return the views that show the resource `name`."""
        return tuple(view for view in self.views.values() if view.source == name)

    def with_resource(
        self, name: str, kind: ResourceKind, location: str, content: bytes
    ) -> "Workspace":
        """Return the workspace with one more resource, held as a file.

        Raises:
            BundleError: the name or the location is taken.
        """
        if name in self.resources or location in self.served:
            msg = f"resource {name} at {location}: name or location is taken"
            raise BundleError(msg)
        provider = Provider(name="files", kind=FILES)
        resource = Resource(
            name=name, kind=kind, provider=provider.name, location=location
        )
        return replace(
            self,
            providers={**self.providers, provider.name: provider},
            resources={**self.resources, name: resource},
            served={**self.served, location: File(content)},
        )

    def with_content(self, name: str, content: bytes) -> "Workspace":
        """Return the workspace with other content in the resource `name`, one file.

        Raises:
            BundleError: there is none, or it is a folder.
        """
        location = self._resource(name).location
        if location not in self.served:
            msg = f"resource {name} is no single file"
            raise BundleError(msg)
        return replace(self, served={**self.served, location: File(content)})

    def without_resource(self, name: str) -> "Workspace":
        """Return the workspace without the resource `name`, its content and its views.

        Raises:
            BundleError: there is none.
        """
        location = self._resource(name).location
        bare = self
        for view in self.showing(name):
            bare = bare.without_view(view.name)
        return replace(
            bare,
            resources={n: r for n, r in bare.resources.items() if n != name},
            served={
                path: file
                for path, file in bare.served.items()
                if path != location and not path.startswith(f"{location}/")
            },
        )

    def with_view(self, view: View, *needs: Dependency) -> "Workspace":
        """Return the workspace with one more view, and what it needs.

        Raises:
            BundleError: the name is taken, or the view shows no resource.
        """
        if view.name in self.views:
            msg = f"view {view.name}: the name is taken"
            raise BundleError(msg)
        if view.source:
            self._resource(view.source)
        return replace(
            self,
            views={**self.views, view.name: view},
            dependencies=(*self.dependencies, *needs),
        )

    def without_view(self, name: str) -> "Workspace":
        """Return the workspace without a view, and without what depended on it."""
        return replace(
            self,
            views={n: view for n, view in self.views.items() if n != name},
            dependencies=tuple(
                edge
                for edge in self.dependencies
                if name not in {edge.view, edge.needs}
            ),
        )

    def _resource(self, name: str) -> Resource:
        if name not in self.resources:
            msg = f"there is no resource {name}"
            raise BundleError(msg)
        return self.resources[name]


def workspace_of(environment: Environment) -> Workspace:
    """Return what the broker of `environment` serves."""
    return Workspace(
        providers={one.name: one for one in environment.providers},
        resources={one.name: one for one in environment.resources},
        views={one.name: one for one in environment.views},
        dependencies=environment.dependencies,
        permissions=environment.permissions,
        served=environment.served,
    )


def with_workspace(environment: Environment, workspace: Workspace) -> Environment:
    """Return `environment` with another workspace; all else is as it was."""
    return replace(
        environment,
        providers=tuple(workspace.providers.values()),
        resources=tuple(workspace.resources.values()),
        views=tuple(workspace.views.values()),
        dependencies=workspace.dependencies,
        permissions=workspace.permissions,
        served=workspace.served,
    )


def served_manifest(environment: Environment) -> Manifest:
    """Return the same as `ws` reads out of env.json, without writing one."""
    permissions = environment.permissions
    return Manifest(
        resources={
            one.name: ServedResource(one.name, one.kind, one.provider, one.location)
            for one in environment.resources
        },
        providers={one.name: one.kind for one in environment.providers},
        views={
            one.name: ViewSpec(
                one.name, one.kind, one.source, one.options, one.about, one.listed
            )
            for one in environment.views
        },
        permissions=ServedPermissions(
            tuple(permissions.operations),
            tuple(permissions.writable_names),
            permissions.calls,
        ),
    )


def manifest_of(environment: Environment) -> bytes:
    """Return env.json: what `ws` serves `environment` by.

    Raises:
        BundleError: the environment's parts do not fit together.
    """
    return content_files(environment)[GRAPH].data
