"""The whole gate over the seeds: `python -m benchmarks.seeds`.

Every check of the gate on every task that ships, with the faults that its author wrote
and its user inside where there is one. A figure is printed for all of them or for
none: a seed that fails a check is named, with what the check said. All twelve take some
minutes on two cores; `--workers 1` for times that nothing else had a part in.
`--docker-base IMAGE` grades a sample of each one's states in Docker too.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import mean
from time import monotonic

from benchmarks.report import print_result, progress, refuse
from envplatform.grading.gate import FULL, hindering, kill_rates, may_publish, run_gate
from envplatform.grading.tasks import Task, task_of
from envplatform.rollout import attending
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.docker import DockerProvider
from envplatform.workspace import builtin_seeds
from envplatform.workspace.catalogue import SeedPlace

Line = dict[str, object]
"""One line of the table."""


async def gate(
    provider: SandboxProvider, task: Task, repeats: int, other: SandboxProvider | None
) -> Line:
    """Run the gate over one seed and return its line of the table."""
    began = monotonic()
    audit = await run_gate(
        provider,
        task.environment,
        image=task.image,
        repeats=repeats,
        checks=FULL,
        faults=task.faults,
        other=other,
        attend=attending(),
    )
    if not may_publish(audit):
        told = [f"{one.name} {one.status}: {one.evidence}" for one in hindering(audit)]
        refuse(f"{task.name}: {'; '.join(told)}")
    rates = kill_rates(audit)
    return {
        "passed": sum(one.status == "passed" for one in audit),
        "not_run": [one.name for one in audit if one.status == "not_run"],
        "kill_rate_criteria": rates.criteria,
        "kill_rate_generic": rates.generic,
        "criteria": len(task.environment.criteria) - 1,
        "has_user": bool(task.environment.user),
        "seconds": round(monotonic() - began, 1),
    }


async def gate_all(
    tasks: list[Task], options: argparse.Namespace, other: SandboxProvider | None
) -> dict[str, Line]:
    """Run it over all, `options.workers` at a time; in the order of `tasks`."""
    provider = BubblewrapProvider()
    provider.probe()
    turn = asyncio.Semaphore(options.workers)

    async def one(task: Task) -> Line:
        async with turn:
            line = await gate(provider, task, options.repeats, other)
        progress(f"{task.name}: {line}")
        return line

    lines = await asyncio.gather(*map(one, tasks))
    return {task.name: line for task, line in zip(tasks, lines, strict=True)}


def main() -> None:
    """Measure what the command line says and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", action="append", default=[], choices=builtin_seeds())
    parser.add_argument(
        "--repeats", type=int, default=3, help="gradings a state, 3 at least"
    )
    parser.add_argument("--workers", type=int, default=2, help="seeds at one time")
    parser.add_argument("--docker-base", help="image for portability; else not run")
    options = parser.parse_args()
    other = DockerProvider(base=options.docker_base) if options.docker_base else None
    began = monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        tasks = [
            task_of(SeedPlace(name=name, folder=None), python=None, cache=Path(scratch))
            for name in options.seed or builtin_seeds()
        ]
        table = asyncio.run(gate_all(tasks, options, other))
    if other is not None:
        other.close()
    print_result(
        {
            "seeds": len(table),
            "seconds": round(monotonic() - began, 1),
            "workers": options.workers,
            "kill_rate_criteria": _mean(table, "kill_rate_criteria"),
            "kill_rate_generic": _mean(table, "kill_rate_generic"),
            "per_seed": table,
        },
        made_from=", ".join(table),
        repeats=options.repeats,
    )


def _mean(table: dict[str, Line], key: str) -> float:
    values = [row[key] for row in table.values()]
    known = [value for value in values if isinstance(value, float)]
    if len(known) < len(values):
        refuse(f"a seed has no {key}: none of its mutants was graded")
    return round(mean(known), 4)


if __name__ == "__main__":
    main()
