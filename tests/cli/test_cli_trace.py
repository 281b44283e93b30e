"""`envplatform trace`, from a checkpoint down to the fixes that its bugs were learnt from."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from envplatform.bundle import environment_digest, write_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.learning.training.published import CheckpointRow, checkpoint_row
from envplatform.store import Input, Origin, Recipe, Store
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.trajectories import Trajectory
from envplatform.trajectories.rows import SelectedTrajectory
from tests.cli.conftest import Call
from tests.cli.made_checkpoints import made_checkpoint
from tests.rollout.tiny import tiny_environment
from tests.swe.small_repository import CANDIDATE, ENVIRONMENT_ROW
from tests.trajectories.made_record import record

FIXES = ("made__spans-1", "made__words-1")
REPOSITORY = CANDIDATE.repository


class Chain:
    """A store in which every step was done, from fixes to three checkpoints."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(folder / "home")
        corpus = self.keep("fix_corpus", [], TrainingRow)
        curated = self.keep("curated_reverse_patches", [], TrainingRow, (corpus,))
        rows = self.keep("bug_training_set", [], TrainingRow, (curated,))
        self.bugs = self.learn("bug_model", "sft_completion", FIXES, (rows,))
        model = self.store.manifest("bug_model", "small")
        assert model is not None
        target = self.keep("target_repositories", [], TrainingRow, (), REPOSITORY)
        proposed = self.keep(
            "bug_candidates",
            [replace(CANDIDATE, inducer="model", model=self.adapter)],
            BugCandidate,
            (target, model.as_input),
            REPOSITORY,
        )
        published = self.publish((target, proposed))
        played = self.keep(
            "rollouts",
            [record("t1", digest=self.environment)],
            Trajectory,
            (published,),
            "first",
        )
        selected = self.keep(
            "selected_trajectories", [SELECTED], SelectedTrajectory, (played,), "small"
        )
        inputs = (selected, played)
        self.sft = self.learn("sft_checkpoint", "sft_conversation", ("t1",), inputs)
        plays = (self.environment[:16],)
        self.grpo = self.learn("grpo_checkpoint", "grpo", plays, (published,), self.sft)

    @property
    def adapter(self) -> str:
        """By what candidates call the model that proposed them."""
        return f"bug_model:small@{self.bugs[:12]}"

    def keep(
        self,
        asset: str,
        rows: Sequence[object],
        row_type: type[Any],
        inputs: tuple[Input, ...] = (),
        partition: str | None = None,
    ) -> Input:
        """Write a table; returns it as another's input."""
        origin = Origin(
            created=datetime(2026, 1, 1, tzinfo=UTC), recipe=Recipe(inputs=inputs)
        )
        return self.store.write_rows(
            asset, rows, row_type=row_type, partition=partition, origin=origin
        ).as_input

    def learn(
        self,
        asset: str,
        kind: Any,  # noqa: ANN401  one of the kinds of training
        row_ids: tuple[str, ...],
        inputs: tuple[Input, ...],
        parent: str | None = None,
    ) -> str:
        """Keep a checkpoint and its table; returns its digest."""
        found = made_checkpoint(
            self.store, self.folder / asset, kind=kind, row_ids=row_ids, parent=parent
        )
        self.keep(asset, [checkpoint_row(found)], CheckpointRow, inputs, "small")
        return found.digest

    def publish(self, inputs: tuple[Input, ...]) -> Input:
        """Keep an environment of the candidate, and its table."""
        plain = tiny_environment()
        lineage = replace(
            plain.lineage,
            producer="model",
            plan=("rewrite",),
            origin={
                "repository": REPOSITORY,
                "candidate": CANDIDATE.candidate_id,
            },
            model=self.adapter,
        )
        made = replace(plain, lineage=lineage)
        self.environment = environment_digest(made)
        folder = self.folder / "environment"
        self.store.put_directory(
            "environments", write_environment(made, folder), folder
        )
        row = replace(ENVIRONMENT_ROW, digest=self.environment)
        return self.keep("swe_environments", [row], EnvironmentRow, inputs, REPOSITORY)


