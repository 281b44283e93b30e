"""A model trained through Dagster's UI, and followed by clicks to the rollouts."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import expect

from envplatform.store import Store
from envplatform.trajectories.rows import SelectedTrajectory
from tests.assets.made_rollouts import ORIGIN, keep_rollouts
from tests.browser.conftest import Keep
from tests.browser.dagster_page import DagsterPage
from tests.browser.served import Served, register, serve
from tests.learning.made_elsewhere import student
from tests.trajectories.made_record import record

EXPERIMENT = "steps-4711"
"""Its key; no other text of a page is the same."""
CONFIGURATION = """\
profile = "browser"
[targets]
builtin = []
[seeds]
builtin = []
[cowork]
shards = 0
[rollouts.own]
harness = "oracle"
[selection.{name}]
metric = "reward"
[training.{name}]
base = "{base}"
base_licence = "Apache-2.0"
dtype = "float32"
max_length = 400
rank = 4
[training.{name}.sft]
steps = 3
batch = 1
"""
UPSTREAM = ("selected_trajectories", "valid_trajectories", "rollouts")
"""From a checkpoint to what agents did, each made of the next."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(900),
    pytest.mark.skipif(find_spec("trl") is None, reason="needs envplatform[learning]"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The UI over two rollouts, which somebody has selected."""
    folder: Path = tmp_path_factory.mktemp("ui")
    store = Store(folder / "home")
    played = [record("one"), record("two")]
    keep_rollouts(store, "own", played)
    store.write_rows(
        "selected_trajectories",
        [
            SelectedTrajectory(
                trajectory_id=one.trajectory_id,
                batch="own",
                arm="selected",
                metric="reward",
                value=1.0,
                length=9,
                bin=0,
            )
            for one in played
        ],
        row_type=SelectedTrajectory,
        partition=EXPERIMENT,
        origin=ORIGIN,
    )
    register(folder / "home", {"rollout_batch": ("own",)})
    configuration = folder / "envplatform.toml"
    text = CONFIGURATION.format(name=EXPERIMENT, base=student())
    configuration.write_text(text, encoding="utf-8")
    with serve(folder / "home", configuration, start_s=180) as running:
        yield running


def test_a_model_is_trained_and_followed_to_the_rollouts(
    ui: DagsterPage, keep_picture: Keep
) -> None:
    ui.open_asset("sft_checkpoint")
    ui.wait_for_partitions(1)  # the sensor registers it
    ui.materialise_partition(EXPERIMENT, is_warned=True)
    ui.wait_for_run("SUCCESS")

    ui.open_asset("sft_checkpoint")
    ui.open_tab("Partitions")
    ui.open_partition(EXPERIMENT)
    ui.expect_metadata("base licence", "Apache-2.0")
    ui.expect_metadata("rows", "2")
    ui.expect_metadata("steps", "3")
    keep_picture("sft_checkpoint")
    picture = ui.open_picture("loss curve")
    drawn = picture.get_by_role("img", name="loss by step")
    expect(drawn).to_be_visible()
    assert drawn.evaluate("image => image.naturalWidth") > 0
    picture.get_by_role("button", name="Close").click()

    ui.open_tab("Lineage")
    for upstream in UPSTREAM:
        ui.follow_node(upstream)
