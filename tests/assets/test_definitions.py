"""The definitions as a whole: they load in silence, and every part is described."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.gate_checks import only_gated_bugs
from assets.key_sensors import target_repository_keys
from assets.pools import POOLS
from envplatform.bundle import CheckResult, Environment, write_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.graph import ASSETS
from envplatform.sandbox.base import Image
from envplatform.store import Failure, Origin, Store
from resources.configuration import ConfigurationResource
from resources.store import StoreResource
from tests.swe.small_repository import ENVIRONMENT_ROW, small_environment

CHECKOUT = Path(__file__).parents[2]


def test_they_load_without_a_warning(tmp_path: Path) -> None:
    """From any folder, with an environment that names nothing."""
    program = (
        "import sys, assets.definitions as d; "
        "print(type(d.defs).__name__, 'torch' in sys.modules)"
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ENVPLATFORM_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env={**clean, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Definitions False\n", "")
    assert list(tmp_path.iterdir()) == []


GROUPS = frozenset(
    {
        *("fixes", "bugs", "lineages", "cowork"),
        *("trajectories", "training", "evaluation"),
    }
)


@pytest.mark.parametrize("name", ASSETS)
def test_every_asset_says_what_it_is(name: str) -> None:
    graph = build_definitions().resolve_asset_graph()
    node = graph.get(dg.AssetKey(name))
    assert node.description
    assert node.group_name in GROUPS
    assert int(node.code_version or 0) > 0
    assert node.kinds
    assert node.owners
    assert (node.pools or set()) <= set(POOLS)
    assert "dagster/column_schema" in node.metadata


def test_the_gate_is_checked_and_blocks() -> None:
    graph = build_definitions().resolve_asset_graph()
    asked = {
        dg.AssetCheckKey(dg.AssetKey(name), "only_gated_environments")
        for name in ("swe_environments", "seed_environments", "cowork_environments")
    } | {
        dg.AssetCheckKey(dg.AssetKey(name), "only_accepted_children")
        for name in ("res_lineages", "res_ablations")
    }
    asked |= {
        dg.AssetCheckKey(dg.AssetKey(asset), name)
        for asset, name in (
            ("cowork_environments", "users_matter"),
            ("benchmark_scores", "rollouts_are_sound"),
            ("paired_evaluation", "sides_agree"),
            ("cost_ledger", "costs_add_up"),
        )
    }
    assert graph.asset_check_keys == asked
    assert all(graph.get(key).blocking for key in asked)


BARE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)
PASSED = CheckResult(name="oracle_max", status="passed", evidence="1")
FAILED = CheckResult(name="nop_floor", status="failed", evidence="1")
Check = Callable[[], dg.AssetCheckResult]


@pytest.fixture
def check(store: Store, home: Path) -> Check:
    """Runs the check over the store; there is an environment that passed."""
    publish(store, audit=(PASSED,))

    def run() -> dg.AssetCheckResult:
        result = only_gated_bugs(store=StoreResource(home=str(home)))
        assert isinstance(result, dg.AssetCheckResult)
        return result

    return run


def publish(store: Store, audit: tuple[CheckResult, ...], **changes: object) -> Path:
    """Store the small environment under its row; returns its folder."""
    environment: Environment = replace(small_environment(BARE), audit=audit)
    folder = store.home / "written"
    digest = write_environment(environment, folder)
    row: EnvironmentRow = replace(
        ENVIRONMENT_ROW,
        digest=digest,
        **changes,  # type: ignore[arg-type]
    )
    store.write_rows(
        "swe_environments",
        [row],
        row_type=EnvironmentRow,
        partition=row.repository,
        origin=Origin(created=datetime(2020, 1, 1, tzinfo=UTC)),
    )
    return store.put_directory("environments", digest, folder)


def problems(result: dg.AssetCheckResult) -> list[str]:
    value = result.metadata["problems"].value
    assert isinstance(value, list)
    return [str(each) for each in value]


def test_published_environments_that_passed_are_well(check: Check) -> None:
    result = check()
    assert result.passed
    assert result.metadata["read in full"].value == 1
    assert problems(result) == []


def test_a_row_that_was_not_gated_is_found(check: Check, store: Store) -> None:
    publish(store, audit=(PASSED,), gated=False)
    assert problems(check()) == [f"{ENVIRONMENT_ROW.environment_id}: not gated"]


def test_an_audit_that_did_not_pass_is_found(check: Check, home: Path) -> None:
    """Whatever the row says; the audit is no part of the digest."""
    other = Store(home / "other")
    shutil.copytree(
        publish(other, audit=(PASSED, FAILED)),
        next((home / "directories" / "environments").glob("*[!l]")),
        dirs_exist_ok=True,
    )
    assert problems(check()) == [
        f"{ENVIRONMENT_ROW.environment_id}: its audit says otherwise"
    ]


def test_a_changed_file_and_a_lost_directory_are_found(
    check: Check, store: Store
) -> None:
    (row,) = store.all_rows(EnvironmentRow, "swe_environments")
    folder = store.directory("environments", row.digest)
    (folder / "instruction.md").write_text("Do something else.\n")
    assert not check().passed
    shutil.rmtree(folder)
    (problem,) = problems(check())
    assert "materialise it again" in problem


Sense = Callable[[], dg.SensorResult | dg.SkipReason]


@pytest.fixture
def sense(instance: dg.DagsterInstance, home: Path, tmp_path: Path) -> Sense:
    """Evaluates the sensor once, on `envplatform.toml` in the temporary folder."""
    file = ConfigurationResource(path=str(tmp_path / "envplatform.toml"))

    def run() -> dg.SensorResult | dg.SkipReason:
        context = dg.build_sensor_context(instance=instance)
        store = StoreResource(home=str(home))
        result = target_repository_keys(context, configuration=file, store=store)
        assert isinstance(result, dg.SensorResult | dg.SkipReason)
        return result

    return run


def configure(tmp_path: Path, *names: str) -> None:
    listed = ", ".join(f'"{name}"' for name in names)
    (tmp_path / "envplatform.toml").write_text(f"[targets]\nbuiltin = [{listed}]\n")


def asked(result: dg.SensorResult | dg.SkipReason) -> dict[str, list[str]]:
    assert isinstance(result, dg.SensorResult)
    return {
        type(each).__name__: list(each.partition_keys)
        for each in result.dynamic_partitions_requests or ()
    }


def test_the_sensor_asks_for_what_is_new(
    sense: Sense, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    configure(tmp_path, "pytoolz__toolz", "wrong", "jpvanhal__inflection")
    instance.add_dynamic_partitions("target_repo", ["pytoolz__toolz"])
    assert asked(sense()) == {
        "AddDynamicPartitionsRequest": ["broken__wrong", "jpvanhal__inflection"]
    }
    instance.add_dynamic_partitions(
        "target_repo", ["broken__wrong", "jpvanhal__inflection"]
    )
    assert isinstance(sense(), dg.SkipReason)


def test_the_sensor_lets_a_mended_target_go_and_its_failure(
    sense: Sense, instance: dg.DagsterInstance, tmp_path: Path, store: Store
) -> None:
    configure(tmp_path, "pytoolz__toolz")
    instance.add_dynamic_partitions("target_repo", ["pytoolz__toolz", "broken__wrong"])
    failure = Failure(
        asset="target_repositories",
        partition="broken__wrong",
        message="no such target",
        created=datetime(2020, 1, 1, tzinfo=UTC),
        run_id="",
    )
    store.record_failure(failure)
    assert asked(sense()) == {"DeleteDynamicPartitionsRequest": ["broken__wrong"]}
    assert store.failures("target_repositories") == ()


def test_a_broken_configuration_is_a_reason_to_skip(
    sense: Sense, tmp_path: Path
) -> None:
    for text in ("[targets]\nbuilt = 3\n", "[targets\n"):
        (tmp_path / "envplatform.toml").write_text(text)
        result = sense()
        assert isinstance(result, dg.SkipReason)
        assert "envplatform.toml" in str(result.skip_message)
    (tmp_path / "envplatform.toml").unlink()
    result = sense()
    assert isinstance(result, dg.SkipReason)
    assert "envplatform init" in str(result.skip_message)
