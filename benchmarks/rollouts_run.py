"""One schedule of rollouts for `benchmarks.rollouts`, in a process that may be killed.

Real sandboxes, real HTTP, a scripted agent. Prints the key of each rollout as it ends,
then one JSON object; a second run over the same folder does what the first did not.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic, process_time

from envplatform.bundle import Environment
from envplatform.grading.sessions import image_reference
from envplatform.llm.endpoint import Endpoint
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.retry import RetryPolicy
from envplatform.rollout import Policy, RolloutLimits, ToolLoopHarness
from envplatform.rollout.schedule import Done, Job, Lost, Pace, Schedule, stored
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from envplatform.store import ResultCache
from envplatform.trajectories import Trajectory
from tests.rollout.made_tasks import table_task
from tests.rollout.tiny import tiny_environment

_TIMEOUT_S = 30.0
_KEY = {"ROLLOUTS_KEY": "none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is to be run."""

    folder: Path
    url: str
    rollouts: int
    in_flight: int
    served: bool
    timeout_s: float


def main() -> None:
    """Run as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--rollouts", type=int, required=True)
    parser.add_argument("--in-flight", type=int, required=True)
    parser.add_argument("--served", action="store_true")
    parser.add_argument("--timeout-s", type=float, default=_TIMEOUT_S)
    options = parser.parse_args()
    figures = asyncio.run(measure(Run(**vars(options))))
    sys.stdout.write(json.dumps(figures) + "\n")


async def measure(run: Run) -> Mapping[str, object]:
    """Run what is left of `run` and say how it went."""
    image = _image(run.folder)
    environment = table_task() if run.served else tiny_environment()
    environment = replace(environment, image=image_reference(image))
    (run.folder / "scratch").mkdir(mode=0o755, exist_ok=True)
    harness = ToolLoopHarness(BubblewrapProvider(scratch=run.folder / "scratch"))
    results = ResultCache(run.folder / "results")
    endpoint = Endpoint(
        name="scripted",
        base_url=run.url,
        model="scripted",
        api_key_env="ROLLOUTS_KEY",
        timeout_s=run.timeout_s,
        concurrency=run.in_flight,
    )
    retry = RetryPolicy(attempts=3, base_s=0.05, cap_s=0.5)
    async with OpenAIChatModel(endpoint, retry=retry, environ=_KEY) as model:
        policy = Policy(model=model)
        # Before the clock: what is loaded once a process is no cost of a call.
        await harness.run(environment, policy, RolloutLimits(), image=image, seed=-1)
        jobs = _jobs(run, harness, environment, image, policy)
        began, cpu = monotonic(), process_time()
        ended = known = lost = failed = 0
        pace = Pace(in_flight=run.in_flight, attempts=5, pause_s=0.1)
        async for outcome in Schedule(results, pace).run(jobs):
            if isinstance(outcome, Done):
                ended += 1
                known += outcome.is_known
                failed += len(outcome.failures)
            if isinstance(outcome, Lost):
                lost += 1
            sys.stdout.write(f"{outcome.job.key}\n")
            sys.stdout.flush()
        seconds, cpu = monotonic() - began, process_time() - cpu
    keys = [str(number) for number in range(run.rollouts)]
    rows = list(stored(results, keys))
    return {
        "seconds": seconds,
        "cpu_s": cpu,
        "ended": ended,
        "known": known,
        "lost": lost + run.rollouts - len(rows),
        "failed_attempts": failed,
        "full_marks_or_none": all(one.error_class is None for one in rows),
        **_of_rows(rows),
    }


def _of_rows(rows: list[Trajectory]) -> Mapping[str, object]:
    steps = [step for row in rows for step in row.steps]
    running = [sum(one.seconds for one in step.outcomes) for step in steps]
    apart = [s.seconds - used for s, used in zip(steps, running, strict=True)]
    commands = [one.seconds for s in steps for one in s.outcomes if one.ending]
    return {
        "calls": len(steps),
        "step_without_command_ms": round(1000 * median(apart), 2),
        "command_ms": round(1000 * median(commands or [0.0]), 2),
    }


def _jobs(
    run: Run,
    harness: ToolLoopHarness,
    environment: Environment,
    image: Image,
    policy: Policy,
) -> Iterator[Job]:
    for number in range(run.rollouts):
        yield Job(
            key=str(number),
            trajectory_id=str(number),
            run=partial(
                harness.run,
                environment,
                policy,
                RolloutLimits(),
                image=image,
                seed=number,
            ),
        )


def _image(folder: Path) -> Image:
    version = "{}.{}".format(*sys.version_info[:2])
    return build_image("bare", version, (), folder / "images")


if __name__ == "__main__":
    main()
