"""The benchmark of platform overhead keeps its contract. Its figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.overhead", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_last_line_has_all_keys() -> None:
    done = run("--partitions", "4")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert set(figures) == {
        "partitions",
        "first_s",
        "cached_s",
        "events_per_partition",
        "input",
        "machine",
        "repeats",
    }
    assert figures["partitions"] == 4
    assert figures["events_per_partition"] >= 2
    assert "cached: 4 partitions" in done.stderr


def test_nothing_to_measure_gives_no_figure() -> None:
    done = run("--partitions", "0")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "at least 1" in done.stderr
