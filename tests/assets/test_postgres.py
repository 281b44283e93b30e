"""The instance on a real Postgres, asked for by the environment alone."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets.instance import POSTGRES_VARIABLE
from tests.assets.numbers import Graph
from tests.assets.runs import materialised, partitions

pytestmark = pytest.mark.slow


def as_postgres(*command: str | Path) -> None:
    """Run a command of Postgres, which refuses to be root."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*user, *command], check=True, stdout=subprocess.DEVNULL, cwd="/")


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """URL of an empty database on a server of our own."""
    initdb = shutil.which("initdb")
    if initdb is None:
        pytest.skip("no PostgreSQL server here: install the package postgresql")
    pg_ctl = Path(initdb).resolve().with_name("pg_ctl")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        data = Path(folder, "data")
        as_postgres(initdb, "-D", data, "-U", "dagster", "-A", "trust")
        options = f"-p {port} -k {folder} -c fsync=off -c listen_addresses=127.0.0.1"
        log = Path(folder, "log")
        as_postgres(pg_ctl, "-D", data, "-o", options, "-l", log, "-w", "start")
        try:
            yield f"postgresql+psycopg2://dagster@127.0.0.1:{port}/postgres"
        finally:
            as_postgres(pg_ctl, "-D", data, "-m", "immediate", "-w", "stop")


def test_runs_are_recorded_in_postgres(
    postgres_url: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All good, some bad, and the rest: as on sqlite."""
    monkeypatch.setenv(POSTGRES_VARIABLE, postgres_url)
    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        assert "Postgres" in type(instance.event_log_storage).__name__
        keys = [f"r{number}" for number in range(6)]
        instance.add_dynamic_partitions("target_repo", keys)
        graph = Graph(instance, home)
        graph.set("bad-numbers", "r3")
        assert not graph.run("numbers", keys=("r0", "r5")).success
        assert partitions(materialised(instance, "numbers")) == [
            key for key in keys if key != "r3"
        ]
        graph.set("bad-numbers")
        assert graph.run("numbers", "doubles", keys=("r0", "r5"), checks=True).success
        assert partitions(materialised(instance, "doubles")) == keys
    with dg.DagsterInstance.from_config(str(home / "dagster")) as reopened:
        assert reopened.get_runs_count() == 2
        assert reopened.get_dynamic_partitions("target_repo") == keys
