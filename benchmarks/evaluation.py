"""Scoring many attempts against plain loops: `python -m benchmarks.evaluation`.

Made-up rollouts of some solvers over lineages of environments lie in a new store. One
process scores them as `benchmark_scores` does, reading only the columns it needs; another
reads whole records into a list and loops over them for each figure, with the same draws of
lineages. Each has a process of its own; both must come to the same figures.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.evaluation_run import BATCH, Job, Variant
from benchmarks.report import print_result, progress, refuse
from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.store import Origin, Store
from envplatform.trajectories.record import Step, ToolOutcome, Trajectory

SOLVERS, DEPTHS, SEEDS = 4, 5, 5
TURNS = 4


def rollouts(count: int) -> Iterator[Trajectory]:
    """Make rollouts of a few turns, of which deeper ones fail more often."""
    random = Random(0)  # noqa: S311  made-up data
    for number in range(count):
        place, seed = divmod(number // SOLVERS, SEEDS)
        lineage, depth = divmod(place, DEPTHS)
        solver = number % SOLVERS
        solved = random.random() < (solver + 1) / (SOLVERS + depth)
        yield Trajectory(
            trajectory_id=f"{number}",
            environment_id=f"lineage{lineage}.level{depth}",
            environment_digest=f"{lineage}.{depth}",
            harness="tool_loop",
            policy=f"model-{solver}",
            seed=seed,
            sandbox="none",
            steps=tuple(_step(number, turn) for turn in range(TURNS)),
            ending="submitted",
            final_state=None,
            reward=float(solved),
            usage=Usage(prompt_tokens=900, completion_tokens=100),
        )


def _step(number: int, turn: int) -> Step:
    call = ToolCall(call_id="c", name="shell", arguments=f'{{"command": "sed {turn}"}}')
    text = f"line {number} of what was read\n" * 12
    return Step(
        message=Message(role="assistant", content="I look.", tool_calls=(call,)),
        finish_reason="tool_calls",
        outcomes=(ToolOutcome(call_id="c", tool="shell", exit_code=0),),
        replies=(Message(role="tool", content=text, tool_call_id="c"),),
        usage=Usage(prompt_tokens=200, completion_tokens=25),
    )


def measure(home: Path, variant: Variant, draws: int) -> dict[str, Any]:
    """Score in a process of its own; its figures.

    Raises:
        SystemExit: it failed.
    """
    job = Job(home=str(home), variant=variant, draws=draws)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.evaluation_run"],
        input=job.text(),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        refuse(f"the process of {variant} ended with code {done.returncode}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--attempts", type=int, default=100_000)
    parser.add_argument("--draws", type=int, default=2_000)
    options = parser.parse_args()
    if options.attempts < 1 or options.draws < 1:
        refuse("--attempts and --draws must be 1 or more")
    with tempfile.TemporaryDirectory(prefix="evaluation-") as scratch:
        home = Path(scratch)
        progress(f"writing {options.attempts} rollouts")
        Store(home).write_rows(
            "rollouts",
            rollouts(options.attempts),
            row_type=Trajectory,
            partition=BATCH,
            origin=Origin(created=datetime.now(UTC)),
        )
        progress("scoring")
        ours = measure(home, "ours", options.draws)
        progress("looping")
        loops = measure(home, "loops", options.draws)
    if ours["rates"] != loops["rates"]:
        refuse("both ways come to other figures")
    made_from = (
        f"{options.attempts} made-up rollouts of {TURNS} turns by {SOLVERS} solvers, "
        f"lineages {DEPTHS} deep, {SEEDS} seeds, {options.draws} draws an interval"
    )
    figures = {
        "attempts": options.attempts,
        "seconds": ours["seconds"],
        "loops_seconds": loops["seconds"],
        "time_ratio": round(ours["seconds"] / max(0.01, loops["seconds"]), 3),
        "peak_mb": ours["peak_mb"],
        "loops_peak_mb": loops["peak_mb"],
        "memory_ratio": round(ours["peak_mb"] / max(0.1, loops["peak_mb"]), 3),
        "groups": len(ours["rates"]),
    }
    print_result(figures, made_from=made_from, repeats=1)


if __name__ == "__main__":
    main()
