"""The benchmark of cowork: ended by a signal it says what it has, and goes on from there."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envplatform.sandbox.bubblewrap import BubblewrapProvider

FAMILY = "access_review"
HERE = Path(__file__).parents[2]


def _words(store: Path, environments: int) -> list[str]:
    words = ["--family", FAMILY, "--store", str(store), "--workers", "1"]
    whole = [*words, "--environments", str(environments)]
    return [sys.executable, "-m", "benchmarks.cowork", *whole]


def _told(output: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_what_is_ended_tells_its_figures_and_goes_on_from_its_store(
    how: signal.Signals, bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    assert bubblewrap.info.kind == "bubblewrap"
    store = tmp_path / "home"
    with subprocess.Popen(
        _words(store, 2000),
        cwd=HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        said = running.stderr.readline()
        running.send_signal(how)
        output, rest = running.communicate()
    assert said.startswith("1 of 2000"), said + rest
    assert running.returncode == 1, rest
    told = _told(output)
    assert told["ended"] == how.name
    assert told["planned"] == 2000
    assert 1 <= told["environments"] < 2000
    assert told["environments_per_minute"] > 0

    again = subprocess.run(
        _words(store, 1), cwd=HERE, capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    told = _told(again.stdout)
    assert (told["ended"], told["accepted"], told["found_in_store"]) == ("", 1, 1)
    assert told["environments_per_minute"] is None
    assert told["families_without"] == []
