"""The public interface of a workspace in this process: what an agent could ask, and get.

The same broker and views as in a sandbox, over memory. For verifiers and explorers,
whose requests are ours; an agent's requests never come here.
"""

from typing import Any

from envplatform.bundle import Environment
from envplatform.workspace.graph import manifest_of
from envplatform.ws import Broker, MemoryHoldings, Reply, Request, read_manifest


class Interface:
    """One session. A new one is the reset."""

    def __init__(self, environment: Environment) -> None:
        """Raise BundleError or ws's ManifestError if it can't be served."""
        held = {path: file.data for path, file in environment.served.items()}
        self.broker = Broker(
            read_manifest(manifest_of(environment)), MemoryHoldings(held)
        )

    @property
    def calls(self) -> int:
        """Requests so far."""
        return len(self.broker.log)

    def ask(self, operation: str, **arguments: Any) -> Reply:  # noqa: ANN401  JSON
        """Ask once; what is refused is a reply like any other."""
        return self.broker.ask(Request(operation, arguments))

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
