"""The public interface that an agent works through, as it ships inside environments.

Standard library only, Python 3.8 and later, and nothing of ours is imported from
outside this folder: it is copied beside an environment and runs there as `ws`. The
`Broker` answers requests, a view says what can be done with a name, holdings keep the
bytes, `server` and `client` are the two ends of one Unix socket. What a primitive, a
family or a pillar is, nothing here knows. Other faces of the interface (tool schemas,
MCP) are adapters on the host's side and live elsewhere.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .broker import Broker
    from .errors import WsError
    from .holdings import FolderHoldings, Holdings, MemoryHoldings
    from .manifest import Manifest, read_manifest
    from .operations import OPERATIONS, Operation, Parameter
    from .wire import Reply, Request

__all__ = [
    "OPERATIONS",
    "Broker",
    "FolderHoldings",
    "Holdings",
    "Manifest",
    "MemoryHoldings",
    "Operation",
    "Parameter",
    "Reply",
    "Request",
    "WsError",
    "read_manifest",
]

_HOMES = {
    "broker": ("Broker",),
    "errors": ("WsError",),
    "holdings": ("FolderHoldings", "Holdings", "MemoryHoldings"),
    "manifest": ("Manifest", "read_manifest"),
    "operations": ("OPERATIONS", "Operation", "Parameter"),
    "wire": ("Reply", "Request"),
}


def __getattr__(name: str) -> object:
    """Import what is asked for: a command that asks once needs no broker."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
