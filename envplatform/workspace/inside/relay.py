"""`ws` for the root's oracle: the root's names from what is recovered, all else as it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from had import HELD, Trail
from ws import Broker, FolderHoldings, MemoryHoldings, cli, read_manifest
from ws.client import Client
from ws.wire import (
    Reply,
    Request,
    decode_reply,
    decode_request,
    encode_reply,
    encode_request,
)


class Relay(Client):
    """Asks the broker of this environment only for what the root's would still show."""

    def __init__(self, path: str = "") -> None:
        super().__init__(path)
        self._trail = Trail()
        self._views = self._trail.root["views"]
        manifest = read_manifest(json.dumps(self._trail.root).encode())
        self._root = Broker(manifest, FolderHoldings(HELD))
        # Lists names of what was not had yet: who lists has not read.
        blank = {one["location"]: b"" for one in self._trail.root["resources"]}
        self._blank = Broker(manifest, MemoryHoldings(blank))

    def ask_line(self, line: bytes) -> bytes:
        """See the base class."""
        request = decode_request(line)
        if request.operation == "list":
            return encode_reply(self._list(line)).rstrip(b"\n")
        view = self._view(str(request.arguments.get("name", "")))
        if view is not None:
            self._trail.have(view, self._asked)
            return encode_reply(self._root.ask(request)).rstrip(b"\n")
        return super().ask_line(line)

    def _asked(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> tuple[bytes | None, Any]:
        line = encode_request(Request(operation, arguments))
        reply = decode_reply(super().ask_line(line))
        if not reply.ok:
            msg = f"{operation} {arguments.get('name')}: {reply.error}: "
            raise LookupError(msg + reply.message)
        return reply.content, reply.data

    def _view(self, name: str) -> Mapping[str, Any] | None:
        """Return what the root showed at a name, if that is shown otherwise now."""
        for view in self._views:
            below = view["kind"] == "folder" and name.startswith(f"{view['name']}/")
            if name == view["name"] or below:
                return dict(view)
        return None

    def _list(self, line: bytes) -> Reply:
        """What the root would list: its names, and those that are as they were."""
        reply = decode_reply(super().ask_line(line))
        if not reply.ok:
            return reply
        kept = [
            one
            for one in reply.data["names"]
            if one["name"] not in self._trail.made and self._view(one["name"]) is None
        ]
        request = decode_request(line)
        prefix = str(request.arguments.get("prefix", ""))
        for view in self._views:
            if view["kind"] == "folder" and f"{view['name']}/".startswith(prefix):
                self._trail.have(view, self._asked)
        ours = self._root.ask(request).data["names"]
        known = {one["name"] for one in ours}
        plain = {view["name"] for view in self._views if view["kind"] != "folder"}
        unread = [
            one
            for one in self._blank.ask(request).data["names"]
            if one["name"] in plain - known
        ]
        names = sorted([*kept, *ours, *unread], key=lambda one: str(one["name"]))
        return Reply(data={**reply.data, "names": names})


cli.Client = Relay  # the command line asks through it
sys.exit(cli.main(sys.argv[1:]))
