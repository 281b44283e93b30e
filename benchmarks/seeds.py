"""The whole gate over the seeds: `python -m benchmarks.seeds`.

Every check of the gate on every task that ships, with the faults that its author wrote
and its user inside where there is one. A figure is printed for all of them or for
none: a seed that fails a check is named, with what the check said.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import mean
from time import monotonic

from benchmarks.report import print_result, progress, refuse
from envplatform.bundle import ImageReference
from envplatform.grading.gate import FULL, KillRates, kill_rates, may_publish, run_gate
from envplatform.rollout import attending
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from envplatform.workspace import builtin_seeds, read_seed, seed_environment

_PYTHON = "3.11"


async def gate(
    provider: BubblewrapProvider, name: str, scratch: Path, repeats: int
) -> dict[str, object]:
    """Run the gate over one seed and return its line of the table."""
    image = build_image("bare", _PYTHON, (), scratch)
    reference = ImageReference(
        name=image.name,
        python=image.python,
        requirements=image.requirements,
        digest=image.digest,
    )
    seed, _ = read_seed(name)
    environment = seed_environment(name, reference)
    began = monotonic()
    audit = await run_gate(
        provider,
        environment,
        image=image,
        repeats=repeats,
        checks=FULL,
        faults=seed.fault,
        attend=attending() if environment.user else None,
    )
    if not may_publish(audit):
        failed = [
            f"{one.name}: {one.evidence}" for one in audit if one.status == "failed"
        ]
        refuse(f"{name} fails {'; '.join(failed)}")
    rates: KillRates = kill_rates(audit)
    return {
        "passed": sum(one.status == "passed" for one in audit),
        "not_run": [one.name for one in audit if one.status == "not_run"],
        "kill_rate_criteria": rates.criteria,
        "kill_rate_generic": rates.generic,
        "criteria": len(seed.criteria),
        "has_user": bool(environment.user),
        "seconds": round(monotonic() - began, 1),
    }


def main() -> None:
    """Measure what the command line says and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", action="append", default=[], choices=builtin_seeds())
    parser.add_argument("--repeats", type=int, default=3, help="gradings a state")
    options = parser.parse_args()
    provider = BubblewrapProvider()
    provider.probe()
    table: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.seed or builtin_seeds():
            table[name] = asyncio.run(
                gate(provider, name, Path(scratch), options.repeats)
            )
            progress(f"{name}: {table[name]}")
    print_result(
        {
            "seeds": len(table),
            "kill_rate_criteria": _mean(table, "kill_rate_criteria"),
            "kill_rate_generic": _mean(table, "kill_rate_generic"),
            "per_seed": table,
        },
        made_from=", ".join(table),
        repeats=options.repeats,
    )


def _mean(table: dict[str, dict[str, object]], key: str) -> float:
    values = [row[key] for row in table.values()]
    known = [value for value in values if isinstance(value, float)]
    if len(known) < len(values):
        refuse(f"a seed has no {key}: none of its mutants was graded")
    return round(mean(known), 4)


if __name__ == "__main__":
    main()
