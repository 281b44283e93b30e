"""The benchmark of lineages: one seed, one level, and what its figures say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import res
from benchmarks.res_run import ABLATIONS, explored
from envplatform.grading.tasks import task_of
from envplatform.rollout.explorer import acquired_of, searched
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.workspace.catalogue import SeedPlace

SEED = "ledger_reconciliation"


@pytest.mark.slow
def test_one_level_of_one_seed_is_measured_and_paired(
    bubblewrap: BubblewrapProvider,
) -> None:
    assert bubblewrap.info.kind == "bubblewrap"
    words = ["--seed", SEED, "--depth", "1", "--turns", "5"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.res", *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["seeds"], told["depth"], told["input"]) == (1, 1, SEED)
    assert told["accepted"] == told["attempted"] == 1
    assert told["proposals_per_child"] >= 1
    assert told["dependent_chain_growth"] > 1
    assert told["oracle_failures"] == 0
    assert told["tokens_per_child"] == 0
    passed = told["explorer_pass_by_depth"]
    assert len(passed) == 2
    change = passed[1] - passed[0]
    assert told["pass_difference_by_depth"] == [[0, 0, 0, 1], [change] * 3 + [1]]
    differences = told["ablation_pass_difference_by_depth"]
    assert set(differences) == set(ABLATIONS)
    for name, by_depth in differences.items():
        other = told["ablation_pass_by_depth"][name][1] - passed[1]
        assert by_depth == [[0, 0, 0, 1], [other] * 3 + [1]]


async def test_a_decoy_that_is_not_found_is_no_evidence(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    """Tickets of another incident, to which no path leads, are missing at this root."""
    place = SeedPlace(name="incident_timeline", folder=None)
    task = task_of(place, python=None, cache=tmp_path)
    root = task.environment
    assert acquired_of(root, searched(root, turns=50)).missing == ("tickets.json",)
    tried = await explored(bubblewrap, task, [root, root], 50)
    assert [one.passed for one in tried] == [True, True]
    few = await explored(bubblewrap, task, [root, root], 2)
    assert [one.passed for one in few] == [False, False]


def test_without_an_accepted_child_there_is_no_figure() -> None:
    with pytest.raises(SystemExit, match="no child was accepted"):
        res.figures({}, 1)
