"""What a reverse patch costs against a checkout: `python -m benchmarks.reverse`.

Ours: a mirror is opened, the blobs that a batch of instances needs are found, both
sides are rebuilt, a fresh diff is made, and applied again in both directions.

Theirs, from the same repository on the same disk, one instance after the other:

    fresh_worktree    `git worktree add` at the base commit, `git apply`, `git diff -R`,
                      away with it; cheaper than the clone that harnesses make
    reused_worktree   one worktree: `git checkout -f`, `git apply`, `git diff -R`

Neither proves a round trip. The instances are cut into batches, and each batch is done
by all three in turn; a ratio is the median over batches and repeats. That both ways
find the same bytes is checked apart from the clock. Cloning is left out: all need it
once.
"""

import argparse
import resource
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.made_history import FILES, make_history
from benchmarks.report import print_result, progress, refuse
from envplatform.configuration import FixSourceSettings
from envplatform.errors import FixSourceError
from envplatform.swe.fixes.histories.git_history import GitHistory, open_history
from envplatform.swe.fixes.histories.mining import GitSource
from envplatform.swe.fixes.histories.mirror import open_mirror
from envplatform.swe.fixes.history import Side
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.reconstruct import prefetch, reconstruct
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.sides import Sides
from envplatform.swe.fixes.sources.base import Source
from envplatform.swe.fixes.sources.opening import open_source

NAME = "measured__repository"
HEADLINE = "fresh_worktree"


class TimedHistory(GitHistory):
    """A history that notes how long it was asked."""

    seconds: float = 0.0

    def prefetch(self, wanted: Iterable[tuple[FixInstance, Sequence[str]]]) -> None:
        """As `GitHistory`."""
        asked = list(wanted)
        started = perf_counter()
        super().prefetch(asked)
        self.seconds += perf_counter() - started

    def read(self, instance: FixInstance, paths: Sequence[str]) -> Side:
        """As `GitHistory`."""
        started = perf_counter()
        try:
            return super().read(instance, paths)
        finally:
            self.seconds += perf_counter() - started


@dataclass(slots=True)
class Figures:
    """What was measured so far."""

    ratios: dict[str, list[float]] = field(default_factory=dict)
    """Theirs to ours, by way, one a batch and repeat."""
    ours_s: float = 0.0
    git_s: float = 0.0
    instances: int = 0
    failures: int = 0
    """Round trips that failed."""


Attempt = Sides | Refused
"""What became of one instance."""


