"""What a lens draws with: one public name, the content behind it, and a new way to it.

The name stays: whoever was told of it finds there how to go on. Everything that a draft
puts in gets names and values that only who was told can know.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any, NoReturn, TypeGuard, get_args

from envplatform.bundle import Dependency, View
from envplatform.bundle.environment import (
    DependencyKind,
    Operation,
    ResourceKind,
    ViewKind,
)
from envplatform.errors import BundleError
from envplatform.workspace.behind import behind
from envplatform.workspace.graph import Workspace
from envplatform.workspace.recovery import Node
from envplatform.ws.wire import canonical, digest

STORE = "vault/"
"""Where contents lie that no list tells of."""
_STANDS: ResourceKind = "state"
"""Kind of a document that stands where another content was, for how to go on to it."""
_TOKEN_CHARACTERS = 12
_TOKEN = re.compile(r"[0-9a-f]{12}")
MADE_AT = "made/"
"""Below it lies what a draft holds, and nothing else."""
_MADE = "made."
"""How the names of resources begin that a draft holds; they are never shown."""


class Draft:
    """The workspace while one name of it is redrawn."""

    def __init__(
        self, workspace: Workspace, name: str, seed: int, operator: str
    ) -> None:
        """Take the content at `name` and close the way to it.

        Raises:
            BundleError: nothing is read plainly at `name`.
        """
        view = workspace.views.get(name)
        if view is None or view.kind not in _PLAIN:
            msg = f"{operator}: nothing is read plainly at {name}"
            raise BundleError(msg)
        self.name, self.view = name, view
        self.content = workspace.content(view.source)
        drawn_from = workspace.drawn_from or held_digest(workspace)
        said = f"{seed}\0{operator}\0{name}\0{drawn_from}"
        self._secret = digest(said.encode("utf-8", "surrogatepass"))
        self.random = Random(self._secret)  # noqa: S311  choices, no secrets
        self._operator = operator
        self._workspace = _without(workspace, name)
        self._edges: list[Dependency] = list(workspace.dependencies)
        self._source: str | None = None
        self._operations: set[Operation] = {"list"}

    @property
    def text(self) -> str:
        """The content as text.

        Raises:
            BundleError: it is none.
        """
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            self.refuse("the content is no text")

    @property
    def lines(self) -> list[str]:
        """The content's lines, ends included."""
        return self.text.splitlines(keepends=True)

    def refuse(self, why: str) -> NoReturn:
        """End the drawing: the binding does not fit.

        Raises:
            BundleError: always.
        """
        msg = f"{self._operator} of {self.name}: {why}"
        raise BundleError(msg)

    def token(self, *parts: object) -> str:
        """Return a value that only who has read it can know."""
        said = "\0".join((self._secret, *map(str, parts)))
        return digest(said.encode())[:_TOKEN_CHARACTERS]

    def hidden_name(self, *parts: object) -> str:
        """Return a name that only who has read it can know."""
        return f"{STORE}{self.token('name', *parts)}"

    def hold(self, content: bytes | str | Any, kind: ResourceKind = "content") -> str:  # noqa: ANN401  or JSON
        """Hold one more content, JSON where it is neither bytes nor text; return its name."""
        if isinstance(content, str):
            content = content.encode()
        elif not isinstance(content, bytes):
            content = document(content)
        count = len(self._workspace.resources)
        name = f"{_MADE}{self.token('resource', count)}"
        self._workspace = self._workspace.with_resource(
            name, kind, f"{MADE_AT}{name.removeprefix(_MADE)}", content
        )
        return name

    def show(  # noqa: PLR0913  a view has that many parts
        self,
        name: str,
        kind: ViewKind,
        source: str = "",
        *,
        about: str,
        needs: tuple[str, ...] = (),
        needed_as: DependencyKind = "handle",
        listed: bool | None = None,
        **options: Any,  # noqa: ANN401  JSON
    ) -> str:
        """Show something at `name`, which needs what other names tell; return the name."""
        if name == self.name:
            about = " ".join(part for part in (self.view.about, about) if part)
        is_listed = not name.startswith(STORE) if listed is None else listed
        if name == self.name:
            is_listed = self.view.listed
        view = View(
            name=name,
            kind=kind,
            source=source,
            options=options,
            about=about,
            listed=is_listed,
        )
        self._workspace = self._workspace.with_view(view)
        self._operations |= _OPERATIONS[kind]
        self._edges += [
            Dependency(view=name, needs=one, kind=needed_as) for one in needs
        ]
        return name

    def need(self, name: str, needs: str, kind: DependencyKind) -> None:
        """Declare that one name can only be used with what another tells."""
        self._edges.append(Dependency(view=name, needs=needs, kind=kind))

    def stamp_at(self, name: str) -> str:
        """Return the stamp of the document that a name stands for.

        Only a draft writes one: a task's own field of that name could be guessed. And no
        decoy has one: the way back passes decoys by.

        Raises:
            BundleError: it is no document with one.
        """
        view = self._workspace.views.get(name)
        try:
            held = (
                self._workspace.content(view.source) if self._has_stamp(view) else b"{}"
            )
            told = json.loads(held)
        except (ValueError, RecursionError, BundleError):
            told = {}
        if view is not None and self._kind(view) == _STANDS:
            self.refuse(
                f"{name} stands for another content by now: its stamp is no key"
            )
        stamp = told.get("stamp") if isinstance(told, dict) else None
        if not isinstance(stamp, str) or not _TOKEN.fullmatch(stamp):
            self.refuse(f"{name} is no document with a stamp")
        return stamp

    def _has_stamp(self, view: View | None) -> TypeGuard[View]:
        return view is not None and self._kind(view) in {"key", "schema"}

    def _kind(self, view: View) -> ResourceKind | None:
        """Return the kind of what a draft holds behind a view; None: no draft does."""
        is_made = view.source.startswith(_MADE)
        return self._workspace.resources[view.source].kind if is_made else None

    def is_listed(self, name: str) -> bool:
        """Whether a list tells of a name, so that naming it gives nothing away."""
        view = self._workspace.views.get(name)
        return view is not None and view.listed

    def behind(self, name: str) -> frozenset[str]:
        """Return the names that are needed to know and read `name`, itself included."""
        views = {self.name: self.view, **self._workspace.views}
        return behind(name, views, self._edges)

    def entry(self, content: bytes | str | Any, about: str) -> str:  # noqa: ANN401  as `hold`
        """Put another content at the name itself; return what it is held as."""
        held = self.hold(content, _STANDS)
        self.show(self.name, "content", held, about=about)
        return held

    def same(self, about: str, kind: ViewKind, **options: Any) -> str:  # noqa: ANN401
        """Show the content itself at the name by another kind of view."""
        return self.show(self.name, kind, self.source(), about=about, **options)

    def source(self) -> str:
        """Return the resource that holds the content; a folder's is held for it anew."""
        if self._source is None:
            self._source = (
                self.hold(self.content)
                if self.view.kind == "folder"
                else self.view.source
            )
        return self._source

    def done(self, recipe: Node) -> tuple[Workspace, Node]:
        """Return the workspace, and the expression for what was read at the name."""
        held = _in_use(self._workspace, self.view.source)
        names = set(held.views)
        edges = tuple(edge for edge in self._edges if {edge.view, edge.needs} <= names)
        permissions = replace(
            held.permissions,
            operations=tuple(
                one
                for one in get_args(Operation)
                if one in {*held.permissions.operations, *self._operations}
            ),
        )
        return replace(held, dependencies=edges, permissions=permissions), recipe


