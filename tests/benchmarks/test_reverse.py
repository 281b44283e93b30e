"""The benchmark of reverse patches keeps its contract. Its figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path

from tests.swe.fixes.histories.made_repository import MadeRepository

REPOSITORY = Path(__file__).parents[2]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.reverse", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_last_line_has_all_keys() -> None:
    done = run("--instances", "3", "--repeats", "1")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert set(figures) == {
        "ratio",
        "baseline",
        "ratios",
        "instances",
        "round_trip_failures",
        "git_share",
        "ms_per_instance",
        "peak_mb",
        "input",
        "machine",
        "repeats",
    }
    assert figures["instances"] == 3
    assert figures["round_trip_failures"] == 0
    assert figures["ratio"] == figures["ratios"][figures["baseline"]]
    assert 0 < figures["git_share"] < 1
    assert "ratios: fresh_worktree" in done.stderr


def test_rows_that_start_from_another_history_are_left_out(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "owner" / "name")
    base = made.commit({"a.py": b"a = 1\nb = 2\n"})
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 2\n"
    row = {
        "instance_id": "owner__name-1",
        "repo": "owner/name",
        "base_commit": base,
        "patch": patch,
    }
    other = row | {"instance_id": "owner__name-2", "base_commit": "1" * 40}
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(other) + "\n" + json.dumps(row) + "\n")
    done = run("--repository", str(made.folder), "--fixes", str(rows))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["instances"] == 1


def test_a_repository_without_fixes_gives_no_figure(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "made")
    made.commit({"a.py": b"a = 1\n"})
    done = run("--repository", str(made.folder))
    assert done.returncode != 0
    assert done.stdout == ""
    assert "no figure" in done.stderr


def test_a_folder_that_is_no_repository_gives_no_figure(tmp_path: Path) -> None:
    done = run("--repository", str(tmp_path))
    assert done.returncode != 0
    assert "no figure" in done.stderr


def test_nothing_to_measure_gives_no_figure() -> None:
    done = run("--instances", "0")
    assert done.returncode != 0
    assert "at least 1" in done.stderr
