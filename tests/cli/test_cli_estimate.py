"""`estimate`: from what is in the store, else from figures that ship, and it says which."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from assets.definitions import build_definitions
from envplatform.cli.estimating import PARTITIONS
from envplatform.cli.estimating_cowork import AT_ONCE
from envplatform.cowork.keeping import Shard
from envplatform.graph import ASSETS
from envplatform.llm.ledger import Ledger, LedgerRow
from envplatform.store import Store
from tests.cli.conftest import Call
from tests.made_cowork import write_shard

MODEL = """
[model]
kind = "openai"
name = "m"
usd_per_million_completion_tokens = 2.0
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> Path:
    """Where the store of a project in `tmp_path` will be."""
    del call  # forgets the caller's home
    monkeypatch.setenv("ENVPLATFORM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def estimated(
    call: Call, tmp_path: Path, cowork: Sequence[str], rest: str = ""
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return lines by asset, and the total."""
    file = tmp_path / "envplatform.toml"
    file.write_text("\n".join(["[cowork]", *cowork, rest]))
    found = call("estimate", "--config", file, "--json")
    assert found.code == 0, found.out
    return {one["asset"]: one for one in found.json["assets"]}, found.json["total"]


def test_before_any_run_the_figures_are_those_that_ship(
    call: Call, tmp_path: Path, home: Path
) -> None:
    lines, total = estimated(
        call, tmp_path, ["shards = 650", "environments_per_seed = 100"]
    )
    assert not home.exists()
    assert list(lines) == list(ASSETS)
    cowork = lines["cowork_environments"]
    assert cowork["basis"] == "default"
    assert "python -m benchmarks.cowork" in cowork["source"]
    assert (cowork["partitions"], cowork["rows"], cowork["tokens"]) == (650, 65_000, 0)
    one, _ = estimated(call, tmp_path, ["shards = 1", "environments_per_seed = 1"])
    single = one["cowork_environments"]
    assert cowork["seconds"] == pytest.approx(65_000 * single["seconds"], rel=0.02)
    assert cowork["bytes"] == pytest.approx(65_000 * single["bytes"], rel=0.02)
    assert lines["task_blueprints"]["basis"] == "unknown"
    assert "task_blueprints" in total["left_out"]
    assert total["bytes"] == cowork["bytes"]
    assert total["partitions"] >= 650 * 2


def test_what_is_in_the_store_counts_more_than_what_ships(
    call: Call, tmp_path: Path, home: Path
) -> None:
    store = Store(home)
    shard = write_shard(store)
    lines, total = estimated(
        call, tmp_path, ["shards = 10", "environments_per_seed = 4"]
    )
    cowork = lines["cowork_environments"]
    assert cowork["basis"] == "measured"
    assert "1 accepted environments in this store, 1 rejected" in cowork["source"]
    assert cowork["rows"] == 20  # half of forty were accepted
    assert cowork["seconds"] == 40 * shard.row.seconds / 2  # two at a time
    folder = store.directory("environments", shard.row.digest)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert cowork["bytes"] >= 40 * size
    plan = lines["task_blueprints"]
    assert (plan["basis"], plan["seconds"], plan["rows"]) == ("measured", 60.0, 30)
    assert total["seconds"] == cowork["seconds"] + plan["seconds"]


def test_other_families_than_those_in_the_store_are_told_by_the_default(
    call: Call, tmp_path: Path, home: Path
) -> None:
    write_shard(Store(home))
    lines, _ = estimated(call, tmp_path, ['families = ["access_review"]'])
    assert lines["cowork_environments"]["basis"] == "default"


def test_a_model_is_bounded_by_rounds_and_answers_until_the_ledger_knows(
    call: Call, tmp_path: Path, home: Path
) -> None:
    asked = ['roles = "llm"', "environments_per_seed = 5", "rounds = 2"]
    lines, total = estimated(call, tmp_path, asked, MODEL)
    cowork = lines["cowork_environments"]
    assert cowork["tokens"] == 5 * 2 * 2 * (12_000 + 12_000 + 2_000)
    assert cowork["usd"] == pytest.approx(cowork["tokens"] * 2 / 1_000_000)
    assert "upper bound" in cowork["source"]
    assert "2000000 tokens or 10 USD" in cowork["source"]
    assert total["tokens"] == cowork["tokens"]

    write_shard(Store(home), model="m")
    ledger = Ledger(home / "models" / "ledger.jsonl")
    for cached, asset in (
        (False, "cowork_environments"),
        (True, "cowork_environments"),
        (False, "rollouts"),
    ):
        ledger.append(_row(asset, cached=cached))
    lines, _ = estimated(call, tmp_path, asked, MODEL)
    cowork = lines["cowork_environments"]
    assert cowork["rows"] == 2
    assert cowork["tokens"] == cowork["rows"] * 1_500
    assert cowork["usd"] == pytest.approx(cowork["rows"] * 0.25)
    assert "tokens of the ledger" in cowork["source"]


def test_a_person_sees_a_table_with_what_it_rests_on(
    call: Call, tmp_path: Path, home: Path
) -> None:
    write_shard(Store(home))
    file = tmp_path / "envplatform.toml"
    file.write_text("[cowork]\nshards = 2\n")
    shown = call("estimate", "--config", file).out
    assert "cowork_environments: measured: 1 accepted environments" in shown
    assert "not in the total, nothing is known: fix_corpus" in shown


def test_every_partitioned_asset_says_how_many_are_configured() -> None:
    graph = build_definitions().resolve_asset_graph()
    partitioned = {
        key.to_user_string()
        for key in graph.get_all_asset_keys()
        if graph.get(key).partitions_def is not None
    }
    assert partitioned <= set(PARTITIONS)


def test_as_many_are_under_way_as_a_shard_has() -> None:
    defaults = {one.name: one.default for one in fields(Shard)}
    assert defaults["at_once"] == AT_ONCE


def _row(asset: str, *, cached: bool) -> LedgerRow:
    return LedgerRow(
        at="2026-01-02T00:00:00.000+00:00",
        model="m",
        asset=asset,
        purpose="roles",
        prompt_tokens=1_000,
        completion_tokens=500,
        usd=0.0 if cached else 0.25,
        seconds=1.0,
        retries=0,
        cached=cached,
        error=None,
    )
