"""Asking a broker through its control socket: for the platform, and for the user inside.

From this process where it has a way to the socket; else by a small program in a sandbox
that has a door to it. Here: how a request gets there. Not here: what is asked (`broker`).
"""

import asyncio
import socket
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from importlib import resources
from pathlib import Path

from envplatform.errors import SandboxError
from envplatform.sandbox.base import Door, Image, Limits, Sandbox, SandboxProvider
from envplatform.sandbox.sockets import HeldSocket, SocketFolder
from envplatform.ws import Reply, Request, WsError
from envplatform.ws.server import MAX_WAIT_S
from envplatform.ws.wire import decode_reply, encode_request

CONTROL = "ctl"
"""Name of the door: `/run/ctl`."""
NAME = "control.sock"
SOCKET = f"/run/{CONTROL}/{NAME}"

_MOST_BYTES = 512_000_000
"""Of one answer: a log may be long."""
_SLACK_S = 60.0
_PATIENCE_S = 10.0
"""For a broker that is about to come up."""
_POLL_S = 0.005
_CHUNK = 1 << 18


class Control(ABC):
    """Asks one broker, as often as it is told to."""

    @abstractmethod
    async def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """Put requests one after the other; a reply for each, in their order.

        The last may be `await_message`, which lets nobody else wait.

        Raises:
            SandboxError: the broker is gone, or says what is no reply.
        """


class SocketControl(Control):
    """Connects to the socket from this process, which is held once it is there.

    What listens is a stranger all the same: services of an environment run beside the
    broker. What it says is bounded in size and time, and parsed strictly.
    """

    def __init__(self, folder: SocketFolder) -> None:
        self._folder = folder
        self._held: HeldSocket | None = None

    async def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """See the base class."""
        try:
            async with asyncio.timeout(MAX_WAIT_S + _SLACK_S):
                with closing(await self._connected()) as line:
                    return [await _asked(line, request) for request in requests]
        except TimeoutError as error:
            msg = "the broker does not answer in time"
            raise SandboxError(msg) from error
        except (OSError, WsError, SandboxError) as error:
            msg = f"the broker does not answer: {error}"
            raise SandboxError(msg) from error

    def close(self) -> None:
        """Let go of the socket and of its folder."""
        if self._held is not None:
            self._held.close()
        self._folder.close()

    async def _connected(self) -> socket.socket:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _PATIENCE_S
        while True:
            self._held = self._held or self._folder.hold(NAME)
            line = self._held.connect() if self._held else None
            if line is not None:
                return line
            if loop.time() > deadline:
                msg = "nobody listens yet"
                raise ConnectionError(msg)
            await asyncio.sleep(_POLL_S)


class SandboxControl(Control):
    """Has a small program ask, in a sandbox with a door to the socket."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """See the base class."""
        inside = resources.files("envplatform.grading") / "inside"
        source = (inside / "ask.py").read_text()
        result = await self._sandbox.exec(
            ["python3", "-I", "-S", "-B", "-c", source, SOCKET],
            stdin=b"".join(map(encode_request, requests)),
            limits=Limits(wall_s=MAX_WAIT_S + _SLACK_S, output_bytes=_MOST_BYTES),
        )
        try:
            replies = [decode_reply(line) for line in result.stdout.splitlines()]
        except WsError as error:
            msg = f"the broker does not answer: {error}"
            raise SandboxError(msg) from error
        if len(replies) != len(requests):
            said = result.stderr.decode("utf-8", "replace")[-300:].strip()
            msg = f"the broker does not answer: {said or result.ending}"
            raise SandboxError(msg)
        return replies


@asynccontextmanager
async def open_control(
    provider: SandboxProvider, place: str, *, image: Image
) -> AsyncIterator[Control]:
    """Make a way to the broker that serves at `place`, whose sandbox is open.

    Raises:
        SandboxError: there is none, or a sandbox failed.
    """
    folder: Path | None = await provider.reach(place)
    if folder is not None:
        with closing(SocketControl(SocketFolder(folder))) as control:
            yield control
        return
    asking = [Door(name=CONTROL, place=place)]
    async with provider.open(image, doors=asking) as sandbox:
        yield SandboxControl(sandbox)


async def _asked(line: socket.socket, request: Request) -> Reply:
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(line, encode_request(request))
    said = bytearray()
    while b"\n" not in said[-_CHUNK:]:
        chunk = await loop.sock_recv(line, _CHUNK)
        if not chunk or len(said) > _MOST_BYTES:
            msg = "it hung up" if not chunk else "its answer is too long"
            raise ConnectionError(msg)
        said += chunk
    if said.index(b"\n") != len(said) - 1:
        msg = "it says more than was asked"
        raise ConnectionError(msg)
    return decode_reply(bytes(said))
