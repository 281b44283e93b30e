"""A content that is read once it went through its stages, one after the other."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import Primitive, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import read
from envplatform.workspace.recovery import Node

_STAGES = ("draft", "review", "approved", "released", "published")


class StagedPublication(Primitive):
    """Advance through all stages."""

    name = "staged_publication"
    summary = "a content has to go through stages in order before it can be read"

    def options(self) -> tuple[str, ...]:
        """`stages`: from 3 to 5."""
        return ("stages",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "stages", 3, 5)
        stages = [*_STAGES[: count - 1], _STAGES[-1]]
        draft.same(
            "Is read once it is published: `act advance` it through its stages, which are "
            f"{', '.join(stages)}.",
            "transition",
            stages=stages,
        )
        then = read(draft.name)
        return {
            "do": "advance",
            "name": draft.name,
            "stages": stages[1:],
            "then": then,
        }

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Skipping is refused, and going to where one is changes nothing."""
        del content
        session = opened()
        last = {"to": _STAGES[-1]}
        early = session.ask("act", name=binding.name, action="advance", input=last)
        again = [
            session.ask(
                "act", name=binding.name, action="advance", input={"to": "review"}
            )
            for _ in range(2)
        ]
        if early.ok or session.ask("read", name=binding.name).ok:
            msg = f"{self.name} of {binding.name}: stages can be skipped"
            raise BundleError(msg)
        if not all(one.ok for one in again) or again[0].data != again[1].data:
            msg = f"{self.name} of {binding.name}: a stage can't be entered twice alike"
            raise BundleError(msg)


PRIMITIVE = StagedPublication()
