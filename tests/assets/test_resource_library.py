"""The asset `resource_library`, from a configuration to rows, figures and a table."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.library import resource_library
from envplatform.cowork.library import (
    Library,
    RefusedResource,
    ResourceRow,
    SourceReport,
)
from envplatform.cowork.library.gather import REFUSED, REPORTS
from envplatform.store import Store
from tests.assets.runs import materialised, metadata

TOML = """
[cowork.library]
builtin = []
rows = 100

[[cowork.library.sources]]
name = "shop"
path = "shop"
licence = "CC0-1.0"

[[cowork.library.sources]]
name = "unsaid"
path = "unsaid"

[[cowork.library.sources]]
name = "gone"
path = "gone"
licence = "MIT"
"""


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three folders: a good one, one without a licence, one that is not there."""
    assert home.is_dir()
    file = tmp_path / "envplatform.toml"
    file.write_text(TOML)
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    for folder in ("shop", "unsaid"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sales.csv").write_text("region,total\nnorth,10\n")
    (tmp_path / "shop" / "bad.csv").write_bytes(b"Z\xc3\xbc\nZ\xfc\n")
    return tmp_path


def run(instance: dg.DagsterInstance) -> Mapping[str, Any]:
    """Materialise it; metadata of its event."""
    job = build_definitions().resolve_implicit_global_asset_job_def()
    done = job.execute_in_process(
        instance=instance, asset_selection=[resource_library.key]
    )
    assert done.success
    (event,) = materialised(instance, "resource_library", done.run_id)
    return metadata(event)


def test_what_is_kept_and_what_is_refused(
    project: Path, instance: dg.DagsterInstance, store: Store
) -> None:
    shown = run(instance)
    (row,) = store.rows(ResourceRow, "resource_library")
    assert (row.resource_id, row.licence) == ("shop/sales.csv", "CC0-1.0")
    assert row.licence_source == "envplatform.toml"
    refused = store.rows(RefusedResource, REFUSED)
    assert [(one.source, one.path, one.reason) for one in refused] == [
        ("shop", "bad.csv", "mixed_encodings"),
        ("unsaid", "sales.csv", "no_licence"),
        ("gone", "", "source_failed"),
    ]
    assert "licence = an SPDX identifier" in refused[1].detail
    assert str(project / "gone") in refused[2].detail
    reports = store.rows(SourceReport, REPORTS)
    assert [(one.source, one.kept, one.refused) for one in reports] == [
        ("shop", 1, 1),
        ("unsaid", 0, 1),
        ("gone", 0, 1),
    ]
    assert Library.stored(store).table("shop/sales.csv").rows == (("north", "10"),)
    figures = ("sources", "sources that failed", "tables", "refused")
    assert [shown[name] for name in figures] == [3, 1, 1, 3]
    assert "| shop |  | 1 | 1 | mixed_encodings 1 |" in shown["by source"]
    assert "| no_licence | 1 |" in shown["reasons"]


def test_it_is_made_again_only_when_something_changed(
    project: Path, instance: dg.DagsterInstance, store: Store
) -> None:
    """A source that failed is tried each time; all others are read once."""
    assert not run(instance)["cached"]
    assert not run(instance)["cached"]
    (project / "gone").mkdir()
    (project / "gone" / "a.csv").write_text("n\n1\n")
    assert not run(instance)["cached"]
    assert run(instance)["cached"]
    assert len(store.rows(ResourceRow, "resource_library")) == 2
    (project / "shop" / "sales.csv").write_text("region,total\nsouth,10\n")
    assert not run(instance)["cached"]
    table = Library.stored(store).table("shop/sales.csv")
    assert table.rows == (("south", "10"),)


@pytest.mark.network
def test_a_shipped_source_of_each_registry(
    project: Path, instance: dg.DagsterInstance, store: Store
) -> None:
    names = ("inflection", "observable-sample-datasets")
    text = f'[cowork.library]\nbuiltin = ["{names[0]}", "{names[1]}"]\n'
    (project / "envplatform.toml").write_text(text)
    run(instance)
    reports = store.rows(SourceReport, REPORTS)
    assert [(one.source, one.kept, one.refused) for one in reports] == [
        (names[0], 5, 0),
        (names[1], 3, 9),
    ]
