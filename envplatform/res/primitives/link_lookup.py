"""A path that a registry resolves to an opaque handle, under which the content lies."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, companion
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft, compact
from envplatform.workspace.recipes import at, get, parsed, plain, read
from envplatform.workspace.recovery import Node


class LinkLookup(Primitive):
    """Resolve the handle."""

    name = "link_lookup"
    summary = (
        "a content lies under an opaque handle that a link registry gives for a path"
    )

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        del options
        path = f"links/{draft.token('path')}"
        handle = draft.hidden_name("handle")
        registry = f"{draft.name}.links-{draft.token('name')[:4]}"
        draft.entry(
            {STAMP: draft.token(STAMP), "path": path},
            f"A link: {registry} gives the name of the document for the path.",
        )
        draft.show(
            registry,
            "lookup",
            draft.hold(compact({path: handle}), "key"),
            about="The name under which a document is read, by its path.",
            needs=(draft.name,),
            needed_as="key",
        )
        draft.show(
            handle, "content", draft.source(), about="A document.", needs=(registry,)
        )
        return get(read(registry, key=at(parsed(plain(draft.name)), "path")))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """One target, and no list tells of it."""
        session = opened()
        path = session.document(binding.name)["path"]
        names = [one["name"] for one in session.ask("list").data["names"]]
        registry = companion(session, binding.name, "links")
        handle = session.read(registry, key=path).decode()
        if handle in names or session.read(handle) != content:
            msg = f"{self.name} of {binding.name}: the store is listed, or lacks the content"
            raise BundleError(msg)


PRIMITIVE = LinkLookup()
