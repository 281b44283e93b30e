"""What the warm screen and selection save: `python -m benchmarks.p2f`.

Theirs: one fresh sandbox a run, and the whole suite in it. Ours: `envplatform.swe.p2f`
with its screen. Same candidates, same repeats, same machine, one after the other.

    screen_ratio   one full run of a candidate that takes its time, to one candidate of
                   the screen; the screen's sandbox, imports and healthy trial run are
                   shared among all that it is asked about
    whole_ratio    a verdict from full runs, to one from screen and confirmation, over
                   all pairs of the sample; what no fork can judge costs the same both
                   ways and is in both sums; audits are apart

Each verdict of the sample is found both ways, one right after the other, and compared:
the sample is the audit; without one, `whole_ratio` is null and nothing was compared.
Figures over all are medians over repositories, shares are of all candidates. Suites
that take over 20 s (`is_large`) have a smaller sample, drawn from changes that a fork
can judge and that affect at most 15 % of the tests, as confirmation has it. Candidates
that take long count as survivors of the screen: confirmation decides on them. What is
shared weighs less the more are screened: `--screened` is stated as `screened`.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from statistics import mean, median

from pydantic import TypeAdapter

from benchmarks.p2f_figures import Figures, Sizes, share_of
from benchmarks.p2f_run import Bench
from benchmarks.report import print_result, progress, refuse
from envplatform.errors import EnvPlatformError
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.swe.p2f import Baseline, measure_baseline
from envplatform.swe.p2f.request import runner_digest
from envplatform.swe.p2f.screen.report import wilson
from envplatform.swe.targets import (
    HealthyRepository,
    Target,
    builtin_target,
    builtin_targets,
    configured_index,
    load_target,
    prepare,
)
from envplatform.swe.targets.identity import target_digest

OWN_TARGETS = Path(__file__).parent / "targets"
"""Targets for measurements only: too long for the demo."""
DEFAULT = (
    "pytoolz__toolz",
    "msiemens__tinydb",
    "tkem__cachetools",
    "mahmoud__boltons",
    "Suor__funcy",
)
"""Small suites; a large one takes a quarter of an hour by itself."""
_BASELINE_RUNS = 2
"""Besides the one that covers: a test is stable if it passes in three."""
_BASELINE = TypeAdapter(Baseline)


async def measure_all(
    targets: Sequence[Target], cache: Path, sizes: Sizes
) -> dict[str, Figures]:
    """Measure one repository after the other."""
    provider = BubblewrapProvider()
    provider.probe()
    found: dict[str, Figures] = {}
    for target in targets:
        repository = await prepare(target, cache, index=configured_index())
        baseline = await kept_baseline(provider, repository, cache)
        progress(f"{target.name}: {len(baseline.stable)} tests, {baseline.suite_s} s")
        bench = Bench(provider, repository, baseline, sizes)
        found[target.name] = figures = await bench.measure()
        progress(f"{target.name}: {asdict(figures)}")
    return found


async def kept_baseline(
    provider: SandboxProvider, repository: HealthyRepository, cache: Path
) -> Baseline:
    """Return the baseline that `cache` has for this very tree and runner, or measure it."""
    of = (
        repository.commit,
        repository.image.digest,
        target_digest(repository.target),
        runner_digest(),
    )
    key = sha256(" ".join(of).encode()).hexdigest()[:16]
    file = cache / f"baseline-{repository.name}-{key}.json"
    if file.is_file():
        return _BASELINE.validate_json(file.read_bytes())
    baseline = await measure_baseline(provider, repository, runs=_BASELINE_RUNS)
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".part")
    beside.write_bytes(_BASELINE.dump_json(baseline))
    beside.replace(file)
    return baseline


def summary(found: dict[str, Figures]) -> dict[str, object]:
    """Return the keys of the contract."""
    all_of = list(found.values())
    total = sum(one.sampled for one in all_of)
    rejected = sum(one.rejected for one in all_of)
    missed = sum(one.missed for one in all_of)
    verified = sum(one.verified for one in all_of)
    differences = sum(one.disagreements for one in all_of)
    whole = [one.whole_ratio for one in all_of if one.whole_ratio is not None]
    return {
        "screen_ratio": median(one.screen_ratio for one in all_of),
        "whole_ratio": median(whole) if whole else None,
        "disagreements": differences,
        "screen_miss_rate": round(missed / rejected, 4) if rejected else None,
        "screen_miss_interval": [round(end, 4) for end in wilson(missed, rejected)],
        "candidates": total,
        "verified": verified,
        "usability": share_of(verified, total),
        "affected_share": round(mean(one.affected_share for one in all_of), 4),
        "audit_differences": differences,
        "per_repository": {name: asdict(one) for name, one in found.items()},
    }


def chosen_targets(names: Sequence[str]) -> list[Target]:
    """Return targets by name, built in or of ours, or by path of a target.toml."""
    return [_target(name) for name in names or DEFAULT]


def _target(name: str) -> Target:
    if name in builtin_targets():
        return builtin_target(name)
    own = OWN_TARGETS / f"{name}.toml"
    return load_target(own if own.is_file() else Path(name))


def main() -> None:
    """Measure what the command line says and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="NAME_OR_PATH",
        help=(
            "a built-in target, `networkx`, or the path of a target.toml; "
            f"default: {', '.join(DEFAULT)}"
        ),
    )
    parser.add_argument("--screened", type=int, default=120)
    parser.add_argument("--sample", type=int, default=4)
    parser.add_argument("--large-sample", type=int, default=2)
    parser.add_argument("--rejected", type=int, default=2)
    parser.add_argument("--full-runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--cache", type=Path, help="keeps downloads and baselines between runs"
    )
    options = parser.parse_args()
    if min(options.screened, options.full_runs) < 1:
        refuse("--screened and --full-runs take numbers of at least 1")
    if min(options.sample, options.large_sample, options.rejected) < 0:
        refuse("--sample, --large-sample and --rejected take no negative numbers")
    sizes = Sizes(
        screened=options.screened,
        sample=options.sample,
        large_sample=options.large_sample,
        rejected=options.rejected,
        full_runs=options.full_runs,
        seed=options.seed,
    )
    with tempfile.TemporaryDirectory() as temporary:
        cache = options.cache or Path(temporary)
        try:
            targets = chosen_targets(options.target)
            found = asyncio.run(measure_all(targets, cache, sizes))
            print_result(summary(found), made_from=", ".join(found), repeats=1)
        except EnvPlatformError as error:
            refuse(str(error))


if __name__ == "__main__":
    main()
