"""Sandboxes that meet: sockets of one can be reached by another, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from envplatform.errors import SandboxError
from envplatform.sandbox.base import Door, Image, Sandbox, SandboxProvider
from tests.fakes import DeadProvider
from tests.sandbox.host import LIMITS

SERVER = """
import pathlib, socket
pathlib.Path("/run/ws/note").write_text("secret of the server")
pathlib.Path("/run/ws/note").chmod(0o600)
line = socket.socket(socket.AF_UNIX)
line.bind("/run/ws/a.sock")
pathlib.Path("/run/ws/a.sock").chmod(0o666)
line.listen()
taken, _ = line.accept()
taken.sendall(taken.recv(100).upper())
"""
CLIENT = """
import os, pathlib, socket, time
for _ in range(500):
    if pathlib.Path("/run/ws/a.sock").exists():
        break
    time.sleep(0.02)
for forbidden in ("open('/run/ws/x', 'w')", "os.unlink('/run/ws/a.sock')",
                  "os.rename('/run/ws/a.sock', '/tmp/a')", "os.chmod('/run/ws', 0o777)",
                  "os.mkdir('/run/other')"):
    try:
        exec(forbidden)
    except OSError:
        continue
    raise SystemExit(forbidden + " was allowed")
line = socket.socket(socket.AF_UNIX)
line.connect("/run/ws/a.sock")
line.sendall(b"hello")
print(line.recv(100).decode())
"""


async def python(sandbox: Sandbox, code: str) -> tuple[int | None, bytes]:
    result = await sandbox.exec(["python3", "-c", code])
    return result.exit_code, result.stdout + result.stderr


@pytest.fixture
async def place(provider: SandboxProvider) -> AsyncIterator[str]:
    async with provider.meet() as found:
        yield found


async def test_a_socket_of_one_is_reached_by_the_other_which_can_change_nothing(
    provider: SandboxProvider, image: Image, place: str
) -> None:
    serving = Door(name="ws", place=place, serves=True)
    async with (
        provider.open(image, LIMITS, doors=[serving]) as server,
        provider.open(image, LIMITS, doors=[replace(serving, serves=False)]) as client,
        provider.open(image, LIMITS) as stranger,
    ):
        asked, answered = await asyncio.gather(
            python(server, SERVER), python(client, CLIENT)
        )
        assert answered == (0, b"HELLO\n")
        assert asked == (0, b"")
        look = "import os; print(os.path.exists('/run/ws'))"
        assert await python(stranger, look) == (0, b"False\n")


async def test_two_meetings_have_nothing_to_do_with_each_other(
    provider: SandboxProvider, image: Image, place: str
) -> None:
    write = "open('/run/ws/x', 'w').write('1')"
    look = "import os; print(os.listdir('/run/ws'))"
    async with provider.meet() as other:
        doors = [
            Door(name="ws", place=place, serves=True),
            Door(name="ctl", place=other, serves=True),
        ]
        async with provider.open(image, LIMITS, doors=doors) as server:
            assert (await python(server, write))[0] == 0
            assert await python(server, look) == (0, b"['x']\n")
            assert await python(server, look.replace("ws", "ctl")) == (0, b"[]\n")


async def test_a_meeting_leaves_nothing_behind(
    provider: SandboxProvider, image: Image
) -> None:
    async with provider.meet() as place:
        pass
    door = Door(name="ws", place=place)
    if provider.info.kind == "bubblewrap":
        with pytest.raises(SandboxError):
            async with provider.open(image, LIMITS, doors=[door]) as sandbox:
                await sandbox.exec(["true"])


async def test_a_provider_without_meetings_says_so() -> None:
    with pytest.raises(SandboxError, match="can't meet"):
        async with DeadProvider().meet():
            pass
