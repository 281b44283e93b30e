"""`assets.run.roll_out` and `learn`: from an agent's plays to all three checkpoints."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from typer.testing import CliRunner

from assets.grpo_recipes import grpo_sources
from assets.learning_run import learn
from assets.run import compare_arms, roll_out
from envplatform.cli.main import app
from envplatform.configuration import load_configuration
from envplatform.evaluation.arms import ArmRollout
from envplatform.learning.training.published import CheckpointRow, kept_checkpoint
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from envplatform.trajectories import Trajectory
from tests.assets.made_training import (
    SCORE,
    Place,
    agent_and_judge,
    make_place,
    votes,
)
from tests.assets.runs import materialised, metadata
from tests.assets.test_bug_training import wide_student
from tests.model_server import model_server

pytestmark = pytest.mark.skipif(
    find_spec("trl") is None, reason="needs envplatform[learning]"
)
PLAYED, TAUGHT = "grpo_checkpoint", "distilled_checkpoint"


@pytest.fixture
def place(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bubblewrap: BubblewrapProvider,
    store: Store,
    bare_image: Image,
) -> Place:
    """A home with two published tasks; the configuration is yet to be written."""
    del bubblewrap  # needed: skips where there is none
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(tmp_path / "envplatform.toml"))
    base = wide_student(tmp_path / "student")
    return make_place(tmp_path, store, instance, bare_image, base)


def row_of(store: Store, asset: str) -> CheckpointRow:
    (row,) = store.rows(CheckpointRow, asset, "small")
    return row


@pytest.mark.slow
def test_an_agent_is_learnt_from_then_played_with_and_taught(
    place: Place, store: Store, instance: dg.DagsterInstance
) -> None:
    """One test, since each training is a process of seconds."""
    with model_server(agent_and_judge) as server:
        place.configure(server.base_url)
        assert roll_out(place.terminal) == [], place.said
        (one,) = store.rows(Trajectory, "rollouts", "own")
        assert one.reward == SCORE**0.5
        before = votes(server.requests)
        assert learn(place.terminal) == [], place.said
        assert votes(server.requests) == before + 2, "the judge saw both plays"
    learnt = row_of(store, "sft_checkpoint")
    _plays_were_judged(store)
    _a_teacher_was_learnt_from(store, instance)
    for asset in (PLAYED, TAUGHT):
        assert row_of(store, asset).parent == learnt.checkpoint
    _a_second_time_trains_nothing(place, instance)
    for asset, environment in (
        ("sft_checkpoint", "tiny"),
        (PLAYED, "done"),
        (TAUGHT, "tiny"),
    ):
        _it_is_followed_to(environment, row_of(store, asset).checkpoint)


def _it_is_followed_to(environment: str, checkpoint: str) -> None:
    """Down from a checkpoint: what it goes on from, what was played, the tables."""
    told = CliRunner().invoke(app, ["trace", checkpoint[:12], "--json"])
    assert told.exit_code == 0, told.output
    found = list(_nodes(json.loads(told.stdout)))
    names = {(node["kind"], node["name"]) for node in found}
    assert ("environment", environment) in names
    assert {
        ("table", "selected_trajectories"),
        ("table", "valid_trajectories"),
        ("table", "rollouts"),
        ("table", "seed_environments"),
        ("checkpoint", "sft_conversation"),
    } <= names
    states = {node["state"] for node in found}
    assert states <= {"current", "outside"}, "nothing is missing or superseded"
    seen = CliRunner().invoke(app, ["trace", checkpoint[:12]])
    assert f"environment {environment}" in seen.output


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for part in node["made_from"]:
        yield from _nodes(part)


def _plays_were_judged(store: Store) -> None:
    record = kept_checkpoint(store, row_of(store, PLAYED).checkpoint).record
    figures = record.components[0].figures
    assert figures["verifiers/judge"] == SCORE
    assert figures["verifiers/code"] == 1.0
    assert figures["verifiers/reward"] == SCORE**0.5
    assert figures["verifiers/unknown"] == 0.0


def _a_teacher_was_learnt_from(store: Store, instance: dg.DagsterInstance) -> None:
    row = row_of(store, TAUGHT)
    record = kept_checkpoint(store, row.checkpoint).record
    (played,) = store.rows(Trajectory, "rollouts", "own")
    assert (row.kind, row.rows, row.steps) == ("distillation", 1, 2)
    assert record.row_ids == (played.trajectory_id,)
    assert record.losses[0].loss > 0, "the student has an adapter, the teacher none"
    told = metadata(materialised(instance, TAUGHT)[-1])
    assert told["checkpoint"] == row.checkpoint
    assert told["parent"] == row.parent
    assert told["loss curve"].startswith("![")


_ARMS = """\
[experiments.rl]
question = "Does a judge take part?"
control = "before"
[experiments.rl.rollouts]
harness = "tool_loop"
where = "environment_id = 'done'"
answer_tokens = 6
turns = 2
temperature = 1.0
[experiments.rl.arms.before]
training = "small"
checkpoint = "base"
[experiments.rl.arms.after]
training = "small"
checkpoint = "base"
harness = "tool_loop_fenced"
"""


@pytest.mark.slow
def test_arms_are_judged_and_another_judge_plays_them_anew(
    place: Place, store: Store
) -> None:
    def rewards() -> set[float | None]:
        rows = store.rows(ArmRollout, "arm_rollouts", "rl")
        assert len(rows) == 2
        return {one.trajectory.reward for one in rows}

    with model_server(agent_and_judge) as server:
        place.configure(server.base_url, more=_ARMS)
        assert compare_arms(place.terminal) == [], place.said
        assert votes(server.requests) == 2
        assert rewards() == {SCORE**0.5}
        place.configure(server.base_url, judge="another", more=_ARMS)
        assert compare_arms(place.terminal) == [], place.said
        assert votes(server.requests) == 4, "what one judge said is not another's"
        assert server.requests[-1]["model"] == "another"


def test_who_judges_decides_whether_plays_are_learnt_from_again(
    place: Place, store: Store
) -> None:
    def recipe(judge: str) -> dict[str, str]:
        place.configure("http://127.0.0.1:9/v1", judge=judge)
        return grpo_sources(load_configuration(place.file), "small", store)

    first = recipe("one")
    assert recipe("one") == first
    assert recipe("another") != first
    assert recipe("").keys() == first.keys() - {"judge"}


def _a_second_time_trains_nothing(place: Place, instance: dg.DagsterInstance) -> None:
    assert learn(place.terminal) == [], place.said
    for asset in ("sft_checkpoint", PLAYED, TAUGHT):
        assert metadata(materialised(instance, asset)[-1])["cached"] is True
