"""How the explorer fares by scenario: `python -m benchmarks.cowork_explorer`.

Environments of all families in turn are made and gated, or taken from `--store DIR`, and
the explorer tries each once. A user inside takes part. The explorer reads, and a task's
own solution works on what it has read: a failure is one of acquisition.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.cowork import Bench, opened, run_shard
from benchmarks.report import print_result, progress, refuse
from envplatform.bundle.row import EnvironmentRow
from envplatform.evaluation.explored_levels import ExplorerTries
from envplatform.grading.kept import kept_environment


async def explored(
    bench: Bench, rows: Sequence[EnvironmentRow], *, turns: int
) -> list[bool]:
    """Return whether the explorer passes, environment by environment.

    Raises:
        SandboxError: a sandbox failed time and again.
    """
    workshop = bench.shard.workshop
    tries = ExplorerTries(provider=workshop.provider, image=workshop.image, turns=turns)
    turn = asyncio.Semaphore(bench.shard.at_once)

    async def tried(row: EnvironmentRow) -> bool:
        async with turn:
            environment = kept_environment(bench.store, row)
            found = await tries(environment, root=environment)
        end = " out of turns" if found.out_of_turns else ""
        progress(f"{row.candidate_id}: {found.reward:g} in {found.turns} turns{end}")
        return found.passed

    return list(await asyncio.gather(*map(tried, rows)))


def by_scenario(
    rows: Sequence[EnvironmentRow], passed: Sequence[bool]
) -> Mapping[str, dict[str, float]]:
    """Return tries, passes and Pass@1 of each scenario, by name."""
    of: dict[str, list[bool]] = {}
    for row, one in zip(rows, passed, strict=True):
        of.setdefault(row.scenario, []).append(one)
    return {
        name: {
            "tried": len(mine),
            "passed": sum(mine),
            "pass_at_1": round(sum(mine) / len(mine), 3),
        }
        for name, mine in sorted(of.items())
    }


def main() -> None:
    """Measure what the command line says and print the table and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=112)
    parser.add_argument("--seed", type=int, default=1, help="of the shard")
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--workers", type=int, default=2, help="under way at one time")
    parser.add_argument("--turns", type=int, default=40, help="of the explorer")
    parser.add_argument("--store", type=Path, help="keep all here, and go on from it")
    options = parser.parse_args()
    with opened(
        options.store,
        environments=options.environments,
        seed=options.seed,
        workers=options.workers,
        family=options.family,
    ) as bench:
        run = run_shard(bench)
        if run.ended or not run.rows:
            refuse(run.ended or "nothing was accepted")
        passed = asyncio.run(explored(bench, run.rows, turns=options.turns))
    table = by_scenario(run.rows, passed)
    for name, one in table.items():
        progress(f"| {name} | {one['passed']} of {one['tried']} | {one['pass_at_1']} |")
    print_result(
        {
            "environments": len(run.rows),
            "turns": options.turns,
            "pass_at_1": round(sum(passed) / len(passed), 3),
            "by_scenario": table,
        },
        made_from=f"shard {options.seed}",
        repeats=1,
    )


if __name__ == "__main__":
    main()
