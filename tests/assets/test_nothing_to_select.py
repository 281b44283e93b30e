"""A backfill over all experiments, some of which select nothing."""

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from envplatform.store import Store
from tests.assets.runs import materialised, metadata, range_tags

_CONFIGURATION = """
[evaluation.measured]
[bug_models.bugs]
"""
SELECTING = ("valid_trajectories", "trajectory_scores", "selected_trajectories")


Run = Callable[..., dg.ExecuteInProcessResult]


@pytest.fixture
def run(
    instance: dg.DagsterInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Materialises assets of a job over a range of three experiments."""
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    file.write_text(_CONFIGURATION)
    instance.add_dynamic_partitions("experiment", ["measured", "bugs", "nobody"])

    def materialise(
        name: str, *assets: str, first: str, last: str
    ) -> dg.ExecuteInProcessResult:
        job = build_definitions().resolve_job_def(name)
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(asset) for asset in assets],
            raise_on_error=False,
            tags=range_tags(first, last),
        )

    return materialise


def test_experiments_that_select_nothing_are_empty_and_say_why(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    """There are no rollouts at all, and none are needed."""
    whole = {"first": "measured", "last": "bugs"}
    assert run("trajectory_selection", *SELECTING, **whole).success
    assert run("model_training", "sft_checkpoint", **whole).success
    for asset in SELECTING:
        said = {
            event.partition: metadata(event)["empty because"]
            for event in materialised(instance, asset)
        }
        assert said == {
            "measured": "nothing to select: the experiment measured only evaluates; "
            "envplatform.toml has no [selection.measured]",
            "bugs": "nothing to select: the experiment bugs only trains models of bugs; "
            "envplatform.toml has no [selection.bugs]",
        }
    for asset in (*SELECTING, "sft_checkpoint"):
        assert [one.rows for one in store.manifests(asset)] == [0, 0]


def test_a_name_that_nothing_configures_is_refused(run: Run, store: Store) -> None:
    """A partition left over from an envplatform.toml of before."""
    one = {"first": "nobody", "last": "nobody"}
    assert not run("trajectory_selection", "valid_trajectories", **one).success
    (failure,) = store.failures("valid_trajectories")
    assert "no [selection.nobody]" in failure.message
