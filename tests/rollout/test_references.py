"""The oracle's work through an agent's tools, spoilt, searched, replayed and judged."""

import asyncio
import math
import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import ConfigError
from envplatform.rollout import (
    PERTURBATIONS,
    ExplorerHarness,
    Harness,
    OracleHarness,
    Perturbation,
    RecordedHarness,
    ReferenceHarness,
    RolloutLimits,
)
from envplatform.rollout.perturbations import perturbed
from envplatform.rollout.reference import grouped
from envplatform.rollout.script import Said, Script
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.trajectories import (
    DIMENSIONS,
    Score,
    Standards,
    Threshold,
    Trajectory,
    differences,
    faults,
    funnel,
    verdicts,
)
from tests.rollout.made_tasks import table_task
from tests.rollout.tiny import IMAGE, tiny_environment, without_tools

Found = Mapping[str, Trajectory]


async def ran(harness: Harness) -> Trajectory:
    return await harness.run(table_task(), None, RolloutLimits(), image=IMAGE)


async def all_ran(provider: BubblewrapProvider) -> dict[str, Trajectory]:
    """Each perturbation, then the oracle and the explorer."""
    references: dict[str, Harness] = {
        name: ReferenceHarness(provider, perturbation=name) for name in PERTURBATIONS
    }
    harnesses: dict[str, Harness] = {
        **references,
        "oracle": OracleHarness(provider),
        "explorer": ExplorerHarness(provider),
    }
    found = await asyncio.gather(*map(ran, harnesses.values()))
    return dict(zip(harnesses, found, strict=True))


@pytest.fixture(scope="module")
def found(bubblewrap: BubblewrapProvider) -> Found:
    """Rollouts in `table_task`, in real sandboxes."""
    return asyncio.run(all_ran(bubblewrap))


def test_the_reference_does_what_the_oracle_does(found: Found) -> None:
    one = found["none"]
    tools = [outcome.tool for step in one.steps for outcome in step.outcomes]
    assert tools == ["ws_read", "ws_say", "ws_read", "shell", "submit"]
    assert (one.ending, one.reward) == ("submitted", 1.0)
    assert (one.harness, one.policy) == ("reference", "reference")
    assert [claim.holds for claim in one.claims] == [True]
    (turn,) = one.user_turns
    assert turn.patches[0].names == ("table", "all/table.csv")
    by = [(each.by, each.operation) for each in one.dispatches]
    expected = [
        ("agent", "read"),
        ("user", "patch"),
        ("agent", "say"),
        ("agent", "read"),
    ]
    assert by == expected
    heard = [outcome.user_turns for step in one.steps for outcome in step.outcomes]
    assert heard == [0, 1, 1, 1, 1]
    assert one.dispatches == found["oracle"].dispatches
    assert one.final_state == found["oracle"].final_state


@pytest.mark.parametrize(
    ("how", "reasons"),
    [
        ("none", []),
        ("oracle", []),
        ("skip_step", ["low_reward", "false_claim", "not_redone"]),
        ("ignore_patch", ["ignored_patch"]),
        ("false_claim", ["false_claim"]),
        (
            "truncate",
            ["truncated_answer", "not_submitted", "low_reward", "ignored_patch"],
        ),
        ("give_up", ["gave_up_on_error"]),
        ("overfill", ["ungraded"]),
        ("lose_reply", ["unanswered_call"]),
        ("misled", ["user_mistake"]),
        ("broken_call", ["malformed_call"]),
    ],
)
def test_validity_finds_what_was_spoilt(
    found: Found, how: str, reasons: list[str]
) -> None:
    assert list(dict.fromkeys(faults(found[how], Standards()))) == reasons


def test_a_wrong_tool_is_told(found: Found) -> None:
    """Which call it is, the seed decides; this one is seen in the record at least."""
    assert "unknown_tool" in set(faults(found["wrong_tool"], Standards()))
    assert found["wrong_tool"].policy == "reference+wrong_tool"


def test_the_funnel_of_all(found: Found) -> None:
    spoilt = [found[name] for name in PERTURBATIONS]
    judged = [verdict for _, verdict in verdicts([*spoilt, spoilt[0]], Standards())]
    counted = funnel(judged)
    assert counted.counts == (
        ("all", 12),
        ("record", 6),
        ("outcome", 4),
        ("claims_and_recovery", 1),
    )
    assert dict(counted.reasons)["duplicate"] == 1


