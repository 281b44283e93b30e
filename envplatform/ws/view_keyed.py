"""Views that want something known: an entry's key, a gate's value, a version."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from .errors import NOT_FOUND, REFUSED, WsError
from .view import View, required
from .wire import Reply, canonical, digest


class LookupView(View):
    """One entry at a time of a JSON object; the keys can't be listed."""

    operations = ("read",)

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        del operation
        self.takes(arguments, "key")
        key = required(
            arguments, "key", "the entry to look up; entries can't be listed"
        )
        entries = self.room.object(self.spec.source)
        if key not in entries:
            raise WsError(NOT_FOUND, f"{self.spec.name} has no entry {key!r}")
        found = entries[key]
        text = found if isinstance(found, str) else canonical(found)
        return Reply(content=text.encode("utf-8", "surrogatepass"))


class GateView(View):
    """A resource that opens to one value, of which the manifest has the digest only."""

    operations = ("read",)
    needs = ("key_sha256",)

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        del operation
        self.takes(arguments, "key")
        key = required(arguments, "key", self.spec.about or "another resource holds it")
        told = digest(key.encode("utf-8", "surrogatepass"))
        if not hmac.compare_digest(told, str(self.option("key_sha256"))):
            raise WsError(REFUSED, f"{self.spec.name}: this is not the key")
        return Reply(content=self.source())


class VersionView(View):
    """Several resources under one name, told apart by `version`; there is no default."""

    operations = ("read",)
    needs = ("versions",)

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        del operation
        self.takes(arguments, "version")
        versions = self.option("versions")
        version = required(
            arguments, "version", self.spec.about or "another resource tells which"
        )
        if version not in versions:
            msg = f"{self.spec.name} has no version {version!r}"
            raise WsError(NOT_FOUND, msg)
        return Reply(content=self.room.content(versions[version]))
