"""Does learning from more repositories give more diverse bugs? `python -m benchmarks.coverage`.

Fixes are drawn in equal number from few and from many source repositories, patterns are
mined from each draw, and `mined` puts bugs into the same files with the same budget and
seed. Told of each number of repositories: MBTE, and with `--prove` usability; without
it nothing is executed, and MBTE is that of all candidates.

Draws of one seed differ in the repositories alone, so each number is compared with the
smallest within its seed: usability, and MBTE over the files that have enough bugs in
both. Intervals are of means over seeds. They say how much the draw matters, on these
targets; the sets of different seeds overlap, the more the fewer repositories there are.

The fixes are the rows of `bug_training_set` in a store. What is proven is kept in its
result cache, so that a run that was stopped goes on.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.report import print_result, progress, refuse
from envplatform.configuration import TargetSettings
from envplatform.errors import EnvPlatformError
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.choose import choose_provider
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.diversity.coverage import CoverageDraw, coverage_draws
from envplatform.swe.diversity.intervals import mean_interval
from envplatform.swe.diversity.rarefaction import SIZES, mbte
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.swe.inducers.mined import MinedInducer
from envplatform.swe.inducers.mined.mining import mine
from envplatform.swe.p2f.baseline import Baseline, measure_baseline
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.propose import propose
from envplatform.swe.prove import prove
from envplatform.swe.report import types_by_file
from envplatform.swe.targets import HealthyRepository, configured_index, prepare
from envplatform.swe.targets.catalogue import find_target

DEFAULT_TARGETS = ("pytoolz__toolz", "jpvanhal__inflection")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one draw led to."""

    seed: int
    repositories: int
    patterns: int
    candidates: int
    executed: int
    """0: nothing was to be proven."""
    proven: int
    types: Mapping[tuple[str, str], tuple[int, ...]]
    """Usable bugs by type, of each repository and path."""

    @property
    def usability(self) -> float | None:
        """Proven of executed; None where nothing was executed."""
        return self.proven / self.executed if self.executed else None


