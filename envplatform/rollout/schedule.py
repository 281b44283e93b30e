"""Many rollouts at once: bounded, resumable, and none lost.

Each finished rollout is stored before it is told of, so that after a crash a second run
does only the rest. What the sandbox or the model server did wrong is recorded, tried
again and never scored. What the rollouts are is not known here (`plan`).
"""

import asyncio
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass

from envplatform.errors import (
    BundleError,
    ConfigError,
    EnvPlatformError,
)
from envplatform.store import ResultCache
from envplatform.trajectories import Trajectory

LASTING = frozenset({"BudgetExceededError", "SandboxUnavailableError"})
"""Would come again whatever is tried next: nothing more is begun after one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One rollout to be run."""

    key: str
    """Digest of all that decides it."""
    trajectory_id: str
    run: Callable[[], Awaitable[Trajectory]]
    """Runs it from the beginning; may be called again.

    Raises:
        ConfigError: it can't be run at all.
        BundleError: the same.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttempt:
    """An attempt that says nothing about the agent."""

    trajectory_id: str
    attempt: int
    """From 1."""
    error_class: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A rollout with a record, good or bad."""

    job: Job
    is_known: bool
    """Whether an earlier run had stored it."""
    failures: tuple[FailedAttempt, ...] = ()
    """Before it came to an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A rollout that can't be, whoever tries."""

    job: Job
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A rollout without a record: to be run again another time."""

    job: Job
    failures: tuple[FailedAttempt, ...]
    """Empty where it was not begun."""
    reason: str


Outcome = Done | Refused | Lost


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many at once, and how often one is tried."""

    in_flight: int = 8
    attempts: int = 3
    pause_s: float = 1.0
    """Before the second attempt; doubles from then on."""


class Schedule:
    """Runs jobs and keeps what they come to in `results`."""

    def __init__(
        self,
        results: ResultCache,
        pace: Pace,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._results = results
        self._pace = pace
        self._sleep = sleep
        self._stopped = ""
        """Why nothing more is begun; empty while something is."""

    async def run(self, jobs: Iterable[Job]) -> AsyncGenerator[Outcome]:
        """Yield one outcome a job, as they come. Leaving early cancels what is under way.

        As many jobs as are in flight are taken off `jobs`, no more.
        """
        waiting = iter(jobs)
        ready: asyncio.Queue[Outcome | Exception | None] = asyncio.Queue()
        workers = [
            asyncio.create_task(self._work(waiting, ready))
            for _ in range(self._pace.in_flight)
        ]
        left = len(workers)
        try:
            while left:
                outcome = await ready.get()
                if isinstance(outcome, Exception):
                    raise outcome
                if outcome is None:
                    left -= 1
                else:
                    yield outcome
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _work(
        self, waiting: Iterator[Job], ready: asyncio.Queue[Outcome | Exception | None]
    ) -> None:
        try:
            for job in waiting:
                ready.put_nowait(await self._outcome(job))
            ready.put_nowait(None)
        except Exception as error:  # noqa: BLE001  a fault of ours: `run` raises it
            ready.put_nowait(error)

    async def _outcome(self, job: Job) -> Outcome:
        if await asyncio.to_thread(self._results.get, job.key) is not None:
            return Done(job=job, is_known=True)
        if self._stopped:
            return Lost(job=job, failures=(), reason=f"not begun: {self._stopped}")
        failures: list[FailedAttempt] = []
        for attempt in range(1, self._pace.attempts + 1):
            try:
                failure = await self._attempt(job, attempt)
            except (ConfigError, BundleError) as error:
                return Refused(job=job, reason=str(error))
            if failure is None:
                return Done(job=job, is_known=False, failures=tuple(failures))
            failures.append(failure)
            if failure.error_class in LASTING:
                self._stopped = failure.error
                break
            if attempt < self._pace.attempts:
                await self._sleep(self._pace.pause_s * 2 ** (attempt - 1))
        return Lost(job=job, failures=tuple(failures), reason=failures[-1].error)

    async def _attempt(self, job: Job, attempt: int) -> FailedAttempt | None:
        """Run a job once and store its record; an infrastructure error is told instead."""
        try:
            trajectory = await job.run()
        except (ConfigError, BundleError):
            raise
        except (
            EnvPlatformError,
            OSError,
        ) as error:  # the machine's: files, memory, disk
            return _failed(job, attempt, type(error).__name__, str(error))
        if trajectory.error_class is not None:
            return _failed(job, attempt, trajectory.error_class, trajectory.error)
        await asyncio.to_thread(self._results.put_row, job.key, trajectory)
        return None


def stored(results: ResultCache, keys: Sequence[str]) -> Iterator[Trajectory]:
    """Read records back, in the order of `keys`; those that are not there are left out."""
    for key in keys:
        trajectory = results.get_row(key, Trajectory)
        if trajectory is not None:
            yield trajectory


def _failed(job: Job, attempt: int, error_class: str, error: str) -> FailedAttempt:
    return FailedAttempt(
        trajectory_id=job.trajectory_id,
        attempt=attempt,
        error_class=error_class,
        error=error[:2_000],
    )
