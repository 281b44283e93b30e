"""A content that opens to a value which stands in another document."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import at, get, parsed, read
from envplatform.workspace.recovery import Node
from envplatform.ws.wire import digest


class DependencyLookup(Primitive):
    """Read the value, pass it on."""

    name = "dependency_lookup"
    summary = "a content opens only to the stamp of another document"

    def options(self) -> tuple[str, ...]:
        """`on`: the name of a document with a stamp; a new one is made where it is not given."""
        return ("on",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        on = options.get("on")
        if on is None:
            on = f"{draft.name}.pass-{draft.token('name')[:4]}"
            held = draft.hold({STAMP: draft.token(STAMP)}, "key")
            draft.show(on, "content", held, about="A document with a stamp.")
        stamp = draft.stamp_at(on)
        if draft.name in draft.behind(on):
            draft.refuse(f"{on} can only be read with it: they would need each other")
        told = (
            f"Opens to the `stamp` of {on}: pass it as key."
            if "on" not in options or draft.is_listed(on)
            else "Opens to the `stamp` of a document that no list tells of: pass as key "
            f"the one whose SHA-256 begins with {digest(stamp.encode())[:8]}."
        )
        draft.same(
            told,
            "gate",
            key_sha256=digest(stamp.encode()),
            needs=(on,),
            needed_as="key",
        )
        return read(draft.name, key=at(parsed(get(on)), STAMP))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """A wrong key is refused, and so is none."""
        del content
        session = opened()
        tries: tuple[dict[str, str], ...] = (
            {},
            {"key": "stamp"},
            {"key": binding.name},
        )
        if any(session.ask("read", name=binding.name, **given).ok for given in tries):
            msg = f"{self.name} of {binding.name}: it opens without the key"
            raise BundleError(msg)


PRIMITIVE = DependencyLookup()
