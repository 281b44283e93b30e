"""The asset `release`: members as rows, made anew where what is kept was damaged."""

from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from envplatform.release.members import Member
from envplatform.release.shelf import shelf_of
from envplatform.release.tables import table_paths
from envplatform.release.verifying import damages
from envplatform.store import Store
from tests.assets.runs import materialised, metadata
from tests.release.made_release import environment, filled, keep, write_rows


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration."""
    path = tmp_path / "envplatform.toml"
    path.write_text("[release]\nvalidation_share = 0.3\ntest_share = 0.3\n")
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(path))
    return path


def release(instance: dg.DagsterInstance) -> bool:
    """Materialise it; the keys of what it reads are registered."""
    instance.add_dynamic_partitions("res_seed", ["p", "q"])
    instance.add_dynamic_partitions("cowork_seed", ["p"])
    instance.add_dynamic_partitions("target_repo", ["p"])
    instance.add_dynamic_partitions("rollout_batch", ["b"])
    instance.add_dynamic_partitions("experiment", ["e"])
    job = build_definitions().resolve_job_def("data_release")
    return job.execute_in_process(instance=instance, raise_on_error=False).success


def test_a_release_is_kept_and_made_again_where_it_was_damaged(
    instance: dg.DagsterInstance, home: Path, file: Path
) -> None:
    assert file.is_file()
    store = filled(home)
    assert release(instance)
    rows = store.rows(Member, "release")
    assert {one.kind for one in rows} == {"environment", "trajectory"}
    assert len(rows) == 9
    told = metadata(materialised(instance, "release")[-1])
    assert (told["version"], told["environments"], told["left out"]) == ("v1", 8, 3)
    assert "trajectory: no steps" in told["left out table"]
    assert "| train environments |" in told["splits"]

    assert release(instance)
    assert metadata(materialised(instance, "release")[-1])["cached"] is True
    folder = shelf_of(store).folder(1)
    next(iter(table_paths(folder, "environment").values())).unlink()
    assert release(instance)
    told = metadata(materialised(instance, "release")[-1])
    assert (told["version"], told["cached"]) == ("v2", False)
    assert "v1 has the same content and is damaged" in told["fallbacks in effect"]
    assert damages(shelf_of(store).folder(2)) == ()

    write_rows(store, [keep(store, environment("more"))], partition="q")
    assert release(instance)
    assert metadata(materialised(instance, "release")[-1])["version"] == "v3"
    file.write_text('[release]\nheld_out_files = ["absent.json"]\n')
    assert not release(instance)
    assert shelf_of(store).versions == (1, 2, 3)


def test_a_store_without_anything_releases_nothing_and_says_so(
    instance: dg.DagsterInstance, store: Store, file: Path
) -> None:
    assert file.is_file()
    assert release(instance)
    assert store.rows(Member, "release") == []
    told = metadata(materialised(instance, "release")[-1])
    assert "no environment is stored" in told["fallbacks in effect"]
    assert shelf_of(store).versions == ()
