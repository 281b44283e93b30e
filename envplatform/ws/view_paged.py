"""A resource in parts, each of which tells how to get the next; none can be skipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import NOT_FOUND, ManifestError, WsError
from .manifest import ViewSpec
from .view import Room, View, token
from .wire import Reply, text_of


class PageView(View):
    """Parts of a text resource: `{"content", "next"}`, `next` being null at the end.

    Option `lengths`: characters of each part but the last; `salt`: makes cursors
    impossible to guess. A cursor names the text it was made for, so a resource that
    changed meanwhile is to be read from its beginning.
    """

    operations = ("read",)
    needs = ("lengths", "salt")

    def __init__(self, spec: ViewSpec, room: Room) -> None:
        super().__init__(spec, room)
        lengths = self.option("lengths")
        if not isinstance(lengths, list) or not all(
            isinstance(one, int) and one > 0 for one in lengths
        ):
            msg = f"view {spec.name}: lengths must be whole numbers above 0"
            raise ManifestError(msg)

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        del operation
        self.takes(arguments, "cursor")
        text = text_of(self.source())
        if text is None:
            msg = f"view {self.spec.name}: only text can be paged"
            raise ManifestError(msg)
        parts = self._parts(text)
        place = self._place(arguments.get("cursor", ""), text, len(parts))
        following = self._cursor(text, place + 1) if place + 1 < len(parts) else None
        return Reply(data={"content": parts[place], "next": following})

    def _parts(self, text: str) -> list[str]:
        parts: list[str] = []
        for length in self.option("lengths"):
            parts.append(text[:length])
            text = text[length:]
        return [part for part in (*parts, text) if part] or [""]

    def _cursor(self, text: str, place: int) -> str:
        return token(str(self.option("salt")), self.spec.name, text, str(place))

    def _place(self, cursor: str, text: str, parts: int) -> int:
        if not cursor:
            return 0
        for place in range(1, parts):
            if self._cursor(text, place) == cursor:
                return place
        raise WsError(NOT_FOUND, f"{self.spec.name}: no part has this cursor")