def test_every_reason_occurs_but_what_is_never_kept(found: Found) -> None:
    """An attempt that the machine failed is no rollout: `Schedule` stores none."""
    asked = Standards(claims="required", scores=(Threshold(criterion="c", score=1),))
    none = replace(found["none"], steps=(), claims=())
    worse = replace(found["none"], scores=(Score(criterion="c", score=0.5),))
    every = [*(found[name] for name in PERTURBATIONS), none, worse]
    told = {
        reason
        for _, verdict in verdicts([*every, every[0]], asked)
        for reason in verdict.reasons
    }
    named = {reason for _, reasons in DIMENSIONS for reason in reasons}
    assert named - told == {"infrastructure_error"}


def test_a_reward_that_is_no_number_is_not_enough(found: Found) -> None:
    asked = Standards(scores=(Threshold(criterion="c", score=0.5),))
    odd = replace(
        found["none"], reward=math.nan, scores=(Score(criterion="c", score=math.nan),)
    )
    assert list(faults(odd, asked)) == ["low_reward", "low_score"]


def test_the_explorer_searches_and_the_solution_solves(found: Found) -> None:
    one = found["explorer"]
    assert (one.harness, one.policy) == ("explorer", "explorer")
    assert {outcome.tool for step in one.steps for outcome in step.outcomes} >= {
        "ws_list",
        "ws_read",
    }
    assert len(one.dispatches) >= len(one.steps)
    assert one.reward is not None


async def test_a_replay_comes_to_the_same_but_for_what_was_forged(
    bubblewrap: BubblewrapProvider, found: Found
) -> None:
    recorded = found["none"]
    first = recorded.steps[0]
    reply = replace(first.replies[0], content="id,cents\n1,999\n")
    forged = replace(
        recorded,
        steps=(replace(first, replies=(reply,)), *recorded.steps[1:]),
        reward=0.5,
    )
    again, oracle = await asyncio.gather(
        ran(RecordedHarness(bubblewrap, recorded)),
        ran(RecordedHarness(bubblewrap, found["oracle"])),
    )
    assert differences(recorded, again) == ()
    assert differences(found["oracle"], oracle) == ()
    assert (again.harness, again.policy) == ("recorded", "reference")
    told = differences(forged, again)
    assert [line.partition(":")[0] for line in told] == ["step 1", "reward"]
    shorter = replace(recorded, steps=recorded.steps[:2])
    assert differences(recorded, shorter) == ("5 steps became 2",)


async def test_where_a_harness_can_not_act_it_is_said(
    bubblewrap: BubblewrapProvider, found: Found
) -> None:
    ignoring = ReferenceHarness(bubblewrap, perturbation="ignore_patch")
    tiny = tiny_environment()
    for environment, harness, why in (
        (tiny, ignoring, "no user inside"),
        (without_tools(tiny), ReferenceHarness(bubblewrap), "no shell"),
        (tiny, ExplorerHarness(bubblewrap), "nothing is served"),
        (tiny, RecordedHarness(bubblewrap, found["none"]), "recorded in table-task"),
        (tiny, RecordedHarness(bubblewrap, found["explorer"]), "no whole rollout"),
    ):
        with pytest.raises(ConfigError, match=why):
            await harness.run(environment, None, RolloutLimits(), image=IMAGE)


SAID = st.builds(
    Said,
    tool=st.sampled_from(["ws_read", "ws_say", "ws_write", "shell"]),
    arguments=st.just("{}"),
    is_delivery=st.booleans(),
)
SUBMIT = Said(tool="submit", arguments='{"claims": []}')


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    calls = draw(st.lists(SAID, max_size=12))
    patched_at = draw(st.none() | st.integers(0, len(calls)))
    return Script(calls=(*calls, SUBMIT), patched_at=patched_at)


@given(script=scripts(), turns=st.integers(1, 30))
def test_all_calls_are_made_in_order_and_fit_the_turns(
    script: Script, turns: int
) -> None:
    groups = list(grouped(script, turns))
    assert [call for group in groups for call in group] == list(script.numbered())
    assert len(groups) <= max(turns, 2)


@given(
    script=scripts(),
    perturbation=st.sampled_from([one for one in PERTURBATIONS if one != "none"]),
    seed=st.integers(0, 9),
)
def test_a_spoilt_script_differs_or_there_was_nothing_to_spoil(
    script: Script, perturbation: Perturbation, seed: int
) -> None:
    one, other = (
        perturbed(script, perturbation, random.Random(seed))  # noqa: S311  no secret
        for _ in "ab"
    )
    assert one == other, "the same seed spoils the same"
    if one is not None and perturbation not in ("ignore_patch", "misled"):
        assert one.is_cut or one.loses or one.script != script


def test_every_reason_belongs_to_one_dimension() -> None:
    named = [reason for _, reasons in DIMENSIONS for reason in reasons]
    assert len(named) == len(set(named)) == 17
