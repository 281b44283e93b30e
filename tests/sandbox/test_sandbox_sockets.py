"""A socket of a sandbox reached from this process; what hostile code puts in its place."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from envplatform.errors import SandboxError
from envplatform.sandbox.base import Door, Image, Sandbox, SandboxProvider
from envplatform.sandbox.docker import DockerProvider
from envplatform.sandbox.sockets import HeldSocket, SocketFolder
from tests.fakes import DeadProvider
from tests.sandbox.host import LIMITS

LONG_S = 60.0
NAME = "a.sock"
SERVER = """
import os, socket
line = socket.socket(socket.AF_UNIX)
line.bind("/run/ws/.a")
os.chmod("/run/ws/.a", 0o666)
line.listen()
os.rename("/run/ws/.a", "/run/ws/a.sock")
for _ in range(2):
    taken, _ = line.accept()
    taken.sendall(taken.recv(100).upper())
    taken.recv(1)  # until the other side hangs up
    taken.close()
"""


class Listening:
    """A socket of this process in a folder, as a sandbox would make it."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen()

    def close(self) -> None:
        """Listen no more."""
        self.socket.close()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Closes what a test opens."""
    with ExitStack() as found:
        yield found


@pytest.fixture
def folder(scratch: Path, stack: ExitStack) -> SocketFolder:
    """Held over `scratch`."""
    return stack.enter_context(closing(SocketFolder(scratch)))


@pytest.fixture
async def place(provider: SandboxProvider) -> AsyncIterator[str]:
    """A meeting."""
    async with provider.meet() as found:
        yield found


@pytest.fixture
async def server(
    provider: SandboxProvider, image: Image, place: str
) -> AsyncIterator[Sandbox]:
    """A sandbox that serves there."""
    door = Door(name="ws", place=place, serves=True)
    async with provider.open(image, LIMITS, doors=[door]) as opened:
        yield opened


async def reached(provider: SandboxProvider, place: str) -> Path:
    """The host's folder; skips where the engine mounts it out of our sight."""
    found = await provider.reach(place)
    if found is None:
        pytest.skip("this process can't see what the engine mounts")
    return found


async def until(work: Callable[[], HeldSocket | None]) -> HeldSocket:
    """Wait for a socket to be there."""
    async with asyncio.timeout(LONG_S):
        while (found := work()) is None:  # noqa: ASYNC110  nothing tells of a file
            await asyncio.sleep(0.01)
    return found


async def said(held: HeldSocket, words: bytes) -> bytes:
    """Say something to who listens, and hear the answer."""
    line = held.connect()
    assert line is not None
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(LONG_S):
        with closing(line):
            await loop.sock_sendall(line, words)
            return await loop.sock_recv(line, 100)


async def python(sandbox: Sandbox, code: str) -> None:
    """Run code that must end well."""
    result = await sandbox.exec(["python3", "-c", code])
    assert result.exit_code == 0, result.stderr


async def test_what_is_held_is_reached_whatever_bears_its_name_later(
    provider: SandboxProvider, place: str, server: Sandbox
) -> None:
    where = await reached(provider, place)
    serving = asyncio.create_task(python(server, SERVER))
    with closing(SocketFolder(where)) as folder:
        held = await until(lambda: folder.hold(NAME))
        with closing(held):
            assert await said(held, b"hello") == b"HELLO"
            (where / NAME).rename(where / "aside")
            (where / NAME).symlink_to("/var/run/docker.sock")
            with pytest.raises(SandboxError, match="is no socket"):
                folder.hold(NAME)
            assert await said(held, b"again") == b"AGAIN"
    await serving


ATTEMPTS = {
    "a link to a socket of the host": "os.symlink('/var/run/docker.sock', P)",
    "a link to a socket beside it": (
        "socket.socket(socket.AF_UNIX).bind(P + 'x'); os.symlink(P + 'x', P)"
    ),
    "a plain file": "open(P, 'w').close()",
    "a folder": "os.mkdir(P)",
    "a pipe": "os.mkfifo(P)",
    "a socket of two names": (
        "socket.socket(socket.AF_UNIX).bind(P); os.link(P, P + 'x')"
    ),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
async def test_what_a_sandbox_puts_in_its_place_is_refused(
    provider: SandboxProvider, place: str, server: Sandbox, attempt: str
) -> None:
    where = await reached(provider, place)
    await python(
        server, f"import os, socket; P = '/run/ws/a.sock'; {ATTEMPTS[attempt]}"
    )
    with (
        closing(SocketFolder(where)) as folder,
        pytest.raises(SandboxError, match=r"a\.sock (is no socket|has other names)"),
    ):
        folder.hold(NAME)


async def test_nothing_is_there_before_a_sandbox_makes_it(
    provider: SandboxProvider, place: str, server: Sandbox
) -> None:
    where = await reached(provider, place)
    with closing(SocketFolder(where)) as folder:
        assert folder.hold(NAME) is None
        await python(server, "open('/run/ws/other', 'w').close()")
        assert folder.hold(NAME) is None


async def test_a_socket_whose_server_has_ended_is_an_infrastructure_error(
    provider: SandboxProvider, place: str, server: Sandbox
) -> None:
    where = await reached(provider, place)
    await python(
        server, "import socket; socket.socket(socket.AF_UNIX).bind('/run/ws/a.sock')"
    )
    with closing(SocketFolder(where)) as folder:
        held = folder.hold(NAME)
        assert held is not None
        with closing(held), pytest.raises(SandboxError, match="nobody listens"):
            held.connect()


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a socket to another user")
def test_a_socket_of_somebody_else_is_refused(
    scratch: Path, folder: SocketFolder, stack: ExitStack
) -> None:
    stack.enter_context(closing(Listening(scratch / NAME)))
    os.chown(scratch / NAME, 1, 1)
    with pytest.raises(SandboxError, match="belongs to somebody else"):
        folder.hold(NAME)


def test_a_folder_that_is_a_link_is_refused(scratch: Path) -> None:
    (scratch / "link").symlink_to(scratch)
    with pytest.raises(SandboxError, match="can't be opened"):
        SocketFolder(scratch / "link")
    with pytest.raises(SandboxError, match="can't be opened"):
        SocketFolder(scratch / "none")


def test_a_full_queue_is_to_be_tried_again(
    scratch: Path, folder: SocketFolder, stack: ExitStack
) -> None:
    listening = stack.enter_context(closing(Listening(scratch / NAME)))
    listening.socket.listen(0)
    held = folder.hold(NAME)
    assert held is not None
    stack.enter_context(closing(held))
    lines = [held.connect() for _ in range(5)]
    assert lines[0] is not None
    assert lines[-1] is None
    for line in filter(None, lines):
        stack.enter_context(closing(line))
    taken, _ = listening.socket.accept()
    stack.enter_context(closing(taken))
    again = held.connect()
    assert again is not None
    stack.enter_context(closing(again))


async def test_a_provider_that_does_not_say_is_not_reached() -> None:
    assert await DeadProvider().reach("anywhere") is None


@pytest.mark.docker
async def test_a_volume_that_is_gone_is_an_infrastructure_error(
    docker_provider: DockerProvider,
) -> None:
    async with docker_provider.meet() as place:
        assert await docker_provider.reach(place) is None, "nothing is mounted yet"
    with pytest.raises(SandboxError, match="can't be looked at"):
        await docker_provider.reach(place)
