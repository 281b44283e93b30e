"""Checkpoints trained on plays and by distillation, and arms that are played with them."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import pytest

from assets.arm_recipes import arm_keys
from assets.definitions import build_definitions
from envplatform.configuration import parse_configuration
from envplatform.errors import ConfigError
from envplatform.evaluation.arms import ArmComparison, ArmRollout
from envplatform.learning.training.checkpoint import KIND, read_checkpoint
from envplatform.learning.training.published import CheckpointRow
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from tests.assets.runs import materialised, metadata
from tests.assets.test_trajectories import keep
from tests.rollout.tiny import tiny_environment

pytestmark = pytest.mark.skipif(
    find_spec("trl") is None, reason="needs envplatform[learning]"
)
CHECKOUT = Path(__file__).resolve().parents[2]
_MAKE = """
import sys
from pathlib import Path
from tests.learning.chat_templates import CHATML_TOOLS
from tests.learning.made_students import model, tokenizer
made = model()
made.config.max_position_embeddings = 8192
made.save_pretrained(Path(sys.argv[1]))
tokenizer(CHATML_TOOLS).save_pretrained(Path(sys.argv[1]))
"""
_CONFIGURATION = """
[sandbox]
kind = "bubblewrap"
[rollouts]
command_seconds = 30.0
[rollouts.own]
harness = "oracle"
[selection.small]
[training.small]
base = "student"
dtype = "float32"
rank = 4
max_length = 4000
[grpo.small]
goes_on_from = "base"
steps = 1
batch = 2
group = 2
max_length = 4000
answer_tokens = 6
turns = 2
learning_rate = 1e-3
[distillation.small]
goes_on_from = "base"
teacher = "student"
batches = ["own"]
steps = 1
batch = 1
[experiments.rl]
question = "Does playing help?"
control = "before"
[experiments.rl.rollouts]
harness = "tool_loop"
answer_tokens = 6
turns = 2
attempts = 2
temperature = 1.0
[experiments.rl.arms.before]
training = "small"
checkpoint = "base"
[experiments.rl.arms.after]
training = "small"
checkpoint = "grpo"
"""
Run = Callable[..., dg.ExecuteInProcessResult]


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bubblewrap: BubblewrapProvider,
    store: Store,
    bare_image: Image,
) -> Run:
    """Materialises one asset; one environment is published, a tiny model is there."""
    del bubblewrap  # needed: skips where there is none
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(CHECKOUT)}
    made = [sys.executable, "-c", _MAKE, str(tmp_path / "student")]
    subprocess.run(made, env=environ, check=True)
    file = tmp_path / "envplatform.toml"
    file.write_text(_CONFIGURATION)
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    keep(store, bare_image, tiny_environment())
    instance.add_dynamic_partitions("res_seed", ["tiny"])
    instance.add_dynamic_partitions("experiment", ["small"])
    instance.add_dynamic_partitions("arm_experiment", ["rl"])

    def materialise(name: str, partition: str) -> dg.ExecuteInProcessResult:
        found = build_definitions().resolve_implicit_global_asset_job_def()
        return found.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name)],
            partition_key=partition,
            raise_on_error=False,
        )

    return materialise


@pytest.mark.slow
def test_from_plays_to_a_checkpoint_to_arms_that_are_compared(
    run: Run, store: Store, instance: dg.DagsterInstance
) -> None:
    assert not run("arm_rollouts", "rl").success, "its checkpoint is not there"
    assert run("grpo_checkpoint", "small").success, store.failures("grpo_checkpoint")
    (row,) = store.rows(CheckpointRow, "grpo_checkpoint", "small")
    record = read_checkpoint(store.directory(KIND, row.checkpoint)).record
    assert record.kind == "grpo"
    assert record.facts["style"] == "environment_factory"
    assert record.components[0].figures["verifiers/unknown"] == 0.0, "all were played"
    told = metadata(materialised(instance, "grpo_checkpoint")[-1])
    assert (
        told["reward, first step"] == record.components[0].figures["verifiers/reward"]
    )

    assert run("arm_rollouts", "rl").success, store.failures("arm_rollouts")
    rows = store.rows(ArmRollout, "arm_rollouts", "rl")
    assert [(one.arm, one.trajectory.seed) for one in rows] == [
        ("before", 0),
        ("before", 1),
        ("after", 0),
        ("after", 1),
    ]
    assert {one.trajectory.policy for one in rows} == {"rl.before", "rl.after"}
    assert all(one.trajectory.steps for one in rows), "the served model answered"
    assert run("arm_comparisons", "rl").success, store.failures("arm_comparisons")
    found = store.rows(ArmComparison, "arm_comparisons", "rl")
    assert [(one.arm, one.against, one.compared.by) for one in found] == [
        ("after", "before", "whole"),
        ("after", "before", "depth"),
    ]
    assert found[0].compared.pairs == 2
    event = materialised(instance, "arm_comparisons")[-1]
    assert "after" in str(metadata(event)["arms"])

    again = materialised(instance, "arm_rollouts")
    assert run("arm_rollouts", "rl").success
    assert (
        metadata(materialised(instance, "arm_rollouts")[len(again)])["cached"] is True
    )


def test_arms_that_cannot_be_compared_are_refused_by_name() -> None:
    def parsed(**changes: str) -> None:
        text = _CONFIGURATION
        for old, new in changes.items():
            text = text.replace(old, new)
        parse_configuration(text, source="x")

    found = parse_configuration(_CONFIGURATION, source="x")
    assert arm_keys(found) == ("rl",)
    wrong = {
        'control = "before"': ('control = "none"', "there is no arm 'none'"),
        'checkpoint = "grpo"': ('checkpoint = "base"', "do not differ"),
        'harness = "tool_loop"': ('harness = "oracle"', "no model acts in oracle"),
        "attempts = 2": ('attempts = 2\nmodel = "m"', "the arms' own"),
        "question =": ("questoin =", "questoin"),
    }
    for old, (new, told) in wrong.items():
        with pytest.raises(ConfigError, match=told):
            parsed(**{old: new})
