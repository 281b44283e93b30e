"""A content in pages, each of which tells the cursor of the next."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import Primitive, groups, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recovery import Node


class Pagination(Primitive):
    """Follow `next`."""

    name = "pagination"
    summary = "a text comes in pages; each tells the cursor of the next"
    size = ("pages", 2, 24)

    def options(self) -> tuple[str, ...]:
        """`pages`: from 2 to 24; fewer where there are fewer characters."""
        return ("pages",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "pages", 2, 24)
        lengths = [len(run) for run in groups(list(draft.text), count) if run]
        if len(lengths) < 2:  # noqa: PLR2004  one page is no pages
            draft.refuse("there is too little for two pages")
        draft.same(
            "Comes in pages: pass the cursor that `next` tells until there is none.",
            "page",
            lengths=lengths[:-1],
            salt=draft.token("salt"),
        )
        return {"do": "pages", "name": draft.name}

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Without cycle, with an end, and no way to a page but through the one before."""
        session, cursors, cursor = opened(), set[str](), ""
        text = ""
        while True:
            given = {"cursor": cursor} if cursor else {}
            part = session.ask("read", name=binding.name, **given).data
            text += part["content"]
            cursor = part["next"] or ""
            if not cursor:
                break
            if cursor in cursors:
                msg = f"{self.name} of {binding.name}: pages go round"
                raise BundleError(msg)
            cursors.add(cursor)
        guesses = (str(place) for place in range(len(cursors) + 2))
        is_guessed = any(
            session.ask("read", name=binding.name, cursor=guess).ok for guess in guesses
        )
        if is_guessed or text.encode() != content:
            msg = (
                f"{self.name} of {binding.name}: a page can be guessed, or one is lost"
            )
            raise BundleError(msg)


PRIMITIVE = Pagination()
