"""`benchmark_scores`, `paired_evaluation`, `cost_ledger`: over stored rollouts, by the UI's way."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.evaluation import SET_ASIDE
from assets.rollout_tally import FAILED
from envplatform.evaluation.attempts import SetAside
from envplatform.evaluation.compared import ComparedRow
from envplatform.evaluation.costs import CostRow
from envplatform.evaluation.rates import RateRow
from envplatform.llm.ledger import LedgerRow
from envplatform.rollout.schedule import FailedAttempt
from envplatform.store import Input, Recipe, Store
from envplatform.trajectories import Trajectory
from tests.assets.made_rollouts import (
    DEPTH,
    ORIGIN,
    SEEDS,
    keep_rollouts,
    publish,
    rolled_out,
)
from tests.assets.runs import materialised, metadata

CONFIGURATION = """
[rollouts.base]
model = "m"
attempts = 2
[rollouts.trained]
model = "n"
attempts = 2
[rollouts.hot]
model = "n"
temperature = 1.0
attempts = 2
[rollouts.empty]
[selection.plain]
batches = ["base"]
[evaluation.depth]
batches = ["base", "trained"]
ks = [2, 8]
[evaluation.depth.compare]
kind = "transformed"
before = "base"
after = "base"
[evaluation.gain.compare]
kind = "training"
before = "base"
after = "trained"
[evaluation.unfair.compare]
kind = "training"
before = "base"
after = "hot"
[evaluation.halved.compare]
kind = "training"
before = "base"
after = "empty"
"""
Run = Callable[..., dg.ExecuteInProcessResult]


def base_rollouts() -> list[Trajectory]:
    """The root always, the first level once of two, the second never."""
    return [
        rolled_out(
            seed,
            depth,
            float(depth == 0 or (depth == 1 and number == 0)),
            number=number,
        )
        for seed in SEEDS
        for depth in range(DEPTH + 1)
        for number in range(2)
    ]


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    store: Store,
) -> Run:
    """Materialises assets of the group over what three batches left."""
    file = tmp_path / "envplatform.toml"
    file.write_text(CONFIGURATION)
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    publish(store)
    base = base_rollouts()
    keep_rollouts(store, "base", base)
    better = [replace(one, policy="n", reward=1.0) for one in base]
    keep_rollouts(store, "trained", better)
    keep_rollouts(store, "hot", better)
    instance.add_dynamic_partitions("res_seed", list(SEEDS))
    instance.add_dynamic_partitions("rollout_batch", ["base", "trained", "hot"])
    names = ["plain", "depth", "gain", "unfair", "halved", "gone"]
    instance.add_dynamic_partitions("experiment", names)
    job = build_definitions().resolve_job_def("benchmark_evaluation")

    def materialise(
        asset: str, partition: str | None = None
    ) -> dg.ExecuteInProcessResult:
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(asset)],
            partition_key=partition,
            raise_on_error=False,
        )

    return materialise


def scores(store: Store, experiment: str) -> dict[tuple[str, str, str], RateRow]:
    rows = store.rows(RateRow, "benchmark_scores", experiment)
    return {(one.policy, one.by, one.group): one for one in rows}


def test_solvers_are_scored_by_depth(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    assert run("benchmark_scores", "depth").success
    found = scores(store, "depth")
    whole = found["m", "whole", ""]
    assert (whole.tasks, whole.lineages, whole.attempts) == (6, 2, 12)
    assert whole.pass_at_1 == pytest.approx((1 + 0.5 + 0) / 3)
    assert [found["m", "depth", d].pass_at_1 for d in "012"] == [1.0, 0.5, 0.0]
    assert (whole.by_all, whole.by_none) == (2, 2)
    one, two, eight = whole.at_k
    assert one.pass_at == whole.pass_at_1
    assert two.pass_at == pytest.approx(2 / 3)
    assert two.pass_hat == pytest.approx(1 / 3)
    assert (eight.pass_at, eight.short) == (None, 6)
    assert found["n", "whole", ""].pass_at_1 == 1.0
    told = metadata(materialised(instance, "benchmark_scores")[-1])
    assert (told["attempts"], told["set aside"], told["solvers"]) == (24, 0, 2)
    assert (told["solved by all"], told["solved by none"]) == (2, 0)
    assert "image/svg+xml" in told["Pass@1 by depth"]
    assert "For k = 8 some tasks have fewer attempts" in told["by solver"]
    assert told["cached"] is False


def test_an_experiment_that_only_selects_is_scored_by_its_batches(
    run: Run, store: Store
) -> None:
    assert run("benchmark_scores", "plain").success
    assert {one for one, _, _ in scores(store, "plain")} == {"", "m"}


def test_what_says_nothing_is_kept_aside_and_what_can_not_be_stops_the_run(
    run: Run, store: Store
) -> None:
    broke = {"error_class": "ModelError", "ending": "infrastructure_error"}
    fine = base_rollouts()
    keep_rollouts(
        store, "base", [*fine, fine[0], rolled_out("ann", 0, None, number=7, **broke)]
    )
    assert run("benchmark_scores", "plain").success
    aside = store.rows(SetAside, SET_ASIDE, "plain")
    assert [one.reason for one in aside] == ["duplicate", "infrastructure_error"]
    assert scores(store, "plain")["m", "whole", ""].attempts == 12

    keep_rollouts(store, "base", [*fine, rolled_out("bob", 0, math.nan, number=9)])
    result = run("benchmark_scores", "plain")
    (check,) = result.get_asset_check_evaluations()
    assert not check.passed
    assert check.metadata["problems"].value == ["base: bob0.9: bad reward"]
    assert scores(store, "plain")["m", "whole", ""].solved == 6, "NaN is never 1"


def test_children_are_compared_with_their_roots(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    assert run("paired_evaluation", "depth").success
    whole, first, second = store.rows(ComparedRow, "paired_evaluation", "depth")
    assert (whole.tasks, whole.pairs, whole.lineages) == (4, 8, 2)
    assert (first.difference, second.difference) == (-0.5, -1.0)
    assert whole.difference == -0.75
    assert whole.low is not None
    assert whole.low <= -0.75 <= (whole.high or 0)
    told = metadata(materialised(instance, "paired_evaluation")[-1])
    assert told["held_against"] == "tool_loop by m in base"
    assert (told["pairs"], told["without a partner"]) == (8, 0)
    for picture in ("both sides by depth", "difference by depth"):
        assert "image/svg+xml" in told[picture]
    assert "| all | 4 | 2 | 8 | 100% | 25% | -75" in told["comparison"]


def test_before_and_after_training(run: Run, store: Store) -> None:
    result = run("paired_evaluation", "gain")
    assert result.success
    assert [one.passed for one in result.get_asset_check_evaluations()] == [True]
    whole = store.rows(ComparedRow, "paired_evaluation", "gain")[0]
    assert (whole.before, whole.after) == (
        "tool_loop by m in base",
        "tool_loop by n in trained",
    )
    assert whole.difference == pytest.approx(0.5)
    assert (whole.gained, whole.lost) == (4, 0)


@pytest.mark.parametrize(
    ("experiment", "asset", "told"),
    [
        ("unfair", "paired_evaluation", "sampling.temperature: 0.0 and 1.0"),
        ("halved", "paired_evaluation", "seeds: (0, 1) and (0,)"),
        ("gone", "paired_evaluation", "has no [evaluation.gone]; experiments: depth"),
        ("gone", "benchmark_scores", "has no [evaluation.gone]"),
    ],
)
def test_what_can_not_be_compared_says_why(
    run: Run, store: Store, experiment: str, asset: str, told: str
) -> None:
    assert not run(asset, experiment).success
    (failure,) = store.failures(asset)
    assert told in failure.message


def change(tmp_path: Path, old: str, new: str) -> None:
    file = tmp_path / "envplatform.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_batch_without_rollouts_is_named(
    run: Run, store: Store, tmp_path: Path
) -> None:
    change(tmp_path, '["base", "trained"]', '["base", "empty"]')
    assert not run("benchmark_scores", "depth").success
    (failure,) = store.failures("benchmark_scores")
    assert "batch 'empty' has no rollouts yet" in failure.message


def test_without_a_comparison_the_table_is_empty_and_says_so(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    assert run("paired_evaluation", "plain").success
    assert store.rows(ComparedRow, "paired_evaluation", "plain") == []
    told = metadata(materialised(instance, "paired_evaluation")[-1])
    assert "no [evaluation.plain.compare]" in told["fallbacks in effect"]


def test_no_partner_on_the_other_side(run: Run, store: Store) -> None:
    """Other environments, the same seeds."""
    keep_rollouts(store, "base", [rolled_out("ann", 0, 1.0)])
    keep_rollouts(store, "trained", [rolled_out("bob", 0, 1.0, policy="n")])
    assert not run("paired_evaluation", "gain").success
    (failure,) = store.failures("paired_evaluation")
    assert "of 1 attempts before and 1 after" in failure.message


def test_rollouts_of_another_solver_are_no_side(
    run: Run, store: Store, tmp_path: Path
) -> None:
    change(tmp_path, 'after = "trained"', 'after = "trained"\nafter_policy = "x"')
    assert not run("paired_evaluation", "gain").success
    (failure,) = store.failures("paired_evaluation")
    assert "no attempt of 'x' that counts; policies: n" in failure.message


def test_a_batch_that_was_changed_since_is_not_compared(run: Run, store: Store) -> None:
    """Its rollouts were made under another protocol than envplatform.toml now tells."""
    earlier = Input(asset="source:batch", partition=None, digest="0" * 64)
    store.write_rows(
        "rollouts",
        base_rollouts(),
        row_type=Trajectory,
        partition="base",
        origin=replace(ORIGIN, recipe=Recipe(inputs=(earlier,))),
    )
    assert not run("paired_evaluation", "gain").success
    (failure,) = store.failures("paired_evaluation")
    assert "[rollouts.base] has changed since" in failure.message


def called(**changes: object) -> str:
    row = LedgerRow(
        at="2026-01-01T00:00:00.000+00:00",
        model="m",
        asset="rollouts",
        purpose="base",
        prompt_tokens=90,
        completion_tokens=10,
        usd=0.5,
        seconds=2.0,
        retries=0,
        cached=False,
        error=None,
    )
    return json.dumps({**asdict(row), **changes})


def test_costs_count_failures_of_each_batch_and_calls_of_each_model(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    attempt = FailedAttempt(
        trajectory_id="t", attempt=1, error_class="ModelError", error="e"
    )
    for batch in ("base", "trained"):  # the same rollout failed in both
        store.write_rows(
            FAILED,
            [attempt],
            row_type=FailedAttempt,
            partition=batch,
            origin=ORIGIN,
        )
    ledger = store.home / "models" / "ledger.jsonl"
    ledger.parent.mkdir()
    lines = [
        called(),
        called(cached=True, usd=0.0),
        called(model="n", error="ModelError", prompt_tokens=0, completion_tokens=0),
        called(asset="run", usd=0.25),
        called(usd=math.nan),
        called(prompt_tokens=-5),
        "{ half a row",
    ]
    ledger.write_text("\n".join(lines))
    assert run("cost_ledger").success
    rows = store.rows(CostRow, "cost_ledger")
    found = {(one.scope, one.name, one.model): one for one in rows}
    whole = found["asset", "rollouts", ""]
    assert (whole.accepted, whole.failed) == (36, 2)
    assert (whole.calls, whole.replayed, whole.tokens, whole.usd) == (2, 1, 100, 1.0)
    assert whole.usd_each == pytest.approx(1.0 / 36)
    assert found["call", "rollouts", "n"].failed == 1
    assert found["model", "", "m"].usd == 0.75
    assert found["asset", "run", ""].usd_each is None, "it accepts nothing"
    assert found["artefact", "rollout", ""].tokens == 100
    told = metadata(materialised(instance, "cost_ledger")[-1])
    assert told["damaged lines of the ledger"] == 3
    assert "| rollouts | 36 | 2 |" in told["assets"]
    checks = run("cost_ledger").get_asset_check_evaluations()
    assert [one.passed for one in checks] == [True]


def test_nothing_costs_nothing(
    instance: dg.DagsterInstance,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "envplatform.toml").write_text("")
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(tmp_path / "envplatform.toml"))
    job = build_definitions().resolve_job_def("benchmark_evaluation")
    result = job.execute_in_process(
        instance=instance, asset_selection=[dg.AssetKey("cost_ledger")]
    )
    assert result.success
    assert store.rows(CostRow, "cost_ledger") == []
