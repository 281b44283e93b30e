"""A user's way through Dagster's UI, by clicks, over real sandboxes."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Keep
from tests.browser.dagster_page import DagsterPage
from tests.browser.made_targets import BAD, ENVIRONMENTS, SEED, STABLE_TESTS
from tests.browser.served import Served

CLAMP, SPANS, _ = STABLE_TESTS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


def test_the_server_starts_without_a_warning(served: Served) -> None:
    log = served.log.read_text(encoding="utf-8")
    until_served = log.partition("Serving dagster-webserver")[0]
    # On a new instance there is nothing yet that this daemon could go on from.
    lines = [line for line in until_served.splitlines() if "No cursor for" not in line]
    assert [line for line in lines if "warning" in line.lower()] == []


def test_a_partition_is_materialised_and_tells_what_was_found(
    ui: DagsterPage, keep_picture: Keep
) -> None:
    ui.open_asset("target_repositories")
    for text in (
        "the tests that pass every time",  # the asset's docstring
        "Files that a bug may be put into.",  # a column's
        "swe",  # its owner
        "envplatform",  # the code location
    ):
        expect(ui.page.get_by_text(text).first).to_be_visible()

    ui.materialise_partition(SPANS)  # the sensor registered it
    ui.wait_for_run("SUCCESS")

    ui.open_asset("target_repositories")
    ui.open_tab("Partitions")
    ui.open_partition(SPANS)
    ui.expect_metadata("dagster/partition_row_count", "1")
    ui.expect_metadata("stable tests", "2")
    ui.expect_metadata("unstable tests", "0")
    ui.expect_metadata("covered share", "0.75")
    keep_picture("partition_metadata")


def test_a_bad_partition_of_a_range_costs_no_other(ui: DagsterPage) -> None:
    ui.open_asset("target_repositories")
    ui.materialise("All", "Launch backfill")
    ui.open_run_of_backfill()
    ui.wait_for_run("FAILURE")
    expect_reason(ui, of=4)

    ui.open_asset("target_repositories")
    ui.open_tab("Partitions")
    expect(ui.page.get_by_text("Materialized (3)")).to_be_visible()
    expect(ui.page.get_by_text("Failed (1)")).to_be_visible()
    for key, tests in STABLE_TESTS.items():
        ui.open_partition(key)
        ui.expect_metadata("stable tests", str(tests))

    ui.materialise("Failed", "Launch 1 run")
    ui.wait_for_run("FAILURE")
    expect_reason(ui, of=1)


def expect_reason(ui: DagsterPage, *, of: int) -> None:
    """The run's page names the bad partition and why it is bad."""
    failure = ui.open_failure()
    for text in (
        f"1 of {of} partitions failed: {BAD}",
        f"TargetError: {BAD}: no test passes in all 3 runs",
        "assert 2.0 == 3",
    ):
        expect(failure).to_contain_text(text)
    failure.get_by_role("button", name="Done").click()


def test_a_job_ends_in_checked_environments_with_their_lineage(
    ui: DagsterPage, keep_picture: Keep
) -> None:
    ui.go("Jobs")
    ui.page.get_by_role("link", name="swe_synthesis").click()
    ui.materialise_partition(CLAMP, is_warned=True)
    ui.wait_for_run("SUCCESS")

    ui.open_asset("swe_environments")
    ui.open_tab("Partitions")
    ui.open_partition(CLAMP)
    ui.expect_metadata("dagster/partition_row_count", str(ENVIRONMENTS))

    ui.open_tab("Checks")
    expect(ui.page.get_by_text("only_gated_environments").first).to_be_visible()
    expect(ui.page.get_by_text("Passed", exact=True)).to_be_visible()
    row = ui.page.get_by_role("row").filter(has_text="read in full")
    expect(row).to_contain_text(str(ENVIRONMENTS))

    ui.open_tab("Lineage")
    # Names only: of so many assets the picture shows no more until one comes nearer.
    shown = ui.page.get_by_text("swe_environments", exact=True).last
    expect(shown).to_be_visible()
    keep_picture("lineage")
    for upstream in ("verified_bugs", "bug_candidates", "target_repositories"):
        ui.follow_node(upstream)


def test_a_seed_is_gated_and_tells_what_its_grader_is_worth(
    ui: DagsterPage, keep_picture: Keep
) -> None:
    ui.open_asset("seed_environments")
    ui.materialise_partition(SEED)
    ui.wait_for_run("SUCCESS")

    ui.open_asset("seed_environments")
    ui.open_tab("Partitions")
    ui.open_partition(SEED)
    ui.expect_metadata("dagster/partition_row_count", "1")
    ui.expect_metadata("environment", f"seed.{SEED}")
    ui.expect_metadata("kill rate, criteria", "1")
    ui.expect_metadata("user inside", "false")
    keep_picture("seed_metadata")
    gate = ui.open_markdown("gate")
    for check in ("oracle_max", "generic_mutants", "impossible_variant", "replay"):
        row = gate.get_by_role("row").filter(has_text=check)
        expect(row.get_by_role("cell", name="passed", exact=True)).to_be_visible()


def test_a_lineage_grows_and_is_drawn(ui: DagsterPage) -> None:
    for asset in ("res_lineages", "res_ablations"):
        ui.open_asset(asset)
        ui.materialise_partition(SEED)
        ui.wait_for_run("SUCCESS")

    ui.open_asset("res_lineages")
    ui.open_tab("Partitions")
    ui.open_partition(SEED)
    ui.expect_metadata("dagster/partition_row_count", "3")  # the root and two levels
    ui.expect_metadata("depth", "2")
    ui.expect_metadata("ended", "as deep as asked")
    expect(ui.short_table("levels").get_by_role("row")).to_have_count(1 + 3)

    ui.open_tab("Checks")
    expect(ui.page.get_by_text("only_accepted_children").first).to_be_visible()
    expect(ui.page.get_by_text("Passed", exact=True)).to_be_visible()

    ui.open_asset("depth_report")
    ui.materialise_whole()
    ui.wait_for_run("SUCCESS")
    ui.open_asset("depth_report")
    ui.expect_metadata("deepest", "2")
    picture = ui.open_picture("lineage pictures")
    drawn = picture.get_by_role("img", name=f"lineage of {SEED}")
    expect(drawn).to_be_visible()
    assert drawn.evaluate("image => image.naturalWidth") > 0