SELECTED = SelectedTrajectory(
    trajectory_id="t1",
    batch="first",
    arm="selected",
    metric="reward",
    value=1.0,
    length=9,
    bin=0,
)


@pytest.fixture
def chain(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chain:
    """The store, where commands find it."""
    del call  # which forgets where the caller's project is
    made = Chain(tmp_path / "project")
    monkeypatch.setenv("ENVPLATFORM_HOME", str(made.store.home))
    return made


Found = dict[str, Any]


def path_to(node: Found, name: str) -> list[str] | None:
    """Names from a node down to the first one of that name."""
    if node["name"] == name:
        return [name]
    for part in node["made_from"]:
        below = path_to(part, name)
        if below is not None:
            return [node["name"], *below]
    return None


def nodes(node: Found) -> Iterator[Found]:
    yield node
    for part in node["made_from"]:
        yield from nodes(part)


def test_a_checkpoint_is_followed_to_the_fixes_its_inducer_learnt_from(
    call: Call, chain: Chain
) -> None:
    found = json.loads(call("trace", chain.sft[:12], "--json").out)
    assert path_to(found, "sft_completion") == [
        "sft_conversation",
        "tiny",
        CANDIDATE.candidate_id,
        "sft_completion",
    ], "as the environment itself says"
    (table,) = [part for part in found["made_from"] if part["kind"] == "table"]
    assert path_to(table, "fix_corpus") == [
        "sft_checkpoint",
        "selected_trajectories",
        "rollouts",
        "swe_environments",
        "bug_candidates",
        "bug_model",
        "bug_training_set",
        "curated_reverse_patches",
        "fix_corpus",
    ], "as the tables say"
    (adapter,) = [one for one in nodes(found) if one["name"] == "sft_completion"]
    assert adapter["digest"] == chain.bugs
    assert adapter["facts"]["fixes"].splitlines() == list(FIXES)
    assert {one["state"] for one in nodes(found)} == {"current"}


def test_a_person_reads_each_step_once_and_what_it_was(
    call: Call, chain: Chain
) -> None:
    told = call("trace", chain.sft[:12])
    assert told.code == 0
    lines = [line.strip() for line in told.out.splitlines()]
    begun = [" ".join(line.split()[:2]) for line in lines]
    whole = [line for line in lines if not line.endswith("(as above)")]
    for name in ("environment tiny", "table bug_training_set", "table fix_corpus"):
        assert begun.count(name) >= 1, told.out
        assert sum(line.startswith(name) for line in whole) == 1, told.out
    (adapter,) = [
        line for line in lines if line.startswith("checkpoint sft_completion")
    ]
    assert f"fixes 2 x, {FIXES[0]}" in adapter
    assert any("inducer model" in line for line in lines)


def test_training_on_plays_is_followed_to_what_was_played(
    call: Call, chain: Chain
) -> None:
    found = json.loads(call("trace", chain.grpo, "--json").out)
    parts = [(part["kind"], part["name"]) for part in found["made_from"]]
    assert parts == [
        ("checkpoint", "sft_conversation"),
        ("environment", "tiny"),
        ("table", "grpo_checkpoint"),
    ]


def test_a_model_that_was_trained_anew_is_said_to_be_missing(
    call: Call, chain: Chain
) -> None:
    chain.keep("bug_model", [], CheckpointRow, (), "small")
    found = json.loads(call("trace", chain.sft[:12], "--json").out)
    missing = [one for one in nodes(found) if one["state"] == "missing"]
    assert [(one["kind"], one["name"], one["partition"]) for one in missing] == [
        ("checkpoint", "bug_model", "small")
    ]
    superseded = {one["name"] for one in nodes(found) if one["state"] == "superseded"}
    assert superseded == {"bug_model"}
