"""The coverage experiment counts right. Its figures are not tested."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.coverage import Experiment, Figures, figures_of, summary
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.diversity.coverage import CoverageDraw
from envplatform.swe.diversity.rarefaction import expected_entropy
from envplatform.swe.fixes.reverse_patch import CodeFile, TrainingRow
from envplatform.tree import File
from tests.swe.small_repository import (
    CANDIDATE,
    VERDICT,
    small_baseline,
    small_repository,
)

REPOSITORY = Path(__file__).parents[2]
IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)
FIGURES = Figures(
    seed=0,
    repositories=5,
    patterns=10,
    candidates=100,
    executed=40,
    proven=30,
    types={("r", "a.py"): (5, 5)},
)


def row(repository: str) -> TrainingRow:
    """A fix of a lower bound that was left out."""
    fixed = b"def holds(item, first, last):\n    return first <= item <= last\n"
    buggy = fixed.replace(b"<= last", b"< last")
    return TrainingRow(
        instance_id=f"{repository}-1",
        repository=repository,
        licence="MIT",
        split="train",
        bug_type="boundary",
        context_tokens=10,
        code=(CodeFile(path="m.py", fixed=fixed.decode()),),
        bug_patch=diff_trees({"m.py": File(fixed)}, {"m.py": File(buggy)}),
    )


DRAW = CoverageDraw(repositories=("a", "b"), fixes=(row("a"), row("b")))


def test_patterns_of_a_draw_put_bugs_into_healthy_files() -> None:
    experiment = Experiment(
        healthy=[(small_repository(IMAGE), small_baseline())], budget=5, seed=0
    )
    patterns, candidates = experiment.candidates(DRAW)
    assert patterns >= 1
    assert {each.inducer for each in candidates} == {"mined"}
    assert candidates[0].bug_type == "boundary"


def candidates_and_verdicts() -> tuple[list[BugCandidate], list[Verdict]]:
    candidates = [
        replace(
            CANDIDATE,
            candidate_id=f"c{n}",
            bug_type="logic" if n % 2 else "data",
        )
        for n in range(12)
    ]
    verdicts = [
        replace(
            VERDICT,
            candidate_id=each.candidate_id,
            rejection=None if n < 6 else "no_failure",
        )
        for n, each in enumerate(candidates)
    ]
    return candidates, verdicts


def test_only_proven_bugs_count_where_any_were_executed() -> None:
    candidates, verdicts = candidates_and_verdicts()
    found = figures_of(DRAW, 3, candidates, verdicts, seed=4)
    assert (found.seed, found.repositories, found.executed, found.proven) == (
        4,
        2,
        12,
        6,
    )
    assert found.usability == 0.5
    assert list(found.types.values()) == [(3, 3)]


def test_without_proof_all_candidates_count() -> None:
    candidates, _ = candidates_and_verdicts()
    found = figures_of(DRAW, 3, candidates, None, seed=0)
    assert (found.executed, found.proven, found.usability) == (0, 0, None)
    assert list(found.types.values()) == [(6, 6)]


def test_a_summary_is_a_mean_over_seeds_with_its_interval() -> None:
    other = replace(FIGURES, seed=1, proven=10)
    without = replace(FIGURES, repositories=12, executed=0, proven=0, types={})
    few, many = summary([FIGURES, other, without])
    assert (few["repositories"], few["draws"], few["executed"]) == (5, 2, 80)
    # 0.75 and 0.25: deviation 0.354, so 0.5 plus and minus 12.706 * 0.354 / sqrt(2).
    assert few["usability"] == {
        "mean": 0.5,
        "low": -2.676,
        "high": 3.676,
        "by_seed": [0.75, 0.25],
    }
    assert (many["usability"], many["mbte_bits"]) == (None, None)
    assert (many["usability_more"], many["mbte_bits_more"]) == (None, None)


def test_numbers_of_repositories_are_compared_within_a_seed_and_over_common_files() -> (
    None
):
    more = replace(
        FIGURES,
        repositories=12,
        proven=34,
        # A file that only one of both has bugs of, and one with too few, don't count.
        types={("r", "a.py"): (5, 4, 1), ("r", "b.py"): (3, 3), ("r", "c.py"): (1,)},
    )
    few = replace(FIGURES, types={("r", "a.py"): (5, 5), ("r", "c.py"): (9,)})
    least, many = summary([few, more])
    assert (least["mbte_bits_more"], least["common_files"]) == (None, [])
    gained = expected_entropy([5, 4, 1], 5).corrected_bits
    gained -= expected_entropy([5, 5], 5).corrected_bits
    assert many["mbte_bits_more"] == {
        "mean": round(gained, 3),
        "low": None,
        "high": None,
        "by_seed": [round(gained, 4)],
    }
    assert many["common_files"] == [1]
    found = many["usability_more"]
    assert isinstance(found, dict)
    assert found["mean"] == 0.1


def test_a_store_without_fixes_is_refused_with_a_reason(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.coverage", str(tmp_path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no figure: nothing stored for asset 'bug_training_set'" in done.stderr
    assert "Traceback" not in done.stderr
