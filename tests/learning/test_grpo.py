"""GRPO in both of TRL's ways, over a player in memory whose verdicts are known."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from envplatform.errors import StudentError, TrainingError
from envplatform.learning.online.rewards import Verdict, components, verdict_of
from envplatform.learning.training.checkpoint import read_checkpoint
from envplatform.llm.chat import Message
from envplatform.trajectories import Trajectory
from envplatform.trajectories.playing import PlayerOrder
from tests.learning.made_online import by_length, order, plays_of, train
from tests.learning.made_plays import EchoPlays, record, row


def moved(result: Path) -> bool:
    weights = load_file(result / "adapter" / "adapter_model.safetensors")
    return any(
        bool(torch.count_nonzero(weight))
        for name, weight in weights.items()
        if "lora_B" in name
    )


def test_the_reward_is_a_geometric_mean_and_zero_where_either_side_is() -> None:
    assert Verdict(code=0.25, judge=1.0).reward() == 0.5
    assert Verdict(code=0.25, judge=1.0).reward(0.75) == pytest.approx(0.25**0.75)
    assert Verdict(code=1.0, judge=0.0).reward() == 0.0
    assert Verdict(code=0.0, judge=1.0).reward() == 0.0
    assert Verdict(code=0.7).reward() == 0.7
    assert Verdict(code=None, judge=1.0).reward() is None
    for wrong in (float("nan"), float("inf"), -0.1, 1.1):
        with pytest.raises(StudentError, match="no number of 0 to 1"):
            Verdict(code=1.0, judge=wrong).reward()
    with pytest.raises(StudentError, match="code_weight"):
        Verdict(code=1.0).reward(1.0)


def test_only_what_the_policy_did_counts_against_it() -> None:
    assert verdict_of(record(0.5, judge=0.5)) == Verdict(code=0.5, judge=0.5)
    assert verdict_of(record(None)) == Verdict(code=0.0), "left nothing to grade"
    assert verdict_of(record(None, error="SandboxError")) == Verdict(code=None)
    assert verdict_of(None) == Verdict(code=None)
    found = components([Verdict(code=1.0, judge=0.25), Verdict(code=None)], 0.5)
    assert found == {
        "verifiers/reward": 0.5,
        "verifiers/code": 1.0,
        "verifiers/judge": 0.25,
        "verifiers/unknown": 1.0,
    }


@pytest.mark.parametrize("style", ["environment_factory", "rollout_func"])
def test_either_way_trains_on_rows_that_reach_who_plays(
    tmp_path: Path, style: str
) -> None:
    plays = plays_of()
    result, told = train(
        order(tmp_path, settings={"style": style}), tmp_path / "w", plays
    )
    record_ = read_checkpoint(result).record
    assert record_.kind == "grpo"
    assert record_.facts["style"] == style
    assert len(record_.losses) == record_.steps == 2
    begun = [(one.digest, one.seed) for one in plays.begun]
    assert sorted(begun) == sorted([("a", 0), ("b", 0)] * 4)
    for start in range(0, len(begun), 2):
        assert len(set(begun[start : start + 2])) == 1, "groups are neighbours"
    assert [len(step) for step in record_.examples] == [2, 2]
    figures = [one.figures for one in record_.components]
    assert all({"verifiers/code", "verifiers/reward"} <= one.keys() for one in figures)
    assert record_.trained_tokens > 0
    assert record_.tokens > record_.trained_tokens
    assert moved(result)
    assert [one["event"] for one in told][-1] == "published"


def test_nothing_is_learnt_where_either_verifier_gives_zero_to_all(
    tmp_path: Path,
) -> None:
    def spoilt(message: Message) -> Trajectory:
        return (
            record(1.0, judge=0.0)
            if len(message.content) % 2
            else record(0.0, judge=1.0)
        )

    plays = EchoPlays(ends=lambda _: True, rewards=spoilt)
    result, _ = train(
        order(tmp_path, settings={"style": "rollout_func"}), tmp_path / "w", plays
    )
    figures = [one.figures for one in read_checkpoint(result).record.components]
    assert [one["verifiers/reward"] for one in figures] == [0.0, 0.0]
    assert not moved(result)


def test_a_play_that_failed_has_no_part_in_its_group(tmp_path: Path) -> None:
    plays = EchoPlays(ends=lambda _: True, rewards=by_length, lost={"b"})
    for style in ("rollout_func", "environment_factory"):
        result, _ = train(
            order(tmp_path, settings={"style": style}), tmp_path / style, plays
        )
        figures = [one.figures for one in read_checkpoint(result).record.components]
        assert [one["verifiers/unknown"] for one in figures] == [2.0, 2.0]


def test_a_speaking_user_or_a_template_without_tools_decides_the_way(
    tmp_path: Path,
) -> None:
    spoken = (row("a", has_user=True), row("b"))
    result, _ = train(order(tmp_path, spoken), tmp_path / "auto", plays_of())
    assert read_checkpoint(result).record.facts["style"] == "rollout_func"
    with pytest.raises(TrainingError, match="a user speaks"):
        train(
            order(tmp_path, spoken, settings={"style": "environment_factory"}),
            tmp_path / "w",
            plays_of(),
        )


def test_a_template_without_tools_is_told_what_to_do(tmp_path: Path) -> None:
    plain = tmp_path / "plain.jinja"
    plain.write_text(
        "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + m.content "
        "+ '<|im_end|>\\n' }}{%- endfor %}"
    )
    with pytest.raises(TrainingError, match="tool_loop_fenced"):
        train(order(tmp_path, template=plain), tmp_path / "w", plays_of())
    rows = tuple(replace(one, tools=()) for one in (row("a"), row("b")))
    fenced = PlayerOrder(home=tmp_path, policy="t", dialect="tool_loop_fenced")
    result, _ = train(
        order(tmp_path, rows, template=plain, settings={"plays": fenced}),
        tmp_path / "fenced",
        plays_of(),
    )
    assert read_checkpoint(result).record.facts["style"] == "rollout_func"


def test_rows_without_room_are_counted_and_an_empty_set_is_refused(
    tmp_path: Path,
) -> None:
    long = Message(role="user", content="where is it " * 200)
    rows = (row("a"), row("b"), replace(row("c"), prompt=(long,)))
    result, _ = train(order(tmp_path, rows), tmp_path / "w", plays_of())
    left = read_checkpoint(result).record.left_out
    assert [(one.row_id, one.reason) for one in left] == [("c", "over_length")]
    with pytest.raises(TrainingError, match="give more rows"):
        train(order(tmp_path, rows[2:]), tmp_path / "none", plays_of())
    with pytest.raises(TrainingError, match="no rows"):
        train(order(tmp_path, ()), tmp_path / "empty", plays_of())
    with pytest.raises(TrainingError, match="no whole groups of 3"):
        train(
            order(tmp_path, rows, settings={"group": 3}), tmp_path / "three", plays_of()
        )


def test_a_group_that_drifts_is_refused(tmp_path: Path) -> None:
    for style in ("rollout_func", "environment_factory"):
        drifting = EchoPlays(ends=lambda _: True, drifts=True)
        with pytest.raises(TrainingError, match="one state"):
            train(
                order(tmp_path, settings={"style": style}), tmp_path / style, drifting
            )


def test_without_a_gpu_a_gpu_is_refused(tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(TrainingError, match="a GPU is asked for"):
        train(order(tmp_path, device="cuda"), tmp_path / "w", plays_of())


def test_with_a_reference_the_adapter_alone_is_published(tmp_path: Path) -> None:
    first, _ = train(order(tmp_path), tmp_path / "first", plays_of())
    second, _ = train(
        order(tmp_path, parent=first, settings={"beta": 0.1}),
        tmp_path / "second",
        plays_of(),
    )
    published = read_checkpoint(second)
    assert published.record.parent == read_checkpoint(first).digest
    assert sorted(path.name for path in (second / "adapter").iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
    ]
