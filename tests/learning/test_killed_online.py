"""Training on plays, or by distillation, that is killed ends in the same bits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.learning.made_elsewhere import student

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_whenever_it_is_killed_the_published_bits_are_the_same(tmp_path: Path) -> None:
    student()  # skips where nothing is installed that trains
    done = subprocess.run(
        [sys.executable, "-m", "tests.learning.killed_online", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert set(told) == {
        "environment_factory",
        "rollout_func",
        "reference",
        "rollouts",
        "single_turns",
    }
    for name, one in told.items():
        assert one["codes"] == [[0, 0], [-9, 0], [-9, 0]], name
        assert len(set(one["digests"])) == 1, name
