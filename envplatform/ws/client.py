"""The agent's end of the socket: one request a line, one reply a line."""

from __future__ import annotations

import os
import socket
import time
from types import TracebackType

from .errors import FAILED, WsError
from .wire import MAX_REPLY_BYTES, Reply, Request, decode_reply, encode_request

SOCKET = "/run/ws/agent.sock"
"""Where a broker listens, unless WS_SOCKET says otherwise."""
_CHUNK = 1 << 16
_PATIENCE_S = 10.0


class Client:
    """One connection, for use in a `with`."""

    def __init__(self, path: str = "", *, patience_s: float = _PATIENCE_S) -> None:
        self._path = path or os.environ.get("WS_SOCKET", SOCKET)
        self._patience_s = patience_s
        self._socket: socket.socket | None = None
        self._rest = bytearray()

    def __enter__(self) -> Client:  # noqa: PYI034  typing.Self is of Python 3.11
        """Connect; waits for a broker that is about to come up.

        Raises:
            WsError: `failed`; nobody listens.
        """
        deadline = time.monotonic() + self._patience_s
        while True:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                line.connect(self._path)
            except OSError as error:
                line.close()
                if time.monotonic() > deadline:
                    msg = f"nobody listens at {self._path}: {error}"
                    raise WsError(FAILED, msg) from None
                time.sleep(0.02)
            else:
                self._socket = line
                return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()

    def ask(self, request: Request) -> Reply:
        """Send one request and wait for its reply.

        Raises:
            WsError: `failed`; the broker is gone.
        """
        return decode_reply(self.ask_line(encode_request(request)))

    def ask_line(self, line: bytes) -> bytes:
        """Send one line, newline included, and return the line that answers.

        Raises:
            WsError: `failed`; the broker is gone.
        """
        if self._socket is None:
            raise WsError(FAILED, "not connected")
        try:
            self._socket.sendall(line)
            while b"\n" not in self._rest[-_CHUNK:]:
                chunk = self._socket.recv(_CHUNK)
                if not chunk or len(self._rest) > 2 * MAX_REPLY_BYTES:
                    raise WsError(FAILED, "the broker hung up")
                self._rest += chunk
        except OSError as error:
            raise WsError(FAILED, f"the broker is gone: {error}") from None
        answer, _, rest = self._rest.partition(b"\n")
        self._rest = rest
        return bytes(answer)
