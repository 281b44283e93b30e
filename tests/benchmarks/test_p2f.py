"""The benchmark of verification keeps its contract. Its figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.p2f import OWN_TARGETS, chosen_targets
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.swe.targets.guess import DEFAULT_REQUIREMENTS
from tests.swe.made_suites import CALC

REPOSITORY = Path(__file__).parents[2]
KEYS = {
    "screen_ratio",
    "whole_ratio",
    "disagreements",
    "screen_miss_rate",
    "screen_miss_interval",
    "candidates",
    "verified",
    "usability",
    "affected_share",
    "audit_differences",
    "per_repository",
    "input",
    "machine",
    "repeats",
}
TESTS = """
from calc import add
def test_add(): assert add(1, 2) == 3
def test_zero(): assert add(0, 2) == 2
"""


def run(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.p2f", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def figures_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Read the last line, which has every key of the contract."""
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert set(figures) == KEYS
    return figures


def small_target(folder: Path) -> Path:
    """A target.toml beside a repository of one function."""
    (folder / "tests").mkdir()
    (folder / "tests" / "test_it.py").write_text(TESTS)
    (folder / "calc.py").write_text(CALC)
    file = folder / "target.toml"
    file.write_text(
        f"""
name = "made__calc"
license = "MIT"
python = ["3.11"]
requirements = {json.dumps(DEFAULT_REQUIREMENTS)}

[source]
kind = "path"
path = "."

[suite]
paths = ["tests"]

[code]
roots = ["calc.py"]
"""
    )
    return file


def test_the_last_line_has_all_keys(
    bubblewrap: BubblewrapProvider, cache_folder: Path, tmp_path: Path
) -> None:
    del bubblewrap  # needed: skips where there is none
    done = run(
        *("--target", str(small_target(tmp_path)), "--screened", "6", "--sample", "2"),
        *("--rejected", "1", "--cache", str(cache_folder / "targets")),
    )
    figures = figures_of(done)
    assert figures["candidates"] == 2
    assert figures["disagreements"] == 0
    assert set(figures["per_repository"]["made__calc"]) >= {
        "suite_s",
        "screen_ratio",
        "whole_ratio",
        "usability",
        "affected_share",
    }


def test_without_a_sample_no_verdict_is_compared_and_none_is_claimed(
    bubblewrap: BubblewrapProvider, cache_folder: Path, tmp_path: Path
) -> None:
    """The second time the baseline is the one that was kept."""
    del bubblewrap  # needed: skips where there is none
    cache = cache_folder / "targets"
    target = str(small_target(tmp_path))
    options = ["--target", target, "--cache", str(cache), "--screened", "4"]
    options += ["--sample", "0", "--full-runs", "1"]
    for kept in cache.glob("baseline-made__calc-*.json"):
        kept.unlink()
    first = figures_of(run(*options))
    (kept,) = cache.glob("baseline-made__calc-*.json")
    baseline = json.loads(kept.read_text())
    kept.write_text(json.dumps({**baseline, "suite_s": 12.5}))
    second = figures_of(run(*options))
    kept.unlink()
    nothing = ("whole_ratio", "usability", "screen_miss_rate")
    for figures in (first, second):
        assert figures["screen_ratio"] > 0
        assert [figures[name] for name in nothing] == [None] * 3
        assert (figures["candidates"], figures["disagreements"]) == (0, 0)
    assert first["per_repository"]["made__calc"]["suite_s"] != 12.5
    assert second["per_repository"]["made__calc"]["suite_s"] == 12.5


def test_a_target_that_is_not_there_gives_no_figure() -> None:
    done = run("--target", "nobody__nothing")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "no figure" in done.stderr


def test_each_target_of_ours_can_be_read() -> None:
    names = {path.stem for path in OWN_TARGETS.glob("*.toml")}
    assert "networkx" in names
    assert len(chosen_targets(sorted(names))) == len(names)
    (large,) = chosen_targets(["networkx"])
    assert large.name == "networkx__networkx"
    assert large not in chosen_targets([]), "it takes a quarter of an hour by itself"


def test_nothing_to_measure_gives_no_figure() -> None:
    done = run("--screened", "0")
    assert done.returncode != 0
    assert "at least 1" in done.stderr
