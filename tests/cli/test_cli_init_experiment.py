"""`init --experiment` writes files whose arms were trained on what the file selects."""

from pathlib import Path
from typing import get_args

import pytest

from envplatform.cli.init import Experiment
from envplatform.configuration import load_configuration
from tests.cli.conftest import Call

SIZES = {"small": "plumbing", "paper": "evidence"}


@pytest.mark.parametrize("profile", SIZES)
@pytest.mark.parametrize("name", get_args(Experiment))
def test_each_experiment_is_written_read_and_whole(
    call: Call, name: str, profile: str, tmp_path: Path
) -> None:
    found = call("init", tmp_path, "--experiment", name, "--profile", profile, "--json")
    assert found.code == 0
    assert found.json["experiment"] == name
    written = load_configuration(tmp_path / "envplatform.toml")
    assert written.profile == profile
    assert list(written.experiments.experiments) == [name]
    experiment = written.experiments.experiments[name]
    assert experiment.size == SIZES[profile]
    for arm in experiment.arms.values():
        trained = written.training.experiments[arm.training]
        selected = written.selection.experiments[arm.training]
        assert set(selected.batches) <= set(written.rollouts.batches)
        assert (
            arm.checkpoint in {"base", "sft"}
            or arm.training
            in {
                "grpo": written.grpo.experiments,
                "distilled": written.distillation.experiments,
            }[arm.checkpoint]
        )
        assert trained.sft is not None
    counts = {
        written.training.experiments[arm.training].sft.exact_rows  # type: ignore[union-attr]
        for arm in experiment.arms.values()
    }
    assert len(counts) == 1, "arms are trained on as many rows"
    for one in written.distillation.experiments.values():
        assert set(one.batches) <= set(written.rollouts.batches)


def test_small_ones_say_that_they_are_no_evidence(call: Call, tmp_path: Path) -> None:
    assert call("init", tmp_path, "--experiment", "rl_from_sft").code == 0
    text = (tmp_path / "envplatform.toml").read_text()
    assert "is no\n# evidence" in text
    again = call("init", tmp_path, "--experiment", "distillation", "--json")
    assert (again.code, again.json["error"]) == (1, "ConfigError")
