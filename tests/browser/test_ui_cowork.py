"""A shard of office work through Dagster's UI, by clicks: from material to the report."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.browser.conftest import Keep
from tests.browser.dagster_page import DagsterPage
from tests.browser.served import Served, serve

SHARD = "4711"
"""Its key; no other text of a page is the same."""
CONFIGURATION = f"""\
profile = "browser"
[sandbox]
kind = "bubblewrap"
[targets]
builtin = []
[seeds]
builtin = []
[cowork]
first_seed = {SHARD}
environments_per_seed = 1
families = ["invoice_matching"]
[cowork.library]
builtin = []
"""

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def served(
    bubblewrap: BubblewrapProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """The UI over one shard of one environment, of which nothing is made yet."""
    assert bubblewrap.info.kind == "bubblewrap"
    folder: Path = tmp_path_factory.mktemp("ui")
    (folder / "home").mkdir()
    configuration = folder / "envplatform.toml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    with serve(folder / "home", configuration, start_s=180) as running:
        yield running


def test_a_shard_is_planned_made_and_tells_what_was_found(ui: DagsterPage) -> None:
    ui.open_asset("resource_library")
    ui.materialise_whole()
    ui.wait_for_run("SUCCESS")
    for asset in ("task_blueprints", "cowork_environments"):
        ui.open_asset(asset)
        ui.wait_for_partitions(1)  # the sensor registers it
        ui.materialise_partition(SHARD)
        ui.wait_for_run("SUCCESS")

    ui.open_asset("cowork_environments")
    ui.open_tab("Partitions")
    expect(ui.page.get_by_text("Materialized (1)")).to_be_visible()
    ui.open_partition(SHARD)
    ui.expect_metadata("dagster/partition_row_count", "1")
    ui.expect_metadata("accepted", "1")
    ui.expect_metadata("with a user", "1")
    ui.expect_metadata("kill rate, criteria", "1")
    ui.expect_metadata("found in all rounds", "0")
    ui.expect_metadata("findings", "none")

    ui.open_tab("Checks")
    expect(ui.page.get_by_text("Passed", exact=True).first).to_be_visible()


def test_the_report_draws_what_there_is_and_names_what_is_missed(
    ui: DagsterPage, keep_picture: Keep
) -> None:
    ui.open_asset("coverage_report")
    ui.materialise_whole()
    ui.wait_for_run("SUCCESS")

    ui.open_asset("coverage_report")
    ui.expect_metadata("accepted", "1")
    ui.expect_metadata("near-duplicates", "0")
    heat = ui.open_markdown("heat map")
    finance = heat.get_by_role("row").filter(has_text=re.compile("^finance"))
    expect(finance.get_by_role("cell", name="█ 1").first).to_be_visible()
    legal = heat.get_by_role("row").filter(has_text=re.compile("^legal"))
    expect(legal.get_by_role("cell", name="█ 1")).to_have_count(0)
    keep_picture("cowork_heat_map")
    heat.get_by_role("button", name="Close").click()

    quotas = ui.open_markdown("quotas")
    missed = quotas.get_by_role("row").filter(has_text="scenario: legal")
    expect(missed.get_by_role("cell", name="missed")).to_be_visible()
