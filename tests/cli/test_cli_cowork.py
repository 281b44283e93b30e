"""`why`, `inspect`, `trace` and `status` on a store with a shard of cowork."""

from pathlib import Path
from typing import Any

import pytest

from envplatform.cowork.keeping import REJECTED_KIND
from envplatform.store import Failure, Store
from tests.cli.conftest import Call
from tests.made_cowork import CREATED, Shard, write_shard


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> Store:
    """The store that commands work on from here on."""
    del call  # forgets the caller's home
    monkeypatch.setenv("ENVPLATFORM_HOME", str(tmp_path / "home"))
    return Store(tmp_path / "home")


@pytest.fixture
def shard(store: Store) -> Shard:
    """In that store."""
    return write_shard(store)


def test_why_tells_how_an_accepted_blueprint_fared(
    call: Call, shard: Shard, store: Store
) -> None:
    name = shard.blueprints[0].blueprint_id
    told = call("why", name, "--json").json
    assert told["blueprint"]["blueprint_id"] == name
    assert told["environment"]["digest"] == shard.row.digest
    assert told["rounds"] == 2
    assert [one["evidence"] for one in told["findings"]] == [
        "blind spots of the first round"
    ]
    assert (
        told["conclusion"]
        == f"accepted after 2 rounds as environment {shard.row.digest}"
    )
    assert told["folder"] == str(store.directory("environments", shard.row.digest))
    assert call("why", shard.row.digest, "--json").json == told


def test_why_tells_why_a_blueprint_was_rejected_and_where_it_lies(
    call: Call, shard: Shard, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "task.toml").write_text("")
    folder = store.put_directory(
        REJECTED_KIND, shard.rejected.digest, tmp_path / "left"
    )
    name = shard.rejected.blueprint_id
    told = call("why", name, "--json").json
    assert told["environment"] is None
    assert told["rejected"]["reason"] == "user_not_needed"
    assert told["folder"] == str(folder)
    assert [one["round"] for one in told["findings"]] == [0, 1]
    shown = call("why", name).out
    assert "rejected after 2 rounds: user_not_needed: work that ignores" in shown
    assert "round 2, builder: user_not_needed (user_matters)" in shown
    assert str(folder) in shown


def test_why_says_that_a_rejected_environment_is_not_there_any_more(
    call: Call, shard: Shard
) -> None:
    told = call("why", shard.rejected.blueprint_id, "--json").json
    assert told["folder"] is None


def test_why_tells_what_is_planned_and_why_it_was_not_made(
    call: Call, shard: Shard, store: Store
) -> None:
    name = shard.blueprints[2].blueprint_id
    told = call("why", name, "--json").json
    assert told["conclusion"].startswith("planned after its shard was made")
    store.record_failure(
        Failure(
            asset="cowork_environments",
            partition="7",
            message="the sandbox broke",
            created=CREATED,
            run_id="",
        )
    )
    told = call("why", name, "--json").json
    assert told["conclusion"] == "not made: shard 7 failed: the sandbox broke"


def test_an_id_that_is_none_is_answered_with_what_there_is(
    call: Call, shard: Shard
) -> None:
    several = call("why", "cowork.invoice_matching.s7", "--json")
    assert several.code == 1
    assert f"{len(shard.blueprints)} blueprints start with" in several.json["message"]
    none = call("why", "cowork.tea_making.s7.n0001", "--json")
    assert none.code == 1
    assert "no blueprint 'cowork.tea_making.s7.n0001'" in none.json["message"]


def test_an_environment_is_inspected_by_id_and_by_digest(
    call: Call, shard: Shard
) -> None:
    for name in (shard.row.environment_id, shard.row.digest, shard.row.digest[:9]):
        found = call("inspect", name, "--json").json
        assert found["environment_id"] == shard.row.environment_id
        assert found["pillar"] == "cowork"


def test_the_lineage_leads_to_the_blueprint_and_to_the_library(
    call: Call, shard: Shard
) -> None:
    node = call("trace", shard.row.environment_id, "--json").json
    assert call("trace", shard.row.digest, "--json").json == node
    blueprint, table = node["made_from"]
    assert blueprint["kind"] == "blueprint"
    assert blueprint["name"] == shard.row.candidate_id
    assert (blueprint["partition"], blueprint["state"]) == ("7", "current")
    resource, plan = blueprint["made_from"]
    assert (resource["kind"], resource["name"]) == ("resource", "builtin/companies.csv")
    assert resource["facts"]["facts"] == "companies.csv row 3 column name"
    assert resource["state"] == "current"
    assert plan["name"] == "task_blueprints"
    assert (table["name"], table["partition"]) == ("cowork_environments", "7")
    assert [part["name"] for part in table["made_from"]] == ["task_blueprints"]
    assert "resource builtin/companies.csv" in call("trace", shard.row.digest).out


def test_status_counts_the_assets_of_cowork(call: Call, shard: Shard) -> None:
    assets: dict[str, Any] = call("status", "--json").json["assets"]
    assert {
        name: (assets[name]["partitions"], assets[name]["rows"])
        for name in (
            "resource_library",
            "task_blueprints",
            "cowork_environments",
            "coverage_report",
        )
    } == {
        "resource_library": (0, 0),
        "task_blueprints": (1, len(shard.blueprints)),
        "cowork_environments": (1, 1),
        "coverage_report": (0, 0),
    }
