"""The platform's end of the channel to the first process of a container.

Speaks over the engine's attach stream: frames of eight bytes of header and their
data (1: output, 2: errors), in which the messages of `inside.channel` travel. What
arrives is bounded and parsed strictly. Which container it is, is `docker`'s matter.
"""

import json
import socket
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from envplatform.errors import SandboxError
from envplatform.sandbox.base import Ending
from envplatform.sandbox.threads import Cancelled

_CHUNK = 1 << 16
_POLL_S = 0.2
_STOP_S = 30.0
_LONGEST_LINE = 64_000_000
_LAST_WORDS = 2000


class HungUpError(Exception):
    """The container is gone, or never answered."""


class Reply(BaseModel):
    """The line of an answer; which fields are set depends on the request."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    bytes: int
    error: str | None = None
    breach: Ending | None = None
    exit_code: int | None = None
    stdout: int = 0
    stderr: int = 0
    truncated: bool = False
    seconds: float = 0.0
    files: list[tuple[str, bool, int]] = []


@dataclass(slots=True)
class Patience:
    """How long to wait for an answer."""

    until: float
    """On the monotonic clock."""
    cancelled: Cancelled
    _told: bool = False

    def check(self) -> None:
        """Raise when it has run out.

        Raises:
            HungUpError: too late.
        """
        if time.monotonic() > self.until:
            raise HungUpError

    def just_cancelled(self) -> bool:
        """Whether the answer is no longer wanted; true only once."""
        if self._told or not self.cancelled():
            return False
        self._told = True
        self.until = min(self.until, time.monotonic() + _STOP_S)
        return True


class Closable(Protocol):
    """Anything that can be closed."""

    def close(self) -> None:
        """Close it."""


class Line:
    """One open attach stream."""

    def __init__(self, owner: Closable, stream: socket.socket) -> None:
        self._owner = owner  # what docker-py gave; it closes `stream` when collected
        self._stream = stream
        self._stream.settimeout(_POLL_S)
        self._raw = bytearray()
        self._received = bytearray()
        self._errors = bytearray()

    @property
    def last_words(self) -> str:
        """The end of what the first process wrote to its error stream."""
        return self._errors.decode(errors="replace")

    def ask(
        self,
        request: Mapping[str, object],
        payload: bytes,
        patience: Patience,
        *,
        most: int,
    ) -> tuple[Reply, bytes]:
        """Send one request and wait for its answer, of at most `most` bytes.

        Raises:
            HungUpError: the container is gone, or patience ran out.
            SandboxError: the answer is none.
        """
        line = json.dumps({**request, "bytes": len(payload)}).encode() + b"\n"
        self._send(line, patience)
        self._send(payload, patience)
        while b"\n" not in self._received:
            self._more(patience)
            if len(self._received) > _LONGEST_LINE + most:
                msg = "the container answers without end"
                raise SandboxError(msg)
        head, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        reply = _parsed(head)
        if not 0 <= reply.bytes <= most:
            msg = f"the container announces {reply.bytes} bytes, asked for {most}"
            raise SandboxError(msg)
        while len(self._received) < reply.bytes:
            self._more(patience)
        data = bytes(self._received[: reply.bytes])
        del self._received[: reply.bytes]
        return reply, data

    def close(self) -> None:
        """Hang up; the first process ends when it notices."""
        self._owner.close()
        self._stream.close()

    def _send(self, data: bytes, patience: Patience) -> None:
        left = memoryview(data)
        while left:
            patience.check()
            try:
                left = left[self._stream.send(left[:_CHUNK]) :]
            except TimeoutError:
                continue
            except OSError as error:
                raise HungUpError from error

    def _more(self, patience: Patience) -> None:
        """Wait for bytes and sort the complete frames among them."""
        patience.check()
        if patience.just_cancelled():
            self._send(b"\n", patience)  # `inside` takes it for: stop, then answer
        try:
            chunk = self._stream.recv(_CHUNK)
        except TimeoutError:
            return
        except OSError as error:
            raise HungUpError from error
        if not chunk:
            raise HungUpError
        self._raw += chunk
        while len(self._raw) >= 8:  # noqa: PLR2004  a frame's header
            kind, size = struct.unpack_from(">BxxxL", self._raw)
            if len(self._raw) < 8 + size:
                return
            data = self._raw[8 : 8 + size]
            del self._raw[: 8 + size]
            if kind == 1:
                self._received += data
            else:
                self._errors = (self._errors + data)[-_LAST_WORDS:]


def _parsed(line: bytes) -> Reply:
    try:
        return Reply.model_validate_json(line)
    except ValidationError as error:
        msg = f"the container's answer is not one: {error}"
        raise SandboxError(msg) from error
