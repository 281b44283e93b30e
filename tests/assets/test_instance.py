"""`dagster.yaml`: what it sets, and where its files lie."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.events import RunFailureReason
from dagster._core.execution.retries import auto_reexecution_should_retry_run
from dagster._core.storage.dagster_run import DagsterRun, DagsterRunStatus

from assets.event_log import BatchingSqliteEventLog
from assets.instance import POSTGRES_VARIABLE, dagster_folder
from assets.pools import POOLS, set_pool_limits
from envplatform.errors import ConfigError

REPOSITORY = Path(__file__).parents[2]


def test_all_files_lie_in_the_home(instance: dg.DagsterInstance, home: Path) -> None:
    folder = home / "dagster"
    assert dagster_folder() == folder
    assert isinstance(instance.event_log_storage, BatchingSqliteEventLog)
    assert (folder / "history" / "runs" / "index.db").exists()
    assert (folder / "history" / "runs.db").exists()
    assert (folder / "schedules" / "schedules.db").exists()
    assert instance.storage_directory() == str(folder / "storage")
    assert {path.name for path in home.iterdir()} == {"dagster"}


def test_settings_are_as_documented(instance: dg.DagsterInstance) -> None:
    assert not instance.telemetry_enabled
    assert not instance.nux_enabled
    assert instance.run_monitoring_enabled
    assert instance.run_monitoring_max_runtime_seconds == 86400
    assert instance.run_retries_enabled
    assert not instance.run_retries_retry_on_asset_or_op_failure
    concurrency = instance.get_concurrency_config()
    assert concurrency.run_queue_config is not None
    assert concurrency.run_queue_config.max_concurrent_runs == 4
    assert concurrency.pool_config.default_pool_limit == 1
    assert str(concurrency.pool_config.pool_granularity) == "PoolGranularity.OP"


def test_only_what_crashed_is_run_again(instance: dg.DagsterInstance) -> None:
    run = instance.add_run(DagsterRun(job_name="job", status=DagsterRunStatus.FAILURE))
    for reason, again in (
        (RunFailureReason.STEP_FAILURE, False),
        (RunFailureReason.UNEXPECTED_TERMINATION, True),
    ):
        assert auto_reexecution_should_retry_run(instance, run, reason) is again


def test_without_a_home_files_lie_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ENVPLATFORM_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert dagster_folder() == tmp_path / ".envplatform" / "dagster"


def test_a_postgres_url_without_its_driver_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(POSTGRES_VARIABLE, "postgresql://localhost/dagster")
    with pytest.raises(ConfigError, match=r"postgresql\+psycopg2://"):
        dg.DagsterInstance.from_config(str(home / "dagster"))


def test_pools_get_limits_that_nobody_set(instance: dg.DagsterInstance) -> None:
    log = instance.event_log_storage
    log.set_concurrency_slots("llm", 9)
    set_pool_limits(instance)
    set_pool_limits(instance)
    limits = {pool.name: pool.limit for pool in log.get_pool_limits()}
    assert limits == {**POOLS, "llm": 9}


def test_pools_can_be_set_by_command(home: Path) -> None:
    command = [sys.executable, "-m", "assets.pools"]
    subprocess.run(command, check=True, cwd=REPOSITORY, env=os.environ)
    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        limits = instance.event_log_storage.get_pool_limits()
    assert {pool.name: pool.limit for pool in limits} == POOLS
