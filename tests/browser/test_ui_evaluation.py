"""A comparison through Dagster's UI, by clicks: over rollouts that lie in the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from envplatform.store import Store
from tests.assets.made_rollouts import (
    DEPTH,
    SEEDS,
    keep_rollouts,
    publish,
    rolled_out,
)
from tests.browser.conftest import Keep
from tests.browser.dagster_page import DagsterPage
from tests.browser.served import Served, register, serve

EXPERIMENT = "uphill-4711"
"""Its key; no other text of a page is the same."""
CONFIGURATION = f"""\
profile = "browser"
[targets]
builtin = []
[seeds]
builtin = []
[cowork]
shards = 0
[rollouts.explorers]
harness = "explorer"
[evaluation.{EXPERIMENT}.compare]
kind = "transformed"
before = "explorers"
after = "explorers"
"""

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The UI over two lineages, in which somebody has failed below the roots."""
    folder: Path = tmp_path_factory.mktemp("ui")
    store = Store(folder / "home")
    publish(store)
    keep_rollouts(
        store,
        "explorers",
        [
            rolled_out(
                seed, depth, float(depth == 0), harness="explorer", policy="explorer"
            )
            for seed in SEEDS
            for depth in range(DEPTH + 1)
        ],
    )
    register(folder / "home", {"res_seed": SEEDS, "rollout_batch": ("explorers",)})
    configuration = folder / "envplatform.toml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    with serve(folder / "home", configuration, start_s=180) as running:
        yield running


def test_a_comparison_is_made_and_read(ui: DagsterPage, keep_picture: Keep) -> None:
    for asset in ("benchmark_scores", "paired_evaluation"):
        ui.open_asset(asset)
        ui.wait_for_partitions(1)  # the sensor registers it
        ui.materialise_partition(EXPERIMENT, is_warned=True)
        ui.wait_for_run("SUCCESS")

    ui.open_asset("paired_evaluation")
    ui.open_tab("Partitions")
    ui.open_partition(EXPERIMENT)
    ui.expect_metadata("dagster/partition_row_count", "3")  # all, and two depths
    ui.expect_metadata("held_against", "explorer by explorer in explorers")
    ui.expect_metadata("pairs", "4")
    ui.expect_metadata("difference", "-1")
    keep_picture("paired_evaluation")

    table = ui.short_table("comparison")
    whole = table.get_by_role("row").filter(has_text="100%").first
    expect(whole).to_contain_text("-100")
    picture = ui.open_picture("both sides by depth")
    drawn = picture.get_by_role("img", name="Both sides")
    expect(drawn).to_be_visible()
    assert drawn.evaluate("image => image.naturalWidth") > 0
    picture.get_by_role("button", name="Close").click()

    ui.open_tab("Checks")
    expect(ui.page.get_by_text("sides_agree").first).to_be_visible()
    expect(ui.page.get_by_text("Passed", exact=True).first).to_be_visible()
