"""A training that is killed, at whatever moment, ends in the same bits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.learning.made_elsewhere import student

ROOT = Path(__file__).parents[3]
STEPS = 4


@pytest.mark.slow
def test_whenever_it_is_killed_the_published_bits_are_the_same(tmp_path: Path) -> None:
    student()  # skips where nothing is installed that trains
    done = subprocess.run(
        [sys.executable, "-m", "tests.learning.training.killed", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    killed = {
        f"{moment} {step}": [-9, 0]
        for moment in ("after", "writing")
        for step in range(1, STEPS + 1)
    }
    assert told["codes"] == {
        "not": [0, 0],
        "full disk": [2, 0],
        "full at the end": [2, 0],
        **killed,
    }
    assert set(told["digests"].values()) == {told["digests"]["not"]}
    assert "the checkpoint after step 2 can't be written" in done.stderr
    assert "the checkpoint can't be published" in done.stderr
