"""The benchmark of scoring attempts keeps its contract. Its figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.evaluation", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_last_line_has_all_keys() -> None:
    done = run("--attempts", "200", "--draws", "100")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    keys = {"seconds", "loops_seconds", "time_ratio", "peak_mb", "loops_peak_mb"}
    assert keys | {"memory_ratio", "input", "machine", "repeats"} <= set(figures)
    assert figures["attempts"] == 200
    assert figures["groups"] == 4 * (1 + 5), "four solvers, whole and by depth"


def test_nothing_to_measure_gives_no_figure() -> None:
    done = run("--attempts", "0")
    assert done.returncode != 0
    assert "no figure" in done.stderr
