"""The benchmark over a catalogue keeps its contract. Its figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.catalogue", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_row_is_accounted_for() -> None:
    done = run("--rows", "60", "--repositories", "3", "--sampled", "20")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert (figures["rows"], figures["repositories"]) == (60, 3)
    assert (figures["reversed"], figures["refused"]) == (60, 0)
    assert (figures["kept"], figures["drawn"]) == (60, 20)
    assert figures["draw_is_deterministic"]
    assert figures["peak_mb"] > 0
    assert {"input", "machine", "repeats"} <= set(figures)


def test_files_without_a_history_give_no_figure(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    row = {"repo": "a/b", "instance_id": "1", "base_commit": "1" * 40, "patch": "x"}
    rows.write_text(json.dumps(row) + "\n")
    done = run("--fixes", str(rows), "--histories", str(tmp_path))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no figure: no fix of these files has its history" in done.stderr
