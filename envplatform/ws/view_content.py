"""Views of whole files: one resource as it is, or all files below one folder."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from .errors import CONFLICT, INVALID, NOT_FOUND, WsError
from .holdings import clean
from .view import View
from .wire import Reply


class ContentView(View):
    """One resource, byte for byte."""

    operations = ("read", "write", "edit", "delete")

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        where = self.room.resource(self.spec.source).location
        return _answer(self, operation, arguments, where)

    def names(self, prefix: str = "") -> list[str]:
        """See the base class; a resource that was deleted has no name."""
        del prefix
        where = self.room.resource(self.spec.source).location
        return [self.spec.name] if self.room.holdings.holds(where) else []


class FolderView(View):
    """All files below the resource's location, by the view's name, a slash, their path."""

    operations = ("read", "write", "edit", "delete")

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        path = clean(arguments["name"][len(self.spec.name) + 1 :])
        where = self.room.resource(self.spec.source).location
        return _answer(self, operation, arguments, f"{where}/{path}")

    def names(self, prefix: str = "") -> list[str]:
        """See the base class; looks below the folder that `prefix` names, no further."""
        where = self.room.resource(self.spec.source).location
        cut, own = len(where) + 1, f"{self.spec.name}/"
        if not own.startswith(prefix) and not prefix.startswith(own):
            return []
        inner = prefix[len(own) :].rpartition("/")[0]
        start = f"{where}/{inner}" if inner else where
        try:
            found = self.room.holdings.below(clean(start))
        except WsError:
            return []
        return [f"{own}{path[cut:]}" for path in found]


def _answer(view: View, operation: str, said: Mapping[str, Any], where: str) -> Reply:
    holdings = view.room.holdings
    if operation == "read":
        view.takes(said)
        if not holdings.holds(where):
            raise WsError(
                NOT_FOUND, f"{said['name']} is not there; `list` tells what is"
            )
        return Reply(content=holdings.read(where))
    if operation == "write":
        content = _content(said)
        holdings.write(where, content)
        return Reply(data={"bytes": len(content)})
    if not holdings.holds(where):
        raise WsError(NOT_FOUND, f"{said['name']} is not there; `list` tells what is")
    if operation == "delete":
        holdings.delete(where)
        return Reply(data={"deleted": said["name"]})
    changed = _edited(holdings.read(where), said)
    holdings.write(where, changed)
    return Reply(data={"bytes": len(changed)})


def _content(said: Mapping[str, Any]) -> bytes:
    encoding = said.get("encoding", "text")
    if encoding == "base64":
        try:
            return base64.b64decode(said["content"], validate=True)
        except (binascii.Error, ValueError):
            raise WsError(INVALID, "content is not base64") from None
    if encoding != "text":
        raise WsError(INVALID, "encoding is text or base64")
    return _bytes(said["content"], "content")


def _edited(content: bytes, said: Mapping[str, Any]) -> bytes:
    old, new = _bytes(said["old"], "old"), _bytes(said["new"], "new")
    if not old:
        raise WsError(INVALID, "old must not be empty")
    found = content.count(old)
    if found != 1:
        msg = f"old occurs {found} times in {said['name']}; it must occur once"
        raise WsError(CONFLICT, msg)
    return content.replace(old, new)


def _bytes(text: str, what: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise WsError(INVALID, f"{what} holds half a surrogate pair") from None
