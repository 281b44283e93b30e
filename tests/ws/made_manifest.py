"""Small environments for the tests of `ws`, built value by value."""

import json
from collections.abc import Mapping
from typing import Any

from envplatform.ws import Broker, MemoryHoldings, Reply, Request, read_manifest


def manifest_bytes(
    views: list[dict[str, Any]],
    files: Mapping[str, bytes],
    **permissions: Any,  # noqa: ANN401  JSON
) -> bytes:
    """Return an env.json with one resource a file, named as its path."""
    said = {
        "providers": [{"name": "files", "kind": "file"}],
        "resources": [
            {"name": path, "kind": "content", "provider": "files", "location": path}
            for path in files
        ],
        "views": views,
        "permissions": permissions,
    }
    return json.dumps(said).encode()


def broker_of(
    views: list[dict[str, Any]],
    files: Mapping[str, bytes],
    **permissions: Any,  # noqa: ANN401  JSON
) -> Broker:
    """Return a broker over files in memory."""
    data = manifest_bytes(views, files, **permissions)
    return Broker(read_manifest(data), MemoryHoldings(files))


def ask(broker: Broker, operation: str, **arguments: Any) -> Reply:  # noqa: ANN401  JSON
    """Ask once."""
    return broker.ask(Request(operation, arguments))
