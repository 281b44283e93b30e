"""Cowork environments made and gated: `python -m benchmarks.cowork`.

Blueprints of one shard, every family in turn, are drawn, built, executed, gated by every
check and kept in a store of their own, as the asset does it. What is counted is accepted
environments; families none of whose environments is accepted are named. A run that is
ended (SIGINT, SIGTERM) prints the figures of what it has; with `--store DIR` the next one
goes on from there. `--environments 2000` is the long run.
"""

import argparse
import asyncio
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import mean
from time import monotonic

from assets.cowork_recipes import drawable, procedural_makers, shard_of
from benchmarks.report import print_result, progress, refuse
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import CoworkSettings
from envplatform.cowork.blueprint import Blueprint, plan_shard
from envplatform.cowork.coverage import quota_lines, repeats
from envplatform.cowork.keeping import STAGE, Shard, make_shard
from envplatform.cowork.library import Library
from envplatform.cowork.rows import KeptOutcome, ShapeRow
from envplatform.cowork.taxonomy import taxonomy
from envplatform.errors import SandboxError
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store

PAPER = 64_900
"""Environments of Cowork-Gym, for the extrapolation."""
PER_PARTITION = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was made."""

    blueprints: tuple[Blueprint, ...]
    kept: tuple[KeptOutcome, ...]
    """Of these blueprints, or of some if the run was ended."""
    found: int
    """How many of them lay in the store when the run began."""
    seconds: float
    disk_mb: float
    ended: str = ""
    """Why it is not whole; empty if it is."""

    @property
    def made_a_minute(self) -> float | None:
        """Accepted environments of this run; None where it made none."""
        made = max(len(self.kept) - self.found, 0)
        share = len(self.rows) / len(self.kept) if self.kept else 0.0
        return 60 * made * share / self.seconds if made and share else None

    @property
    def rows(self) -> list[EnvironmentRow]:
        """Of accepted environments."""
        return [one.environment for one in self.kept if one.environment]


class Progress:
    """Keeps what it hears of; tells of what was rejected, of the first and every fiftieth."""

    def __init__(self, count: int) -> None:
        self.kept: list[KeptOutcome] = []
        self._count = count
        self._began = monotonic()

    def __call__(self, kept: KeptOutcome) -> None:
        """Hear of one."""
        self.kept.append(kept)
        if kept.rejected:
            what = f"{kept.rejected.reason}: {kept.rejected.detail[:300]}"
            progress(f"{kept.blueprint_id} rejected: {what}")
        if len(self.kept) == 1 or len(self.kept) % 50 == 0:
            took = monotonic() - self._began
            progress(f"{len(self.kept)} of {self._count}, {took:.0f} s")


def figures(run: Run) -> dict[str, object]:
    """Return what is printed."""
    rows = run.rows
    ids = {row.candidate_id for row in rows}
    accepted = [one for one in run.blueprints if one.blueprint_id in ids]
    quotas = quota_lines(accepted, taxonomy())
    shapes = [
        ShapeRow(blueprint_id=one.blueprint_id, shape=one.shape)
        for one in run.kept
        if one.environment
    ]
    multi = [one for one in accepted if one.pattern != "single_turn"]
    per_minute = run.made_a_minute
    per_1000 = 1000 * run.disk_mb / max(len(run.kept), 1)
    usage = [getrusage(who).ru_maxrss / 1024 for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return {
        "environments": len(run.kept),
        "planned": len(run.blueprints),
        "ended": run.ended,
        "found_in_store": run.found,
        "accepted": len(rows),
        "environments_per_minute": per_minute and round(per_minute, 1),
        "kill_rate_criteria": _rate([row.kill_rate_criteria for row in rows]),
        "kill_rate_generic": _rate([row.kill_rate_generic for row in rows]),
        "near_duplicate_rate": _share(len(repeats(shapes)), len(rows)),
        "families": len({row.family for row in rows}),
        "families_without": _missing(run),
        "scenarios": len({row.scenario for row in rows}),
        "capabilities": len({name for row in rows for name in row.capabilities}),
        "multi_turn_share": _share(len(multi), len(rows)),
        "patches_share_of_multi_turn": _share(
            sum(one.pattern == "patches" for one in multi), len(multi)
        ),
        "peak_mb": round(max(usage), 1),
        "disk_mb_per_1000": round(per_1000, 1),
        "first_round_share": _share(
            sum(one.environment is not None and one.rounds == 1 for one in run.kept),
            len(run.kept),
        ),
        "findings": dict(
            Counter(one.kind for each in run.kept for one in each.findings)
        ),
        "quotas_missed": [one.name for one in quotas if not one.is_met],
        "seconds": round(run.seconds, 1),
        "paper": {
            "environments": PAPER,
            "hours": per_minute and round(PAPER / per_minute / 60, 1),
            "disk_gb": round(PAPER * per_1000 / 1e6, 1),
            "partitions": -(-PAPER // PER_PARTITION),
        },
    }


def _rate(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    if len(known) < len(rates):
        refuse("of some environments no mutant was graded")
    return round(mean(known), 4) if known else None


def _share(part: int, of: int) -> float:
    return round(part / of, 4) if of else 0.0


def _disk_mb(folder: Path) -> float:
    blocks = sum(path.lstat().st_blocks for path in folder.rglob("*"))
    return blocks * 512 / 1e6


def _missing(run: Run) -> list[str]:
    """Return families of which something was made and nothing accepted."""
    made = {one.blueprint_id for one in run.kept}
    tried = {one.family for one in run.blueprints if one.blueprint_id in made}
    return sorted(tried - {row.family for row in run.rows})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where a shard of all families is made."""

    folder: Path
    store: Store
    shard: Shard
    blueprints: tuple[Blueprint, ...]
    left_out: tuple[str, ...]
    """Families that can't be drawn, with the reason."""


