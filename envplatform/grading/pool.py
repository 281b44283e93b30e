"""What several checks want graded, graded at one time.

A check asks its bench and waits. Once every member of the pool has asked or ended, all
states that were asked for are graded together: a sandbox is started once, and a sample
of all of them is graded alone to prove that it made no difference.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from envplatform.grading.batch import Bench, grade_states
from envplatform.grading.grade import Grading
from envplatform.grading.sessions import Final

T = TypeVar("T")
_Asked = tuple[tuple[Final, ...], asyncio.Future[tuple[Grading, ...]]]


class Pool:
    """The members of one gate."""

    def __init__(self, bench: Bench, *, seed: int) -> None:
        """`seed` decides which states are graded alone too."""
        self.note = ""
        """Where states were graded otherwise together than alone; else empty."""
        self.bench = PooledBench(
            provider=bench.provider,
            environment=bench.environment,
            image=bench.image,
            attend=bench.attend,
            pool=self,
        )
        """What members are to ask."""
        self._own = bench
        self._seed = seed
        self._busy = 0
        self._quiet = asyncio.Event()
        self._asked: list[_Asked] = []
        self._tasks: list[asyncio.Task[Any]] = []

    def join(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Make `work` a member; all join before any of them begins."""
        self._busy += 1
        task = asyncio.create_task(self._member(work))
        self._tasks.append(task)
        return task

    async def end(self) -> None:
        """Wait for all members, and grade what they ask for meanwhile.

        Raises:
            SandboxError: of a member or of the gradings; the members are ended.
        """
        try:
            while self._busy:  # none, once all have ended
                await self._quiet.wait()
                self._quiet.clear()
                for task in self._tasks:
                    if task.done():
                        task.result()
                await self._grade()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def grade(self, finals: Sequence[Final]) -> tuple[Grading, ...]:
        """Wait until the others have asked too."""
        answer: asyncio.Future[tuple[Grading, ...]]
        answer = asyncio.get_running_loop().create_future()
        self._asked.append((tuple(finals), answer))
        self._rest()
        return await answer

    async def _member(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return await work
        finally:
            self._rest()

    def _rest(self) -> None:
        self._busy -= 1
        if not self._busy:
            self._quiet.set()

    async def _grade(self) -> None:
        asked, self._asked = self._asked, []
        bench = self._own
        graded = await grade_states(
            bench.provider,
            bench.environment,
            [final for finals, _ in asked for final in finals],
            image=bench.image,
            seed=self._seed,
        )
        self.note = self.note or graded.note
        gradings = iter(graded.gradings)
        self._busy = len(asked)
        for finals, answer in asked:
            answer.set_result(tuple(next(gradings) for _ in finals))


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledBench(Bench):
    """Asks the pool."""

    pool: Pool

    async def grade(self, finals: Sequence[Final]) -> tuple[Grading, ...]:
        """As `Pool.grade`."""
        return await self.pool.grade(finals)
