"""The benchmarks of workspaces keep their contract. Their figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envplatform.sandbox.bubblewrap import BubblewrapProvider

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _needs(bubblewrap: BubblewrapProvider) -> None:
    del bubblewrap  # skips where there is none


def figures(benchmark: str, *options: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{benchmark}", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert {"input", "machine", "repeats"} <= set(found)
    return found


def test_a_call_is_measured_by_face() -> None:
    found = figures("ws_call", "--calls", "50", "--face-calls", "1")
    assert 0 < found["in_process_us"] < found["per_call_us"]
    assert set(found["by_face"]) == {"command_line", "tool_call", "mcp"}
    assert all(us > found["per_call_us"] for us in found["by_face"].values())


def test_sessions_leave_no_process_socket_or_file() -> None:
    found = figures("ws_sessions", "--sessions", "4")
    assert (found["sessions"], found["left_over"]) == (4, 0)


def test_a_seed_is_gated_or_there_is_no_figure() -> None:
    found = figures("seeds", "--seed", "ledger_reconciliation")
    assert (found["seeds"], found["kill_rate_criteria"]) == (1, 1.0)
    assert found["per_seed"]["ledger_reconciliation"]["not_run"] == ["portability"]


def test_without_a_model_there_is_no_figure_of_a_judge() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.judge"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no figure: a judge is a model" in done.stderr
