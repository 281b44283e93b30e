"""The benchmark of training keeps its contract. Its figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.learning.made_elsewhere import student

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_last_line_has_all_keys() -> None:
    base = str(student())  # skips where nothing is installed that trains
    options = ("--base", base, "--characters", "300", "--steps", "1", "--repeats", "1")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.training", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    figures = json.loads(done.stdout.splitlines()[-1])
    assert {
        *("tokens_per_second_ratio", "peak_ratio", "device"),
        *("input", "machine", "repeats"),
    } <= figures.keys()
    assert figures["device"] == "cpu"
    assert figures["tokens_per_second_ratio"] > 0
