"""Has again by public requests what the root of this task showed, before its oracle runs.

What comes back is laid down below /tmp/recovered as the root's broker held it; `relay.py`
answers the root's names from there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), "/run/ws/lib"]

from recovery import Recovery  # noqa: E402  the folder must be on the path first
from ws.client import Client  # noqa: E402
from ws.wire import Request  # noqa: E402

HELD = Path("/tmp/recovered")  # noqa: S108  in the oracle's own sandbox


def main() -> None:
    """Recover all; end with what went wrong."""
    trail = json.loads((HERE / "recovery.json").read_text())
    locations = {one["name"]: one["location"] for one in trail["root"]["resources"]}
    with Client() as client:

        def ask(
            operation: str, arguments: Mapping[str, Any]
        ) -> tuple[bytes | None, Any]:
            reply = client.ask(Request(operation, arguments))
            if not reply.ok:
                msg = f"{operation} {arguments.get('name')}: {reply.error}: "
                raise LookupError(msg + reply.message)
            return reply.content, reply.data

        recovery = Recovery(trail["entries"], ask)
        for view in trail["root"]["views"]:
            content = recovery.get(view["name"])
            lay_down(HELD / locations[view["source"]], content, view["kind"])


def lay_down(place: Path, content: bytes, kind: str) -> None:
    """Write one resource; of a folder, all its files."""
    if kind != "folder":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return
    for path, text in json.loads(content).items():
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))


main()
