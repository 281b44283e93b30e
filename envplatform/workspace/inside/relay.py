"""`ws` for the root's oracle: the root's names from what was recovered, all else as it is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, "/run/ws/lib")

from ws import Broker, FolderHoldings, cli, read_manifest  # noqa: E402  as above
from ws.client import Client  # noqa: E402
from ws.wire import Reply, decode_reply, decode_request, encode_reply  # noqa: E402

HELD = Path("/tmp/recovered")  # noqa: S108  in the oracle's own sandbox


class Relay(Client):
    """Asks the broker of this environment only for what the root's would still show."""

    def __init__(self, path: str = "") -> None:
        super().__init__(path)
        trail = json.loads((HERE / "recovery.json").read_text())
        root = trail["root"]
        self._made = frozenset(trail["made"])
        self._names = [(view["name"], view["kind"]) for view in root["views"]]
        manifest = read_manifest(json.dumps(root).encode())
        self._root = Broker(manifest, FolderHoldings(HELD))

    def ask_line(self, line: bytes) -> bytes:
        """See the base class."""
        request = decode_request(line)
        if request.operation == "list":
            return encode_reply(self._list(line)).rstrip(b"\n")
        if self._is_of_root(str(request.arguments.get("name", ""))):
            return encode_reply(self._root.ask(request)).rstrip(b"\n")
        return super().ask_line(line)

    def _is_of_root(self, name: str) -> bool:
        return any(
            name == one or (kind == "folder" and name.startswith(f"{one}/"))
            for one, kind in self._names
        )

    def _list(self, line: bytes) -> Reply:
        """What the root would list: its names, and those that are as they were."""
        reply = decode_reply(super().ask_line(line))
        if not reply.ok:
            return reply
        kept = [
            one
            for one in reply.data["names"]
            if one["name"] not in self._made and not self._is_of_root(one["name"])
        ]
        ours = self._root.ask(decode_request(line)).data["names"]
        names = sorted([*kept, *ours], key=lambda one: str(one["name"]))
        return Reply(data={**reply.data, "names": names})


cli.Client = Relay  # the command line asks through it
sys.exit(cli.main(sys.argv[1:]))
