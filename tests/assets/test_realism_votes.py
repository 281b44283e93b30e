"""`realism_votes`: what reviewers said, with majorities, agreement and refused lines."""

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from envplatform.configuration import RealismSettings
from envplatform.evaluation.realism.office import Office
from envplatform.evaluation.realism.pairs import keep_pairs
from envplatform.evaluation.realism.rows import VoteRow
from envplatform.store import Store
from tests.assets.runs import materialised, metadata
from tests.evaluation.realism.made_pairs import BALLOT, PAIRS, REVIEWERS, vote

Run = Callable[[], dg.ExecuteInProcessResult]


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Materialises the asset."""
    file = tmp_path / "envplatform.toml"
    file.write_text('[realism]\nreviewers = ["ann", "bob", "cat"]\n')
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    job = build_definitions().resolve_job_def("benchmark_evaluation")
    return lambda: job.execute_in_process(
        instance=instance, asset_selection=[dg.AssetKey("realism_votes")]
    )


def test_votes_become_majorities_and_new_ones_count(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    office = Office(home=store.home, settings=RealismSettings(reviewers=REVIEWERS))
    assert run().success
    told = metadata(materialised(instance, "realism_votes")[-1])
    assert (told["pairs"], told["votes"], "HPR" in told) == (0, 0, False)

    keep_pairs(office.pairs_path, PAIRS)
    for name in REVIEWERS:
        office.votes.cast(vote(0, name, "left"), BALLOT)
        office.votes.cast(vote(1, name, "left"), BALLOT)
    with office.votes.path.open("a") as file:
        file.write('\n{"pair_id": half <b>\n')
    assert run().success
    told = metadata(materialised(instance, "realism_votes")[-1])
    assert (told["pairs"], told["pairs with three votes"], told["votes"]) == (3, 2, 6)
    assert (told["HPR"], told["Fleiss' kappa"], told["refused lines"]) == (0.5, 1.0, 1)
    assert "| all | 2 | 1 | 1 | 50%" in told["by inducer"]
    assert "| ann and bob | 2 | 1.00 |" in told["two by two"]
    assert "votes.jsonl" in told["why refused"]
    rows = store.rows(VoteRow, "realism_votes")
    assert [one.verdict for one in rows] == ["ours", "real"] * 3
    assert {one.ours for one in rows} == {"ours-0", "ours-1"}

    assert run().success
    assert metadata(materialised(instance, "realism_votes")[-1])["cached"] is True
