"""A content that only a search finds, in an index which has to be rebuilt first."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import Primitive, stale
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft, compact
from envplatform.workspace.recipes import at, get
from envplatform.workspace.recovery import Node


class IndexRebuild(Primitive):
    """Reindex, then search."""

    name = "index_rebuild"
    summary = (
        "a content is found by search, and rightly only after the index was rebuilt"
    )

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        del options
        term = _term(draft.name)
        right, wrong = draft.hidden_name("now"), draft.hidden_name("earlier")
        old = draft.hold(stale(draft, 1)[0])
        draft.show(wrong, "content", old, about="A document.")
        draft.show(
            right, "content", draft.source(), about="A document.", needs=(draft.name,)
        )
        draft.show(
            draft.name,
            "index",
            draft.hold(compact({term: [{"name": right}]})),
            about=f"An index: search for `{term}`; `act reindex` brings it up to date.",
            stale=draft.hold(compact({term: [{"name": wrong}]})),
        )
        hits: Node = {"do": "search", "name": draft.name, "query": term}
        return get(at(hits, 0, "name"))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Search is wrong before, and right after."""
        session, found = opened(), []
        query = _term(binding.name)
        for _ in range(2):
            hits = session.ask("search", name=binding.name, query=query).data["hits"]
            found.append(session.read(hits[0]["name"]) == content)
            session.ask("act", name=binding.name, action="reindex")
        if found != [False, True]:
            msg = f"{self.name} of {binding.name}: right before and after are {found}"
            raise BundleError(msg)


def _term(name: str) -> str:
    """Return a term as an index looks one up: without blanks around it, in lower case."""
    return name.rpartition("/")[2].strip().lower() or "content"


PRIMITIVE = IndexRebuild()
