"""A release through Dagster's UI, by clicks: made, the same again, another after a change."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.release.shelf import shelf_of
from envplatform.release.verifying import damages
from envplatform.store import Store
from tests.browser.conftest import Keep
from tests.browser.dagster_page import DagsterPage
from tests.browser.served import Served, serve
from tests.release.made_release import environment, keep, write_rows

SEED = "contract_clauses"
"""A key that the configuration registers; what is stored under it is made up."""
CONFIGURATION = f"""\
profile = "browser"
[sandbox]
kind = "bubblewrap"
[targets]
builtin = []
[fixes]
sources = []
[seeds]
builtin = ["{SEED}"]
[cowork]
shards = 0
"""

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


def fill(store: Store, count: int) -> None:
    """Store so many environments, and one whose licence is not taken."""
    rows = [keep(store, environment(f"task-{number}")) for number in range(count)]
    refused = replace(keep(store, environment("refused")), licence="GPL-3.0-only")
    write_rows(store, [*rows, refused], partition=SEED)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The UI over a store with three environments."""
    folder: Path = tmp_path_factory.mktemp("ui")
    fill(Store(folder / "home"), 3)
    configuration = folder / "envplatform.toml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    with serve(folder / "home", configuration, start_s=180) as running:
        yield running


def test_a_release_is_made_and_made_anew_when_something_changed(
    ui: DagsterPage, served: Served, keep_picture: Keep
) -> None:
    ui.open_asset("seed_environments")
    ui.wait_for_partitions(1)  # the sensor registers it; only its table is there

    ui.open_asset("release")
    ui.materialise_whole(is_warned=True)
    ui.wait_for_run("SUCCESS")
    ui.open_asset("release")
    ui.expect_metadata("version", "v1")
    ui.expect_metadata("left out", "1")
    ui.expect_metadata("environments", "3")
    keep_picture("release")

    store = Store(served.log.parent / "home")
    fill(store, 4)
    ui.materialise_whole(is_warned=True)
    ui.wait_for_run("SUCCESS")
    ui.open_asset("release")
    ui.expect_metadata("version", "v2")
    ui.expect_metadata("environments", "4")
    shelf = shelf_of(store)
    assert shelf.versions == (1, 2)
    assert [damages(shelf.folder(one)) for one in shelf.versions] == [(), ()]
