"""Identifiers of one name space written in another, and a map between both."""

import re
from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, companion, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import (
    at,
    get,
    let,
    parsed,
    plain,
    substituted,
    var,
)
from envplatform.workspace.recovery import Node

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z_]*[-_.:]?[0-9]+|[A-Za-z]+_[A-Za-z_]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{4,}")
_ALIAS = re.compile(r"#([0-9a-f]{6})#")


class NamespaceBridge(Primitive):
    """Resolve through the map."""

    name = "namespace_bridge"
    summary = "identifiers in a text are those of another system, with a map to ours"

    def options(self) -> tuple[str, ...]:
        """`identifiers`: how many, from 1 to 40; fewer where there are fewer."""
        return ("identifiers",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "identifiers", 1, 40)
        pattern = _IDENTIFIER if _IDENTIFIER.search(draft.text) else _WORD
        found = sorted(set(pattern.findall(draft.text)))
        if not found or _ALIAS.search(draft.text):
            draft.refuse("there is no identifier to translate")
        chosen = set(draft.random.sample(found, min(count, len(found))))
        alias = {one: draft.token("id", one)[:6] for one in sorted(chosen)}
        text = pattern.sub(
            lambda one: f"#{alias[one[0]]}#" if one[0] in chosen else one[0], draft.text
        )
        if len(set(alias.values())) != len(alias) or _undone(text, alias) != draft.text:
            draft.refuse("the identifiers can't be told apart in another space")
        named = f"{draft.name}.ids-{draft.token('name')[:4]}"
        ids = {new: old for old, new in alias.items()}
        draft.show(
            named,
            "content",
            draft.hold({STAMP: draft.token(STAMP), "ids": ids}, "key"),
            about="Identifiers of the other system and ours.",
        )
        draft.entry(
            text, f"`#id#` is an identifier of another system; {named} has ours."
        )
        draft.need(draft.name, named, "key")
        ours = at(var("ids"), var("id"))
        return let(
            "ids",
            at(parsed(get(named)), "ids"),
            substituted(plain(draft.name), _ALIAS.pattern, "id", ours),
        )

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """One identifier of ours for each of theirs, and the other way round."""
        del content
        session = opened()
        told = companion(session, binding.name, "ids")
        ids = session.document(told)["ids"]
        if len(set(ids.values())) != len(ids) or not ids:
            msg = f"{self.name} of {binding.name}: the map is not one to one"
            raise BundleError(msg)


def _undone(text: str, alias: dict[str, str]) -> str:
    ours = {new: old for old, new in alias.items()}
    return _ALIAS.sub(lambda one: ours.get(one[1], one[0]), text)


PRIMITIVE = NamespaceBridge()
