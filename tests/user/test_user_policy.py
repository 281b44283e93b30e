"""When the user speaks and what it does: by workspace and trace, never by request."""

import copy
import json

import pytest

from envplatform.errors import BundleError
from envplatform.user import UserPolicy, read_plan
from tests.user.made_plan import PLAN, entry, plan, scene

READ = entry("read", name="march.csv")


def test_signals_fire_once_each_in_their_order() -> None:
    user = UserPolicy(plan())
    seen = [
        user.react(scene()),
        user.react(scene(log=[READ])),
        user.react(scene(log=[READ])),
        user.react(scene({"draft.md": b"in EUR"}, [READ])),
        user.react(scene({"draft.md": b"in EUR"}, [READ])),
    ]
    assert [turn.signal for turn in seen] == [None, "replace", None, "tell_rate", None]
    assert seen[1].changes[0].new == "a\n2\n"
    assert seen[3].text == "One more thing: the rate is 1.17."
    assert seen[3].tells == ("rate",)
    assert [turn.is_over for turn in seen] == [False, False, False, False, True]


def test_a_user_that_is_asked_tells_nothing() -> None:
    """Only what was read and what is held counts; there is no way to pass words in."""
    user = UserPolicy(plan())
    for _ in range(4):
        turn = user.react(scene())
        assert turn.signal is None
        assert "1.17" not in turn.text


@pytest.mark.parametrize(
    "log",
    [
        [entry("read", name="april.csv")],
        [entry("read", name="march.csv", error="refused")],
        [{**READ, "by": "user"}],
        [entry("write", name="march.csv")],
        [{}],
    ],
)
def test_what_was_refused_or_done_by_others_does_not_count(
    log: list[dict[str, object]],
) -> None:
    assert UserPolicy(plan()).react(scene(log=log)).signal is None


def test_the_conversation_ends_at_its_last_turn() -> None:
    user = UserPolicy(plan(most_turns=2))
    assert [user.react(scene()).is_over for _ in range(2)] == [False, True]


def test_the_same_scenes_give_the_same_turns() -> None:
    scenes = [scene(), scene(log=[READ]), scene({"draft.md": b"EUR"}, [READ])]
    first, second = UserPolicy(plan()), UserPolicy(plan())
    assert [first.react(s) for s in scenes] == [second.react(s) for s in scenes]


def without(key: str) -> dict[str, object]:
    return {name: value for name, value in PLAN.items() if name != key}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (b"{", "the file"),
        (json.dumps(without("persona")).encode(), "persona"),
        (json.dumps({**PLAN, "facts": []}).encode(), "there is no fact rate"),
        (json.dumps({**PLAN, "facts": PLAN["facts"] * 2}).encode(), "fact owner stands twice"),
        (json.dumps({**PLAN, "signals": PLAN["signals"][1:]}).encode(), "there is no signal replace"),
        (json.dumps({**PLAN, "canaries": ["replaced"]}).encode(), "canary"),
        (json.dumps({**PLAN, "more": 1}).encode(), "more"),
        (json.dumps({**PLAN, "signals": [{"id": "x", "when": {"kind": "asked"}}]}).encode(), "signals.0.when"),
        (json.dumps({**PLAN, "signals": [{"id": "x", "when": {"kind": "turn", "at_least": 1}}]}).encode(), "neither says"),
    ],
)  # fmt: skip
def test_a_broken_plan_is_named(said: bytes, problem: str) -> None:
    with pytest.raises(BundleError, match=problem):
        read_plan(said)


def test_a_policy_tells_after_which_dispatches_it_could_do_something() -> None:
    quiet = copy.deepcopy(PLAN)
    for signal in quiet["signals"]:
        signal.pop("message")
        signal["changes"] = [{"path": "a", "action": "delete"}]
    policy = UserPolicy(read_plan(json.dumps(quiet).encode()))
    assert {("read", "march.csv"), ("write", ""), ("query", "")} <= policy.watches
    assert UserPolicy(read_plan(json.dumps(PLAN).encode())).watches == frozenset()
