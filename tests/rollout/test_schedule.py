"""Hundreds at once, each stored when it ends; failures are tried again, never scored."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import ConfigError
from envplatform.llm.chat import Usage
from envplatform.rollout.schedule import (
    Done,
    Job,
    Lost,
    Outcome,
    Pace,
    Refused,
    Schedule,
    stored,
)
from envplatform.store import ResultCache
from envplatform.trajectories import Trajectory

RECORD = Trajectory(
    trajectory_id="t",
    environment_id="e",
    environment_digest="d",
    harness="nop",
    policy="nop",
    seed=0,
    sandbox="none",
    ending="finished",
    final_state=None,
    reward=0.0,
    usage=Usage(),
)
FAILED = replace(
    RECORD, ending="infrastructure_error", error_class="SandboxError", error="gone"
)
Run = Callable[[], Awaitable[Trajectory]]


def job(name: str, run: Run) -> Job:
    return Job(key=name, trajectory_id=name, run=run)


def giving(*results: Trajectory | Exception) -> Run:
    """Gives one after the other."""
    left = iter(results)

    async def run() -> Trajectory:
        await asyncio.sleep(0)
        result = next(left)
        if isinstance(result, Exception):
            raise result
        return result

    return run


async def no_pause(_: float) -> None:
    """Wait for nothing."""


async def outcomes(
    folder: Path, *jobs: Job, in_flight: int = 3, attempts: int = 3
) -> dict[str, Outcome]:
    pace = Pace(in_flight=in_flight, attempts=attempts)
    schedule = Schedule(ResultCache(folder), pace, sleep=no_pause)
    found = [outcome async for outcome in schedule.run(jobs)]
    assert len(found) == len(jobs), "one outcome a job"
    return {outcome.job.key: outcome for outcome in found}


async def test_each_job_has_one_outcome(tmp_path: Path) -> None:
    found = await outcomes(
        tmp_path,
        job("good", giving(RECORD)),
        job("late", giving(FAILED, OSError("too many open files"), RECORD)),
        job("lost", giving(FAILED, FAILED, FAILED)),
        job("never", giving(ConfigError("the model wrote it"))),
    )
    good, late, lost, never = (found[name] for name in ORDER)
    assert isinstance(good, Done)
    assert not good.failures
    assert isinstance(late, Done)
    assert [(one.attempt, one.error_class) for one in late.failures] == [
        (1, "SandboxError"),
        (2, "OSError"),
    ]
    assert isinstance(lost, Lost)
    assert len(lost.failures) == 3
    assert isinstance(never, Refused)
    assert "wrote it" in never.reason
    kept = list(stored(ResultCache(tmp_path), ["lost", "late", "never", "good"]))
    assert kept == [RECORD, RECORD], "an infrastructure error is no record"


ORDER = ("good", "late", "lost", "never")


async def test_a_second_run_does_only_the_rest(tmp_path: Path) -> None:
    await outcomes(tmp_path, job("a", giving(RECORD)), job("b", giving(*[FAILED] * 3)))
    again = await outcomes(tmp_path, job("a", giving()), job("b", giving(RECORD)))
    assert again["a"] == Done(job=again["a"].job, is_known=True)
    assert again["b"] == Done(job=again["b"].job, is_known=False)


async def test_what_would_come_again_ends_all_that_is_not_begun(tmp_path: Path) -> None:
    broke = replace(FAILED, error_class="BudgetExceededError", error="spent")
    found = await outcomes(
        tmp_path,
        job("a", giving(RECORD)),
        job("b", giving(broke)),
        job("c", giving()),
        in_flight=1,
    )
    assert isinstance(found["a"], Done)
    last = found["c"]
    assert isinstance(last, Lost)
    assert last.reason == "not begun: spent"


async def test_no_more_are_in_flight_than_asked(tmp_path: Path) -> None:
    running, most = 0, 0

    async def run() -> Trajectory:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.05)
        running -= 1
        return RECORD

    jobs = [job(str(number), run) for number in range(600)]
    found = await outcomes(tmp_path, *jobs, in_flight=256)
    assert 64 < most <= 256
    assert all(isinstance(one, Done) for one in found.values())


async def test_a_fault_of_ours_is_not_hidden(tmp_path: Path) -> None:
    schedule = Schedule(ResultCache(tmp_path), Pace(in_flight=2))
    jobs = [job("a", giving(RECORD)), job("b", giving(ValueError("a bug")))]
    with pytest.raises(ValueError, match="a bug"):
        async for _ in schedule.run(jobs):
            pass


async def test_leaving_early_cancels_what_is_under_way(tmp_path: Path) -> None:
    ended = asyncio.Event()

    async def endless() -> Trajectory:
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()
        return RECORD

    schedule = Schedule(ResultCache(tmp_path), Pace(in_flight=2))
    running: AsyncIterator[Outcome] = schedule.run(
        [job("a", giving(RECORD)), job("b", endless)]
    )
    async with aclosing(running):  # type: ignore[type-var]  # a generator, as run says
        async for outcome in running:
            assert outcome.job.key == "a"
            break
    assert ended.is_set()


KILLED = """
import asyncio, sys
from pathlib import Path
from envplatform.rollout.schedule import Pace, Schedule
from envplatform.store import ResultCache
from tests.rollout.test_schedule import RECORD, job

async def quick():
    return RECORD

async def slow():
    await asyncio.sleep(600)

async def main():
    schedule = Schedule(ResultCache(Path(sys.argv[1])), Pace(in_flight=2))
    jobs = [job(str(n), slow if n == 7 else quick) for n in range(20)]
    async for outcome in schedule.run(jobs):
        print(outcome.job.key, flush=True)

asyncio.run(main())
"""


def test_what_was_told_of_outlives_sigkill(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(19)]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert len(list(stored(ResultCache(tmp_path), told))) == 19
    rest = [job(str(number), giving(RECORD)) for number in range(20)]
    found = asyncio.run(outcomes(tmp_path, *rest))
    assert [key for key, one in found.items() if not one.is_known] == ["7"]  # type: ignore[union-attr]  # all are Done
