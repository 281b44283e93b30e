"""The right source among others, and a policy that tells which counts."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, stale, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import at, chosen, get, let, parsed, plain, var
from envplatform.workspace.recovery import Node

_OTHER_STATES = ("mirror", "retired", "working copy", "trial")
_AUTHORITATIVE = "system of record"


class SourceRouting(Primitive):
    """Read the policy, then the source that it names."""

    name = "source_routing"
    summary = (
        "a content lies at one of several sources; a policy tells which one counts"
    )

    def options(self) -> tuple[str, ...]:
        """`decoys`: 1 or 2."""
        return ("decoys",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "decoys", 1, 2)
        others = stale(draft, count)
        states = [_AUTHORITATIVE, *draft.random.sample(_OTHER_STATES, count)]
        sources = [
            {"name": draft.hidden_name(state), "state": state} for state in states
        ]
        for one in sources:
            is_right = one["state"] == _AUTHORITATIVE
            draft.show(
                one["name"],
                "content",
                draft.source() if is_right else draft.hold(others.pop()),
                about="One source.",
                needs=(draft.name,) if is_right else (),
            )
        draft.random.shuffle(sources)
        draft.entry(
            {
                STAMP: draft.token(STAMP),
                "counts": _AUTHORITATIVE,
                "sources": sources,
            },
            "A routing policy: the source whose state is what `counts` says is the one to read.",
        )
        told = var("told")
        right = chosen(at(told, "sources"), {"state": at(told, "counts")})
        return let("told", parsed(plain(draft.name)), get(at(right, "name")))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Exactly one source counts and has the content, and no other does."""
        session = opened()
        told = session.document(binding.name)
        right = [one for one in told["sources"] if one["state"] == told["counts"]]
        others = [one for one in told["sources"] if one not in right]
        if len(right) != 1 or not others:
            msg = f"{self.name} of {binding.name}: {len(right)} sources count"
            raise BundleError(msg)
        if session.read(right[0]["name"]) != content:
            msg = f"{self.name} of {binding.name}: the source that counts lacks it"
            raise BundleError(msg)
        if any(session.read(one["name"]) == content for one in others):
            msg = f"{self.name} of {binding.name}: another source has the content too"
            raise BundleError(msg)


PRIMITIVE = SourceRouting()