_OPERATIONS: Mapping[ViewKind, frozenset[Operation]] = MappingProxyType(
    {
        "content": frozenset({"read"}),
        "page": frozenset({"read"}),
        "lookup": frozenset({"read"}),
        "gate": frozenset({"read"}),
        "version": frozenset({"read"}),
        "job": frozenset({"read", "act"}),
        "transition": frozenset({"read", "act"}),
        "index": frozenset({"search", "act"}),
    }
)
"""What an agent must be permitted to get through a view that is drawn."""
_PLAIN = frozenset({"content", "folder", "table", "service", "history"})


def is_plain(view: View) -> bool:
    """Whether a view gives a content that a lens can take."""
    return view.kind in _PLAIN


def sources_of(view: View) -> frozenset[str]:
    """Return the resources that a view shows in one way or another."""
    told = [view.source, view.options.get("stale"), *_versions(view)]
    return frozenset(str(name) for name in told if name)


def _versions(view: View) -> list[str]:
    versions = view.options.get("versions")
    return list(versions.values()) if isinstance(versions, dict) else []


def document(value: Any) -> bytes:  # noqa: ANN401  JSON
    """Return a document as it is held: JSON, one spelling, fit to be read."""
    return (json.dumps(value, ensure_ascii=False, indent=0) + "\n").encode("utf-8")


def compact(value: Any) -> bytes:  # noqa: ANN401  JSON
    """As `document`, in one line."""
    return canonical(value).encode("ascii")


def held_digest(workspace: Workspace) -> str:
    """Return a digest of everything that is held.

    Tokens rest on all of it: whoever could try out what one short content may be would
    know its tokens, and could tell by a public one when the try was right.
    """
    told = "".join(
        f"{path}\0{digest(file.data)}\n"
        for path, file in sorted(workspace.served.items())
    )
    return digest(told.encode("utf-8", "surrogatepass"))


def _without(workspace: Workspace, name: str) -> Workspace:
    """Return the workspace without a view; edges are kept for the one that follows."""
    views = {n: view for n, view in workspace.views.items() if n != name}
    return replace(workspace, views=views)


def _in_use(workspace: Workspace, source: str) -> Workspace:
    """Drop what was made for a name and is shown no more."""
    if not source.startswith(_MADE):
        return workspace
    shown = {name for view in workspace.views.values() for name in sources_of(view)}
    return workspace if source in shown else workspace.without_resource(source)
