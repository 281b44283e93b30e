"""From published fixes to a training set, by clicks in Dagster's UI."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Keep
from tests.browser.dagster_page import DagsterPage
from tests.made_fixes import GONE, SPANS, WORDS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


def test_the_corpus_tells_what_each_source_gave(ui: DagsterPage) -> None:
    ui.open_asset("fix_corpus")
    expect(ui.page.get_by_text("none twice").first).to_be_visible()  # its docstring
    ui.materialise_whole()
    ui.wait_for_run("SUCCESS")

    ui.open_asset("fix_corpus")
    ui.open_tab("Events")
    ui.expect_metadata("dagster/row_count", "4")
    ui.expect_metadata("repositories", "3")
    ui.expect_metadata("quarantined", "1")


def test_a_history_that_is_nowhere_costs_no_other_repository(
    ui: DagsterPage, keep_picture: Keep
) -> None:
    ui.open_asset("reverse_patches")
    ui.wait_for_partitions(3)  # the sensor registers them
    ui.materialise("All", "Launch backfill")
    ui.open_run_of_backfill()
    ui.wait_for_run("FAILURE")
    failure = ui.open_failure()
    for text in (f"1 of 3 partitions failed: {GONE}", "`histories` in [fixes]"):
        expect(failure).to_contain_text(text)
    failure.get_by_role("button", name="Done").click()

    ui.open_asset("reverse_patches")
    ui.open_tab("Partitions")
    expect(ui.page.get_by_text("Materialized (2)")).to_be_visible()
    expect(ui.page.get_by_text("Failed (1)")).to_be_visible()
    ui.open_partition(WORDS)
    ui.expect_metadata("reversed", "1")
    ui.open_partition(SPANS)
    ui.expect_metadata("reversed", "2")
    ui.expect_metadata("refused", "0")
    keep_picture("reverse_patches")


def test_the_training_set_is_drawn_from_what_there_is(
    ui: DagsterPage, keep_picture: Keep
) -> None:
    for name, rows in (("curated_reverse_patches", "3"), ("bug_training_set", "3")):
        ui.open_asset(name)
        ui.materialise_whole()
        ui.wait_for_run("SUCCESS")
        ui.open_asset(name)
        ui.open_tab("Events")
        ui.expect_metadata("dagster/row_count", rows)
    keep_picture("bug_training_set")

    ui.open_tab("Lineage")
    for upstream in ("curated_reverse_patches", "reverse_patches"):
        ui.follow_node(upstream)
