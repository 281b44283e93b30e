"""One way of scoring, in a process of its own; see `benchmarks.evaluation`."""

import json
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from time import process_time
from typing import Literal

from benchmarks.memory import forget_peak, peak_bytes
from envplatform.evaluation.attempts import RolloutRecord, Sorting
from envplatform.evaluation.rates import Scoring, rate_rows
from envplatform.evaluation.tasks import NO_SCENARIO, Task
from envplatform.store import Store
from envplatform.trajectories import Trajectory

BATCH = "made"
Variant = Literal["ours", "loops"]
Rates = dict[str, float]
"""Pass@1 by solver, what is grouped by, and group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is asked of the process."""

    home: str
    variant: Variant
    draws: int

    def text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self))


def task_of(digest: str) -> Task:
    """Return what a digest of a made-up environment means."""
    lineage, _, depth = digest.partition(".")
    return Task(
        task=digest,
        environment_id=digest,
        pillar="res",
        scenario=NO_SCENARIO,
        lineage=lineage,
        parent="",
        depth=int(depth),
        writers=(),
    )


def ours(store: Store, draws: int) -> Rates:
    """As `benchmark_scores`."""
    digests = {
        one.environment_digest for one in store.scan(RolloutRecord, "rollouts", BATCH)
    }
    tasks = {digest: task_of(digest) for digest in digests}
    sorting = Sorting(writers=dict.fromkeys(tasks, ()))
    sorting.add(BATCH, store.scan(RolloutRecord, "rollouts", BATCH))
    rows = rate_rows(sorting.attempts, tasks, Scoring(draws=draws))
    return {
        f"{one.policy} {one.by} {one.group}": round(one.pass_at_1, 9)
        for one in rows
        if one.harness and one.by in {"whole", "depth"}
    }


def loops(store: Store, draws: int) -> Rates:
    """Hold all records, and go through them again for each figure."""
    records = store.rows(Trajectory, "rollouts", BATCH)
    depths = sorted({task_of(one.environment_digest).depth for one in records})
    rates: Rates = {}
    for policy in sorted({one.policy for one in records}):
        for group in ("", *map(str, depths)):
            mine = [
                one
                for one in records
                if one.policy == policy
                and group in {"", str(task_of(one.environment_digest).depth)}
            ]
            if mine:
                by = "depth" if group else "whole"
                rates[f"{policy} {by} {group}"] = round(_mean(mine, draws), 9)
    return rates


def _mean(records: list[Trajectory], draws: int) -> float:
    by_task: dict[str, list[float]] = defaultdict(list)
    for one in records:
        by_task[one.environment_digest].append(float(one.reward == 1))
    by_lineage: dict[str, list[list[float]]] = defaultdict(list)
    for digest, solved in by_task.items():
        by_lineage[task_of(digest).lineage].append(solved)
    random, lineages = Random(0), list(by_lineage.values())  # noqa: S311  a sample
    drawn = []
    for _ in range(draws):
        chosen = [random.choice(lineages) for _ in lineages]
        drawn.append(fmean(fmean(task) for lineage in chosen for task in lineage))
    drawn.sort()
    return fmean(fmean(task) for task in by_task.values())


def main() -> None:
    """Do what standard input says; prints rates, processor seconds and extra memory."""
    job = json.load(sys.stdin)
    store = Store(Path(job["home"]))
    before = forget_peak()  # of imports
    began = process_time()
    rates = (ours if job["variant"] == "ours" else loops)(store, job["draws"])
    figures = {
        "rates": rates,
        "seconds": round(process_time() - began, 2),
        "peak_mb": round((peak_bytes() - before) / 2**20, 1),
    }
    json.dump(figures, sys.stdout)


if __name__ == "__main__":
    main()
