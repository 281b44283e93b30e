"""The public interface that an agent works through, as it ships inside environments.

Standard library only, Python 3.8 and later, and nothing of ours is imported from
outside this folder: it is copied beside an environment and runs there as `ws`. The
`Broker` answers requests, a view says what can be done with a name, holdings keep the
bytes, `server` and `client` are the two ends of one Unix socket. What a primitive, a
family or a pillar is, nothing here knows. Other faces of the interface (tool schemas,
MCP) are adapters on the host's side and live elsewhere.
"""

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
