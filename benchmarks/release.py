"""A release against a plain copy: `python -m benchmarks.release`.

Both take the same environments and trajectories of one made-up store. The plain way
copies each environment's folder, digests its files and writes one Parquet file of the
rows; a release verifies every environment, looks for held-out texts, divides, packs and
compresses. Measured in turns, in processor seconds and by the clock.

    ratio         processor seconds of a release over those of the plain copy, median
    bytes_ratio   bytes of the release over those of the plain copy
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.release_store import fill
from benchmarks.report import print_result, progress, refuse
from envplatform.configuration import ReleaseSettings
from envplatform.interop.chat.write import chat_line
from envplatform.release.gathering import stored_inputs
from envplatform.release.making import make
from envplatform.release.shelf import shelf_of
from envplatform.release.verifying import damages
from envplatform.store import Store
from envplatform.store.files import sha256_of
from envplatform.trajectories import Trajectory

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """One pass."""

    cpu_s: float
    wall_s: float
    bytes: int


def measure(work: Callable[[], Path]) -> Took:
    """Do it once; `work` returns the folder that it made."""
    wall, cpu = time.perf_counter(), time.process_time()
    folder = work()
    return Took(
        cpu_s=time.process_time() - cpu,
        wall_s=time.perf_counter() - wall,
        bytes=sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()),
    )


def plain_copy(store: Store, to: Path) -> Path:
    """Copy, digest and dump, with nothing looked at."""
    digests = []
    for source in sorted((store.home / "directories" / "environments").iterdir()):
        if source.is_dir():
            copied = Path(shutil.copytree(source, to / source.name))
            digests += [sha256_of(one) for one in copied.rglob("*") if one.is_file()]
    rows = [chat_line(one, "b") for one in store.all_rows(Trajectory, "rollouts")]
    table = pa.table(
        {
            "trajectory_id": [str(one["trajectory_id"]) for one in rows],
            "messages": [str(one["messages"]) for one in rows],
        }
    )
    pq.write_table(table, to / "trajectories.parquet", compression="zstd")
    (to / "SHA256SUMS").write_text("\n".join(digests))
    return to


def release(store: Store, seed: int) -> Path:
    """Make one; another seed is another release, so that none is there already."""
    settings = ReleaseSettings(split_seed=seed)
    return make(store, stored_inputs(store), settings, created=NOW).folder


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", type=int, default=500)
    parser.add_argument("--trajectories", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    if min(asked.environments, asked.trajectories, asked.repeats) < 1:
        refuse("at least one environment, trajectory and repeat are needed")
    with tempfile.TemporaryDirectory(prefix="envplatform-release-") as scratch:
        store = Store(Path(scratch, "home"))
        progress(
            f"{asked.environments} environments, {asked.trajectories} trajectories"
        )
        fill(store, asked.environments, asked.trajectories)
        ours, theirs = [], []
        for turn in range(asked.repeats):
            plain = Path(scratch, f"plain{turn}")
            plain.mkdir()
            theirs.append(measure(partial(plain_copy, store, plain)))
            ours.append(measure(partial(release, store, turn)))
            progress(
                f"turn {turn + 1}: {ours[-1].cpu_s:.1f} s against {theirs[-1].cpu_s:.1f} s"
            )
        shelf = shelf_of(store)
        wrong = [one for each in shelf.versions for one in damages(shelf.folder(each))]
        if wrong or len(shelf.versions) != asked.repeats:
            refuse(f"the releases are not whole: {wrong or shelf.versions}")
    pairs = list(zip(ours, theirs, strict=True))
    figures = {
        "ratio": round(median(a.cpu_s / b.cpu_s for a, b in pairs), 2),
        "wall_ratio": round(median(a.wall_s / b.wall_s for a, b in pairs), 2),
        "bytes_ratio": round(median(a.bytes / b.bytes for a, b in pairs), 3),
        "release_s": round(median(one.cpu_s for one in ours), 3),
        "plain_s": round(median(one.cpu_s for one in theirs), 3),
        "environments": asked.environments,
        "trajectories": asked.trajectories,
        "ms_per_environment": round(
            1000 * median(one.cpu_s for one in ours) / asked.environments, 2
        ),
    }
    print_result(figures, made_from="a made-up store", repeats=asked.repeats)


if __name__ == "__main__":
    main()
