"""Has again by public requests what the root of this task showed, before its oracle runs.

Where a user looks on nothing is had before the oracle asks for it: what the user changes
once something was read must change then, and not before.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from had import Trail
from ws.client import Client
from ws.wire import Request


def main() -> None:
    """Recover all; end with what went wrong."""
    trail = Trail()
    if trail.lazy:
        return
    with Client() as client:

        def ask(
            operation: str, arguments: Mapping[str, Any]
        ) -> tuple[bytes | None, Any]:
            reply = client.ask(Request(operation, arguments))
            if not reply.ok:
                msg = f"{operation} {arguments.get('name')}: {reply.error}: "
                raise LookupError(msg + reply.message)
            return reply.content, reply.data

        for view in trail.root["views"]:
            trail.have(view, ask)


main()
