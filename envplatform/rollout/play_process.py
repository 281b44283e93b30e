"""The process that plays: `python -m envplatform.rollout.play_process`.

Speaks `trajectories.playing` on its standard streams, for a trainer that holds the
policy. It ends with its input, and then gives up what is still under way. What it
foresees of errors it tells on standard error, and ends with code 2.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from envplatform.bundle import Environment, read_environment
from envplatform.errors import EnvPlatformError
from envplatform.grading.images import image_of
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.llm.chat import ChatModel
from envplatform.llm.opening import open_model
from envplatform.rollout.dialects import FENCED, NATIVE
from envplatform.rollout.harness import Harness
from envplatform.rollout.played import Player
from envplatform.rollout.tool_loop import ToolLoopHarness
from envplatform.sandbox.base import Image
from envplatform.sandbox.choose import choose_provider
from envplatform.store import Store
from envplatform.trajectories.playing import (
    EVENT,
    PLAYER_ORDER,
    REQUEST,
    Answer,
    Asked,
    Begin,
    Over,
    PlayerOrder,
)

REFUSED = 2
"""Exit code: what is asked can't be."""
_LONGEST_LINE = 64_000_000


def main() -> None:
    """Play what standard input asks for."""
    try:
        asyncio.run(_play())
    except EnvPlatformError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(REFUSED)


def player_of(order: PlayerOrder, judge: ChatModel | None = None) -> Player:
    """Return the player of an order; `judge` scores what code can't.

    Raises:
        SandboxUnavailableError: no sandbox of that kind is here.
    """
    store = Store(order.home)
    provider = choose_provider(order.sandbox, docker_base=order.base_image)
    dialect = FENCED if order.dialect == "tool_loop_fenced" else NATIVE

    def read(digest: str) -> tuple[Environment, Image]:
        folder = store.directory(DIRECTORY_KIND, digest)
        environment = read_environment(folder, digest=digest)
        return environment, image_of(environment, store.cache_folder("targets"))

    async def find(digest: str) -> tuple[Environment, Image]:
        return await asyncio.to_thread(read, digest)

    def harness() -> Harness:
        made = ToolLoopHarness(provider, dialect=dialect, patience=order.patience)
        made.judge = judge
        return made

    return Player(harness, find, order.limits, policy=order.policy)


async def _play() -> None:
    lines = _lines()
    order = PLAYER_ORDER.validate_json(await anext(lines))
    async with _judge(order) as judge, asyncio.TaskGroup() as events:
        player = player_of(order, judge)
        try:
            async for line in lines:
                events.create_task(_tell(player, REQUEST.validate_json(line)))
        finally:
            await player.close()


@asynccontextmanager
async def _judge(order: PlayerOrder) -> AsyncIterator[ChatModel | None]:
    """Open the model that judges, if one does; its key is in the environment."""
    if order.judge is None:
        yield None
        return
    opening = open_model(
        order.judge, folder=order.home / "models", asset="plays", purpose="judge"
    )
    async with opening as model:
        yield model


async def _tell(player: Player, request: Begin | Answer) -> None:
    happened: Asked | Over
    if isinstance(request, Begin):
        happened = await player.begin(request)
    else:
        happened = await player.answer(request)
    sys.stdout.buffer.write(EVENT.dump_json(happened) + b"\n")
    sys.stdout.buffer.flush()


async def _lines() -> AsyncIterator[bytes]:
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    loop = asyncio.get_running_loop()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_read_pipe(lambda: protocol, sys.stdin.buffer)
    try:
        while line := await reader.readline():
            yield line
    finally:
        with suppress(OSError):
            transport.close()


if __name__ == "__main__":
    main()
