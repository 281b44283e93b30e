"""The public interface of a workspace in this process: what an agent could ask, and get.

The same broker and views as in a sandbox, over memory. For verifiers and explorers,
whose requests are ours; an agent's requests never come here.
"""

import json
from collections.abc import Mapping
from typing import Any

from envplatform.bundle import Environment
from envplatform.workspace.graph import served_manifest
from envplatform.ws import Broker, MemoryHoldings, Reply, Request


class Interface:
    """One session. A new one is the reset."""

    def __init__(self, environment: Environment, *, without: str = "") -> None:
        """Begin a session; `without`: a name that is left out of what is served.

        Raises:
            ManifestError: of `ws`; it can't be served.
        """
        held = {path: file.data for path, file in environment.served.items()}
        manifest = served_manifest(environment)
        views = {n: view for n, view in manifest.views.items() if n != without}
        self.broker = Broker(manifest._replace(views=views), MemoryHoldings(held))

    @property
    def calls(self) -> int:
        """Requests so far."""
        return len(self.broker.log)

    def ask(self, operation: str, **arguments: Any) -> Reply:  # noqa: ANN401  JSON
        """Ask once; what is refused is a reply like any other."""
        return self.broker.ask(Request(operation, arguments))

    def request(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> tuple[bytes | None, Any]:
        """Ask once; return content and data, of which one is None.

        Raises:
            LookupError: the answer was no; says which.
        """
        reply = self.broker.ask(Request(operation, arguments))
        if not reply.ok:
            name = arguments.get("name", "")
            msg = f"{operation} {name}: {reply.error}: {reply.message}"
            raise LookupError(msg)
        return reply.content, reply.data

    def read(self, name: str, **arguments: str) -> bytes:
        """Return the content that `read` gives.

        Raises:
            LookupError: the answer was no, or was no content; says which.
        """
        reply = self.ask("read", name=name, **arguments)
        if not reply.ok or reply.content is None:
            msg = f"read {name}: {reply.error or 'no content'}: {reply.message}"
            raise LookupError(msg)
        return reply.content

    def document(self, name: str) -> Any:  # noqa: ANN401  JSON
        """Return the JSON document that `read` gives.

        Raises:
            LookupError: as `read`, or it is none.
        """
        try:
            return json.loads(self.read(name))
        except ValueError:
            msg = f"{name} holds no JSON document"
            raise LookupError(msg) from None
