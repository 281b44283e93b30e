"""Values replaced by references, and a dictionary that gives one at a time."""

import re
from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import Primitive, companion, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft, compact
from envplatform.workspace.recipes import plain, read, substituted, var
from envplatform.workspace.recovery import Node

_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@/-]{3,}[A-Za-z0-9]")
_REFERENCE = re.compile(r"<([0-9a-f]{6})>")


class FieldReference(Primitive):
    """Dereference."""

    name = "field_reference"
    summary = "values in a text become references to a dictionary that can't be listed"
    size = ("values", 1, 40)

    def options(self) -> tuple[str, ...]:
        """`values`: how many, from 1 to 40; fewer where there are fewer."""
        return ("values",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "values", 1, 40)
        found = sorted(
            set(_VALUE.findall(draft.text)), key=lambda one: (-len(one), one)
        )
        if not found or _REFERENCE.search(draft.text):
            draft.refuse("there is no value that a reference could stand for")
        chosen = set(draft.random.sample(found, min(count, len(found))))
        ids = {value: draft.token("id", value)[:6] for value in sorted(chosen)}
        if len(set(ids.values())) != len(ids):
            draft.refuse("two references would be one")
        text = _VALUE.sub(
            lambda one: f"<{ids[one[0]]}>" if one[0] in chosen else one[0], draft.text
        )
        named = f"{draft.name}.values-{draft.token('name')[:4]}"
        draft.entry(text, f"`<id>` stands for a value that {named} has by its id.")
        draft.show(
            named,
            "lookup",
            draft.hold(compact({one: value for value, one in ids.items()})),
            about="One value, by its id.",
            needs=(draft.name,),
            needed_as="key",
        )
        value = read(named, key=var("id"))
        return substituted(plain(draft.name), _REFERENCE.pattern, "id", value)

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """One value a reference, one reference a value, none dangling."""
        session = opened()
        text = session.read(binding.name).decode("utf-8")
        ids = sorted(set(_REFERENCE.findall(text)))
        told = companion(session, binding.name, "values")
        values = [session.read(told, key=one) for one in ids]
        if not ids or len(set(values)) != len(values):
            msg = f"{self.name} of {binding.name}: references are not one to one"
            raise BundleError(msg)
        if any(value not in content for value in values):
            msg = f"{self.name} of {binding.name}: a value is not of the content"
            raise BundleError(msg)


PRIMITIVE = FieldReference()
