"""A content in two or three exports, each of which wants the one before."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, groups, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import at, let, parsed, plain, read, var
from envplatform.workspace.recovery import Node


class MultiSourceExport(Primitive):
    """Prepare all, merge."""

    name = "multi_source_export"
    summary = (
        "a content comes in two or three exports; each wants the job of the one before"
    )

    def options(self) -> tuple[str, ...]:
        """`exports`: 2 or 3."""
        return ("exports",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "exports", 2, 3)
        characters = list(draft.text)
        if len(characters) < count:
            draft.refuse("there is too little to part")
        names = [draft.hidden_name(place) for place in range(count)]
        draft.entry(
            {STAMP: draft.token(STAMP), "exports": names},
            "Comes in `exports`: `act create`, `poll` and read each, the finished job of "
            "the one before passed at create by its name; join them in this order.",
        )
        for place, run in enumerate(groups(characters, count)):
            before = names[place - 1 : place] if place else []
            draft.show(
                names[place],
                "job",
                draft.hold("".join(run)),
                about="An export.",
                polls=draft.random.randint(1, 2),
                salt=draft.token("salt", place),
                after=before,
                needs=(draft.name,),
            )
            for one in before:
                draft.need(names[place], one, "job")
        node: Node = {
            "do": "text",
            "parts": [
                read(at(var("names"), place), job=var(f"job{place}"))
                for place in range(count)
            ],
        }
        for place in reversed(range(count)):
            after = {names[place - 1]: var(f"job{place - 1}")} if place else {}
            made = {"do": "job", "name": at(var("names"), place), "after": after}
            node = let(f"job{place}", made, node)
        return let("names", at(parsed(plain(draft.name)), "exports"), node)

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """No export but the first starts by itself."""
        del content
        session = opened()
        for name in session.document(binding.name)["exports"][1:]:
            if session.ask("act", name=name, action="create").ok:
                msg = f"{self.name} of {binding.name}: {name} wants no other export"
                raise BundleError(msg)


PRIMITIVE = MultiSourceExport()
