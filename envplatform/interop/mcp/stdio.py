"""A server on this process's standard input and output, which ends with its client.

The `mcp` package reads standard input in a thread that nothing can interrupt; here it
is read by the event loop, so that a signal, or a parent that died without closing its
end, ends a session as tidily as the end of the input does.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_LOOK_S = 0.5
_MAX_LINE_BYTES = 32_000_000
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def end_on_signals() -> None:
    """Have SIGTERM, SIGINT, SIGHUP and the parent's death cancel the current task."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "called from a coroutine"  # noqa: S101
    for number in _SIGNALS:
        loop.add_signal_handler(number, task.cancel)
    parent = os.getppid()

    def look() -> None:
        if os.getppid() != parent:
            task.cancel()
        else:
            loop.call_later(_LOOK_S, look)

    look()


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until its input ends.

    Raises:
        ValueError: standard input is a plain file, not a client's pipe.
    """
    lines = asyncio.StreamReader(limit=_MAX_LINE_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    try:
        taken = cast("anyio.AsyncFile[str]", _texts(lines))  # it only iterates
        async with stdio_server(taken, anyio.wrap_file(sys.stdout)) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        transport.close()


async def _texts(lines: asyncio.StreamReader) -> AsyncIterator[str]:
    while line := await lines.readline():
        yield line.decode("utf-8", "replace")
