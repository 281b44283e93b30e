"""How the explorer fares by scenario: `python -m benchmarks.cowork_explorer`.

Environments of all families in turn are made and gated, or taken from `--store DIR`;
with `--drawn` they are taken as they are drawn, which no gate has seen. The explorer tries
each within each number of turns, the same for all. The user inside takes part in the search: what it changes counts as had by who has read it after that,
what it tells by who was told. A task's own solution works on what was had: a failure is
one of acquisition.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.cowork import Bench, opened, run_shard
from benchmarks.report import print_result, progress, refuse
from envplatform.bundle import Environment
from envplatform.bundle.consistency import checked
from envplatform.cowork.assembling import assemble
from envplatform.cowork.family import verifier_view
from envplatform.evaluation.explored_levels import ExplorerTries
from envplatform.grading.kept import kept_environment
from envplatform.grading.sessions import image_reference
from envplatform.res.rows import ExplorerRow
from envplatform.swe.diversity.intervals import wilson

_TURNS = (4, 6, 10, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the explorer is tried."""

    name: str
    scenario: str
    environment: Environment


def gated(bench: Bench) -> list[Place]:
    """Make, gate and keep all that is not kept yet; return what was accepted."""
    run = run_shard(bench)
    if run.ended or not run.rows:
        refuse(run.ended or "nothing was accepted")
    return [
        Place(
            name=row.candidate_id,
            scenario=row.scenario,
            environment=kept_environment(bench.store, row),
        )
        for row in run.rows
    ]


async def drawn(bench: Bench) -> list[Place]:
    """Return environments as both roles hand them over, without a gate."""
    workshop, found = bench.shard.workshop, []
    for one in bench.blueprints:
        built = await workshop.builder.build(one, ())
        view = verifier_view(built.specification, built.build)
        verifier = await workshop.constructor(one).construct(view, ())
        environment = assemble(
            one, built, verifier, image=image_reference(workshop.image)
        )
        found.append(
            Place(
                name=one.blueprint_id,
                scenario=one.scenario,
                environment=checked(environment),
            )
        )
    return found


async def explored(
    bench: Bench, places: Sequence[Place], turns: Sequence[int]
) -> list[list[ExplorerRow]]:
    """Return how the explorer fares: by place, then by number of turns.

    A search that ended by itself is the same with more turns, so it is not repeated.

    Raises:
        SandboxError: a sandbox failed time and again.
    """
    workshop = bench.shard.workshop
    at_once = asyncio.Semaphore(bench.shard.at_once)

    async def tried(place: Place) -> list[ExplorerRow]:
        environment = place.environment
        found: list[ExplorerRow] = []
        for most in turns:
            if found and not found[-1].out_of_turns:
                found.append(found[-1])
                continue
            tries = ExplorerTries(
                provider=workshop.provider, image=workshop.image, turns=most
            )
            async with at_once:
                found.append(await tries(environment, root=environment))
        marks = "".join("-+"[one.passed] for one in found)
        progress(f"{place.name}: {marks}, {found[-1].turns} turns")
        return found

    return list(await asyncio.gather(*map(tried, places)))


def told(tried: Sequence[ExplorerRow]) -> dict[str, object]:
    """Return what is told of tries within one number of turns."""
    passed = sum(one.passed for one in tried)
    interval = wilson(passed, len(tried))
    return {
        "tried": len(tried),
        "passed": passed,
        "pass_at_1": round(passed / len(tried), 3),
        "interval": [round(interval.low, 3), round(interval.high, 3)],
        "turns_used": round(fmean(one.turns for one in tried), 1),
        "turn_limit_rate": round(fmean(one.out_of_turns for one in tried), 3),
    }


def by_scenario(
    places: Sequence[Place], tried: Sequence[ExplorerRow]
) -> dict[str, dict[str, object]]:
    """Return what is told of each scenario, by name."""
    of: dict[str, list[ExplorerRow]] = {}
    for place, one in zip(places, tried, strict=True):
        of.setdefault(place.scenario, []).append(one)
    return {name: told(mine) for name, mine in sorted(of.items())}


def main() -> None:
    """Measure what the command line says and print the tables and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=112)
    parser.add_argument("--seed", type=int, default=1, help="of the shard")
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--workers", type=int, default=2, help="under way at one time")
    parser.add_argument(
        "--turns", type=int, nargs="+", default=_TURNS, help="of the explorer"
    )
    parser.add_argument("--drawn", action="store_true", help="without a gate")
    parser.add_argument("--store", type=Path, help="keep all here, and go on from it")
    options = parser.parse_args()
    turns = sorted(set(options.turns))
    with opened(
        options.store,
        environments=options.environments,
        seed=options.seed,
        workers=options.workers,
        family=options.family,
    ) as bench:
        places = asyncio.run(drawn(bench)) if options.drawn else gated(bench)
        found = asyncio.run(explored(bench, places, turns))
    columns = {
        most: [of[at] for of in found]  # one try an environment
        for at, most in enumerate(turns)
    }
    tables = {most: by_scenario(places, of) for most, of in columns.items()}
    for most, table in tables.items():
        progress(f"| within {most} turns | passed | 95 % | turns used | out of turns |")
        for name, one in table.items():
            low, high = one["interval"] if isinstance(one["interval"], list) else (0, 1)
            progress(
                f"| {name} | {one['passed']} of {one['tried']} | {low:.2f} to {high:.2f}"
                f" | {one['turns_used']} | {one['turn_limit_rate']} |"
            )
    print_result(
        {
            "environments": len(places),
            "gated": not options.drawn,
            "overall": {str(most): told(of) for most, of in columns.items()},
            "by_scenario": {str(most): table for most, table in tables.items()},
        },
        made_from=f"shard {options.seed}",
        repeats=1,
    )


if __name__ == "__main__":
    main()
