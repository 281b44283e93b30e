"""Ways to a broker's control socket, and who else may listen there."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from envplatform.errors import SandboxError
from envplatform.grading.broker import open_broker
from envplatform.grading.control import (
    NAME,
    SandboxControl,
    SocketControl,
    open_control,
)
from envplatform.sandbox.base import Image, Limits, SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.sockets import SocketFolder
from envplatform.ws import Request
from tests.fakes import CountingProvider, UnreachedProvider
from tests.grading.test_broker_session import LEDGER, environment_with

STATE = Request("state", {})
WELL = b'{"data":{},"ok":true}\n'


@asynccontextmanager
async def answering(folder: Path, *answers: bytes) -> AsyncIterator[None]:
    """Listen as a broker would, and answer a line each; hang up when none is left."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            for answer in answers:
                await reader.readline()
                writer.write(answer)
                await writer.drain()

    server = await asyncio.start_unix_server(serve, folder / NAME)
    async with server:
        yield
        server.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """One with a short name, as those of sockets must be."""
    with tempfile.TemporaryDirectory(prefix="ctl-") as found:
        yield Path(found)


@pytest.fixture
def control(folder: Path) -> Iterator[SocketControl]:
    """Asks at a folder in which a test listens."""
    with closing(SocketControl(SocketFolder(folder))) as found:
        yield found


async def test_several_requests_are_answered_in_their_order(
    control: SocketControl, folder: Path
) -> None:
    refused = b'{"error":"invalid","message":"no","ok":false}\n'
    async with answering(folder, WELL, refused):
        replies = await control.ask([STATE, STATE])
        assert [reply.error for reply in replies] == [None, "invalid"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "it hung up"),
        (b'{"ok":true', "it hung up"),
        (b"hello\n", "is not a reply"),
        (b'{"ok":true,"ok":true}\n', "is not a reply"),
        (b'{"data":NaN,"ok":true}\n', "is not a reply"),
        (b"[" * 100_000 + b"\n", "is not a reply"),
        (WELL + WELL, "more than was asked"),
    ],
)
async def test_who_is_no_broker_is_an_infrastructure_error(
    control: SocketControl, folder: Path, answer: bytes, why: str
) -> None:
    async with answering(folder, answer):
        with pytest.raises(SandboxError, match=why):
            await control.ask([STATE])


async def test_what_is_put_under_the_name_later_is_never_asked(
    control: SocketControl, folder: Path
) -> None:
    (folder / "other").mkdir()
    async with (
        answering(folder, WELL),
        answering(folder / "other", b"hello\n"),
    ):
        assert (await control.ask([STATE]))[0].ok
        (folder / NAME).rename(folder / "aside")
        (folder / "other" / NAME).rename(folder / NAME)
        assert (await control.ask([STATE]))[0].ok


async def test_a_way_is_a_sandbox_only_where_the_socket_is_out_of_reach(
    provider: SandboxProvider, bare_image: Image
) -> None:
    kinds = {}
    for made in (CountingProvider(provider), UnreachedProvider(provider)):
        async with open_broker(
            made, environment_with(), image=bare_image, limits=Limits()
        ) as broker:
            assert await broker.held("in/ledger.csv") == LEDGER
            kinds[type(made)] = made.opened
            assert (await broker.finish()).log == b""
    assert kinds[UnreachedProvider] == 2
    assert kinds[CountingProvider] in {1, 2}
    if provider.info.kind == "bubblewrap":
        assert kinds[CountingProvider] == 1


async def test_both_ways_are_named_by_what_a_provider_says(
    bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    async with bubblewrap.meet() as place:
        for made, kind in (
            (bubblewrap, SocketControl),
            (UnreachedProvider(bubblewrap), SandboxControl),
        ):
            async with open_control(made, place, image=bare_image) as control:
                assert type(control) is kind