Healthy = Sequence[tuple[HealthyRepository, Baseline]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What is the same for all draws."""

    healthy: Healthy
    budget: int
    seed: int

    def candidates(
        self, draw: CoverageDraw[TrainingRow]
    ) -> tuple[int, list[BugCandidate]]:
        """Number of patterns mined, and what they propose."""
        library = mine(draw.fixes)
        inducer = MinedInducer(library=library)
        found = [
            candidate
            for repository, baseline in self.healthy
            for candidate in propose(
                repository, baseline, [inducer], budget=self.budget, seed=self.seed
            ).candidates
        ]
        return len(library.patterns), found


def figures_of(
    draw: CoverageDraw[TrainingRow],
    patterns: int,
    candidates: Sequence[BugCandidate],
    verdicts: Sequence[Verdict] | None,
    *,
    seed: int,
) -> Figures:
    """Count; without verdicts every candidate counts as usable."""
    proven = {each.candidate_id for each in verdicts or () if each.verified}
    usable = [c for c in candidates if verdicts is None or c.candidate_id in proven]
    return Figures(
        seed=seed,
        repositories=len(draw.repositories),
        patterns=patterns,
        candidates=len(candidates),
        executed=len(verdicts or ()),
        proven=len(proven),
        types=types_by_file(usable),
    )


async def _healthy(
    provider: SandboxProvider, names: Sequence[str], cache: Path
) -> Healthy:
    index = configured_index()
    found = []
    for name in names:
        target = find_target(TargetSettings(builtin=tuple(names)), name)
        repository = await prepare(target, cache, index=index)
        found.append((repository, await measure_baseline(provider, repository)))
        progress(f"{name}: {len(found[-1][1].stable)} stable tests")
    return found


async def _prove(
    provider: SandboxProvider,
    healthy: Healthy,
    candidates: Sequence[BugCandidate],
    store: Store,
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for repository, baseline in healthy:
        own = [c for c in candidates if c.repository == repository.name]
        settings = VerificationSettings()
        results = store.results("prove")
        verdicts += await prove(
            provider, repository, baseline, own, settings, results=results
        )
    return verdicts


def summary(found: Sequence[Figures]) -> list[dict[str, object]]:
    """Means over seeds by number of repositories, and differences from the smallest."""
    counts = sorted({each.repositories for each in found})
    first = {e.seed: e for e in found if e.repositories == counts[0]} if counts else {}
    return [
        _line([each for each in found if each.repositories == count], first)
        for count in counts
    ]


def _line(some: Sequence[Figures], first: Mapping[int, Figures]) -> dict[str, object]:
    points = [mbte(each.types.values(), SIZES[0]) for each in some]
    pairs = [
        (each, first[each.seed])
        for each in some
        if each.seed in first and first[each.seed] is not each
    ]
    return {
        "repositories": some[0].repositories,
        "draws": len(some),
        "patterns": round(fmean(each.patterns for each in some), 1),
        "candidates": sum(each.candidates for each in some),
        "executed": sum(each.executed for each in some),
        "proven": sum(each.proven for each in some),
        "usability": _mean(each.usability for each in some),
        "mbte_bits": _mean(p.corrected_bits if p else None for p in points),
        "mbte_files": [point.files if point else 0 for point in points],
        "usability_more": _mean(_more_usable(one, less) for one, less in pairs),
        "mbte_bits_more": _mean(_more_bits(one, less) for one, less in pairs),
        "common_files": [len(_common(one, less)) for one, less in pairs],
    }


def _mean(values: Iterable[float | None]) -> dict[str, object] | None:
    """Mean of those that are there, its interval, and the values by seed."""
    listed = list(values)
    there = [value for value in listed if value is not None]
    if not there:
        return None
    interval = mean_interval(there)
    return {
        "mean": round(fmean(there), 3),
        "low": round(interval.low, 3) if interval else None,
        "high": round(interval.high, 3) if interval else None,
        "by_seed": [None if one is None else round(one, 4) for one in listed],
    }


def _more_usable(one: Figures, less: Figures) -> float | None:
    if one.usability is None or less.usability is None:
        return None
    return one.usability - less.usability


def _more_bits(one: Figures, less: Figures) -> float | None:
    """Difference of MBTE over the same files; None if none has enough bugs in both."""
    common = _common(one, less)
    points = [
        mbte((each.types[place] for place in common), SIZES[0]) for each in (one, less)
    ]
    many, few = points
    return many.corrected_bits - few.corrected_bits if many and few else None


def _common(one: Figures, less: Figures) -> list[tuple[str, str]]:
    """Files that have enough usable bugs in both draws."""
    return [
        place
        for place, types in one.types.items()
        if min(sum(types), sum(less.types.get(place, ()))) >= SIZES[0]
    ]


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path, help="folder with `bug_training_set`")
    parser.add_argument("--counts", type=int, nargs="+", default=[5, 8, 12])
    parser.add_argument("--size", type=int, default=60, help="fixes in each draw")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=100, help="for each target")
    parser.add_argument("--targets", nargs="+", default=list(DEFAULT_TARGETS))
    parser.add_argument("--prove", action="store_true", help="takes hours")
    options = parser.parse_args()
    if min(options.seeds, options.budget) < 1:
        parser.error("--seeds and --budget must be at least 1")
    try:
        asyncio.run(_run(options))
    except (EnvPlatformError, ValueError) as error:
        refuse(str(error))


def _told(one: Figures) -> str:
    """One draw as a line for a person: what a run that is stopped leaves."""
    point = mbte(one.types.values(), SIZES[0])
    bits = f"{point.corrected_bits:.2f} bits" if point else "no MBTE"
    return (
        f"seed {one.seed}, {one.repositories} repositories: {one.patterns} patterns, "
        f"{one.candidates} candidates, {one.proven} of {one.executed} proven, {bits}"
    )


async def _run(options: argparse.Namespace) -> None:
    store = Store(options.home)
    rows = store.rows(TrainingRow, "bug_training_set")
    sources = len({row.repository for row in rows})
    progress(f"{len(rows)} fixes of {sources} repositories")
    provider = choose_provider()
    healthy = await _healthy(provider, options.targets, store.cache_folder("targets"))
    found = []
    for seed in range(options.seeds):
        experiment = Experiment(healthy=healthy, budget=options.budget, seed=seed)
        for draw in coverage_draws(rows, options.counts, size=options.size, seed=seed):
            patterns, candidates = experiment.candidates(draw)
            verdicts = (
                await _prove(provider, healthy, candidates, store)
                if options.prove
                else None
            )
            found.append(figures_of(draw, patterns, candidates, verdicts, seed=seed))
            progress(_told(found[-1]))
    lines = summary(found)
    for line in lines:
        sys.stdout.write(f"{line}\n")
    print_result(
        {
            "by_repositories": lines,
            "of": "proven" if options.prove else "candidates",
            "size": options.size,
            "budget": options.budget,
            "mbte_at": SIZES[0],
        },
        made_from=f"{len(rows)} fixes of {sources} repositories; {options.targets}",
        repeats=options.seeds,
    )


if __name__ == "__main__":
    main()