def _attempt(instance: FixInstance, history: GitHistory) -> Attempt:
    try:
        return reconstruct(instance, history)
    except Refused as refused:
        return refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where the work is done."""

    repository: Path
    """Bare or not; never written to."""
    folder: Path
    """For the mirror and for checkouts; emptied by the caller."""

    def ours(self, batch: Sequence[FixInstance], figures: Figures) -> list[Attempt]:
        """Reverse a batch as the platform does."""
        started = perf_counter()
        mirror = open_mirror(NAME, str(self.repository), self.folder / "cache")
        history = TimedHistory(mirror)
        history.seconds = perf_counter() - started
        prefetch(batch, history)
        done = [_attempt(one, history) for one in batch]
        history.close()
        figures.ours_s += perf_counter() - started
        figures.git_s += history.seconds
        return done

    def git(self, *arguments: str, at: Path, patch: str = "") -> None:
        """Run git as a harness does."""
        done = subprocess.run(
            ["git", "-C", str(at), *arguments],
            input=patch.encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            refuse(f"git {arguments[0]}: {done.stderr.decode(errors='replace')}")

    def fresh_worktree(self, instance: FixInstance, sides: Sides) -> float:
        """Seconds of one instance in a worktree of its own."""
        tree = self.folder / "fresh"
        started = perf_counter()
        add = ("worktree", "add", "--quiet", "--force", "--detach", str(tree))
        self.git(*add, instance.base_commit, at=self.folder / "clone")
        seconds = perf_counter() - started + self._patch_in(tree, instance, sides)
        started = perf_counter()
        remove = ("worktree", "remove", "--force", str(tree))
        self.git(*remove, at=self.folder / "clone")
        return seconds + perf_counter() - started

    def reused_worktree(self, instance: FixInstance, sides: Sides) -> float:
        """Seconds of one instance in a worktree that the last one left as it was."""
        tree = self.folder / "clone"
        started = perf_counter()
        self.git("clean", "-fdq", at=tree)
        out = ("checkout", "--quiet", "--force", "--detach", instance.base_commit)
        self.git(*out, at=tree)
        return perf_counter() - started + self._patch_in(tree, instance, sides)

    def _patch_in(self, tree: Path, instance: FixInstance, sides: Sides) -> float:
        started = perf_counter()
        self.git("apply", "-", at=tree, patch=instance.patch)
        self.git("diff", "-R", at=tree)
        seconds = perf_counter() - started
        for path in sides.buggy.keys() | sides.fixed.keys():
            fixed, file = sides.fixed.get(path), tree / path
            there = file.read_bytes() if file.is_file() else None
            if there != (fixed.data if fixed else None):
                refuse(f"{instance.instance_id}: git makes other bytes of {path}")
        return seconds


def measure(
    bench: Bench, instances: Sequence[FixInstance], *, batch: int, repeats: int
) -> Figures:
    """Reverse all instances in all ways, batch by batch."""
    clone = ("clone", "--quiet", str(bench.repository), "clone")
    bench.git(*clone, at=bench.folder)
    figures = Figures()
    good = _reversible(bench, instances, figures)
    figures.ours_s = figures.git_s = 0.0
    for repeat in range(repeats):
        for start in range(0, len(good), batch):
            _measure_batch(bench, good[start : start + batch], figures)
            shown = ", ".join(f"{k} {v[-1]:.0f}" for k, v in figures.ratios.items())
            progress(f"repeat {repeat + 1}, {start + batch} done; ratios: {shown}")
    return figures


def _reversible(
    bench: Bench, instances: Sequence[FixInstance], figures: Figures
) -> list[tuple[FixInstance, Sides]]:
    """Those of which there is a reverse patch; also warms the disk for all ways."""
    done = zip(instances, bench.ours(instances, figures), strict=True)
    good: list[tuple[FixInstance, Sides]] = []
    for instance, attempt in done:
        if isinstance(attempt, Sides):
            good.append((instance, attempt))
        else:
            progress(f"left out: {instance.instance_id}: {attempt}")
            figures.failures += attempt.code == "round_trip"
    if not good:
        refuse("there is no instance that can be reversed")
    figures.instances = len(good)
    return good


def _measure_batch(
    bench: Bench, some: Sequence[tuple[FixInstance, Sides]], figures: Figures
) -> None:
    before = figures.ours_s
    for attempt in bench.ours([instance for instance, _ in some], figures):
        if isinstance(attempt, Refused):
            refuse(f"what was reversed before is refused now: {attempt}")
    ours_s = figures.ours_s - before
    for way in (bench.fresh_worktree, bench.reused_worktree):
        theirs_s = sum(way(instance, sides) for instance, sides in some)
        figures.ratios.setdefault(way.__name__, []).append(theirs_s / ours_s)


def find_instances(
    repository: Path, fixes: Path | None, cache: Path, count: int
) -> list[FixInstance]:
    """Take the first fixes of a file that start from this history, or mine them."""
    if fixes is None:
        source: Source = GitSource(name="mined", url=str(repository), cache=cache)
    else:
        source = open_source(FixSourceSettings(path=str(fixes)), cache=cache)
    rows = (row for row in source.read() if isinstance(row, FixInstance))
    found = rows if fixes is None else _known(rows, repository, cache)
    return list(islice(found, count))


def _known(
    found: Iterator[FixInstance], repository: Path, cache: Path
) -> Iterator[FixInstance]:
    with open_history(NAME, str(repository), cache) as history:
        for instance in found:
            try:
                history.read(instance, ())
            except Refused:
                continue
            yield instance


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=Path, help="else one is made on the spot")
    parser.add_argument("--fixes", type=Path, help="rows; else they are mined")
    parser.add_argument("--instances", type=int, default=120, help="at most")
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if min(options.instances, options.batch, options.repeats) < 1:
        parser.error("--instances, --batch and --repeats must be at least 1")
    if options.fixes and not options.repository:
        parser.error("--fixes needs the --repository that they start from")
    with tempfile.TemporaryDirectory(prefix="reverse-") as name:
        try:
            _run(options, Path(name))
        except FixSourceError as error:
            refuse(str(error))


def _run(options: argparse.Namespace, folder: Path) -> None:
    repository = options.repository
    if repository is None:
        repository = folder / "made"
        make_history(repository, fixes=options.instances)
        made_from = f"a made repository of {FILES} files, 3 MB"
    else:
        made_from = f"{repository}, {options.fixes or 'mined'}"
    cache = folder / "sources"
    instances = find_instances(repository, options.fixes, cache, options.instances)
    progress(f"{len(instances)} instances from {made_from}")
    bench = Bench(repository=repository, folder=folder)
    figures = measure(bench, instances, batch=options.batch, repeats=options.repeats)
    ratios = {name: round(median(all_), 1) for name, all_ in figures.ratios.items()}
    done = figures.instances * options.repeats
    print_result(
        {
            "ratio": ratios[HEADLINE],
            "baseline": HEADLINE,
            "ratios": ratios,
            "instances": figures.instances,
            "round_trip_failures": figures.failures,
            "git_share": round(figures.git_s / figures.ours_s, 3),
            "ms_per_instance": round(1000 * figures.ours_s / done, 2),
            "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        },
        made_from=made_from,
        repeats=options.repeats,
    )


if __name__ == "__main__":
    main()