@contextmanager
def opened(
    folder: Path | None,
    *,
    environments: int,
    seed: int,
    workers: int,
    family: Sequence[str] = (),
) -> Iterator[Bench]:
    """Plan a shard, to be kept in `folder` or until the context ends."""
    settings = CoworkSettings(families=tuple(family))
    provider = BubblewrapProvider()
    provider.probe()
    library = Library.builtin()
    families, left_out = drawable(settings, library)
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(folder or Path(scratch))
        makers = procedural_makers(settings, library)
        yield Bench(
            folder=folder or Path(scratch),
            store=store,
            shard=shard_of(store, settings, library, makers, provider, at_once=workers),
            blueprints=plan_shard(seed, environments, families),
            left_out=left_out,
        )


def run_shard(bench: Bench) -> Run:
    """Make all that is not made yet; ended by a signal, return what there is."""
    results = bench.store.results(STAGE)
    keys = [bench.shard.key(one) for one in bench.blueprints]
    found = sum(results.get_row(key, KeptOutcome) is not None for key in keys)
    began, told = monotonic(), Progress(len(bench.blueprints))
    ended = asyncio.run(_until_signalled(bench, told))
    return Run(
        blueprints=bench.blueprints,
        kept=tuple(told.kept),
        found=found,
        seconds=monotonic() - began,
        disk_mb=_disk_mb(bench.folder),
        ended=ended,
    )


async def _until_signalled(bench: Bench, told: Progress) -> str:
    """Return the name of the signal that ended it, or what failed; empty if all went well."""
    names: list[str] = []
    making = make_shard(bench.store, bench.shard, bench.blueprints, told=told)
    working = asyncio.ensure_future(making)

    def end(name: str) -> None:
        names.append(name)
        working.cancel()

    loop = asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, end, one.name)
    try:
        await working
    except asyncio.CancelledError:
        if not names:
            raise
        return names[0]
    except SandboxError as error:
        return str(error)
    return ""


def main() -> None:
    """Measure what the command line says and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=90)
    parser.add_argument("--seed", type=int, default=1, help="of the shard")
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--workers", type=int, default=3, help="under way at one time")
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
    print_result(
        {**figures(run), "families_left_out": list(bench.left_out)},
        made_from=f"shard {options.seed}",
        repeats=1,
    )
    if run.ended:
        sys.exit(f"not whole: {run.ended}")


if __name__ == "__main__":
    main()
