"""Blocking work in threads of its own, with cancellation that waits for its end."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

Cancelled = Callable[[], bool]
"""Asked by long work now and then; once true, it must stop soon."""

_MOST = 2048
"""Made as they are needed. A broker and a user who waits each hold one as long as their
session lasts: with too few, sessions wait for each other for ever."""


class Threads:
    """A pool apart from asyncio's own, which is small and everyone's."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_MOST, thread_name_prefix="sandbox")

    async def run(
        self, work: Callable[[Cancelled], T], *, undo: Callable[[T], None] | None = None
    ) -> T:
        """Run `work`; a cancelled caller leaves only when it has stopped.

        `undo` takes back what was made for a caller who no longer waits for it.
        """
        stop = threading.Event()
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._pool, work, stop.is_set)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([future])
            if future.exception() is None and undo is not None:
                undo(future.result())
            raise
