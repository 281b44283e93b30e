import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from envplatform.store import Store
from tests.assets.numbers import Graph

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose databases exist: creating them takes longer than most tests."""
    folder = tmp_path_factory.mktemp("template") / "home"
    dagster_home = folder / "dagster"
    dagster_home.mkdir(parents=True)
    shutil.copy(REPOSITORY / "dagster.yaml", dagster_home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENVPLATFORM_HOME", str(folder))
        patch.delenv("ENVPLATFORM_POSTGRES_URL", raising=False)
        with dg.DagsterInstance.from_config(str(dagster_home)):
            pass
    return folder


@pytest.fixture
def home(empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """$ENVPLATFORM_HOME, with a Dagster home in it as commands make one."""
    folder = tmp_path / "home"
    shutil.copytree(empty_home, folder)
    monkeypatch.setenv("ENVPLATFORM_HOME", str(folder))
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster"))
    monkeypatch.delenv("ENVPLATFORM_POSTGRES_URL", raising=False)
    return folder


@pytest.fixture
def instance(home: Path) -> Iterator[dg.DagsterInstance]:
    """A real instance on sqlite, as `dagster.yaml` describes it."""
    assert os.environ["ENVPLATFORM_HOME"] == str(home)
    with dg.DagsterInstance.from_config(str(home / "dagster")) as opened:
        yield opened


@pytest.fixture
def store(home: Path) -> Store:
    """The store of the same home."""
    return Store(home)


@pytest.fixture
def graph(instance: dg.DagsterInstance, home: Path) -> Graph:
    """The graph of numbers, with partitions `a`, `bb`, `ccc`, `dddd`."""
    instance.add_dynamic_partitions("target_repo", ["a", "bb", "ccc", "dddd"])
    return Graph(instance, home)
