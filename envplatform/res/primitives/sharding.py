"""A content in parts, and a manifest that tells their names in order."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, groups, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import at, each, get, joined, parsed, plain, var
from envplatform.workspace.recovery import Node


class Sharding(Primitive):
    """Read all, put them together."""

    name = "sharding"
    summary = "a content becomes parts and a manifest of their names"
    size = ("parts", 2, 12)

    def options(self) -> tuple[str, ...]:
        """`parts`: from 2 to 12; fewer where there is less to part."""
        return ("parts",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "parts", 2, 12)
        parts = _parts(draft.content, count)
        if len(parts) < 2:  # noqa: PLR2004  one part is no parts
            draft.refuse("there is too little to part")
        names = [draft.hidden_name(place) for place in range(len(parts))]
        draft.entry(
            {STAMP: draft.token(STAMP), "parts": names},
            "A manifest: read the parts that it names and put them together in its order.",
        )
        for name, part in zip(names, parts, strict=True):
            draft.show(
                name, "content", draft.hold(part), about="A part.", needs=(draft.name,)
            )
        named = at(parsed(plain(draft.name)), "parts")
        return joined(each("part", named, get(var("part"))))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Complete, disjoint, ordered."""
        session = opened()
        names = session.document(binding.name)["parts"]
        parts = [session.read(name) for name in names]
        if len(set(names)) != len(names) or not all(parts):
            msg = f"{self.name} of {binding.name}: parts are empty or named twice"
            raise BundleError(msg)
        if b"".join(parts) != content:
            msg = f"{self.name} of {binding.name}: the parts are not the content"
            raise BundleError(msg)


def _parts(content: bytes, count: int) -> list[bytes]:
    lines = content.splitlines(keepends=True)
    if len(lines) >= count:
        return [b"".join(run) for run in groups(lines, count)]
    try:
        characters = list(content.decode("utf-8"))
    except UnicodeDecodeError:
        return [bytes(run) for run in groups(list(content), count)]
    return ["".join(run).encode() for run in groups(characters, count)]


PRIMITIVE = Sharding()
