"""Children of environments with a user: what it changes is changed where it lies now."""

import json
from dataclasses import replace

import pytest

from envplatform.bundle import Environment, core_digest, environment_digest
from envplatform.errors import PlanError
from envplatform.res import checks
from envplatform.res.child import child_of
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.primitives import primitive_names
from envplatform.res.staged import staged
from envplatform.res.trail import trail_of
from envplatform.tree import File
from envplatform.user.shown import SHOWN
from envplatform.user.sidecar import read_user
from tests.res.workspaces import environment

NAME = "books/ledger.csv"
Said = dict[str, object]
READ: Said = {"kind": "dispatched", "operation": "read", "name": NAME}


def change(path: str, action: str, old: str = "", new: str = "") -> Said:
    return {"path": path, "action": action, "old": old, "new": new}


EDIT = change("l", "edit", "75,paid twice", "76,paid thrice")
MORE = change("l", "append", new="A-105,quay_side,8,sent back\n")
NOTE = change("f/c.txt", "create", new="epsilon zeta 3\n")


def root_with(*signals: tuple[str, Said, list[Said]]) -> Environment:
    plan = {
        "persona": {"name": "A", "role": "b"},
        "signals": [
            {"id": name, "when": when, "message": "m", "changes": changes}
            for name, when, changes in signals
        ],
    }
    return replace(environment(), user={"plan.json": File(json.dumps(plan).encode())})


def child(root: Environment, *steps: tuple[str, str]) -> Environment:
    made = tuple(Step(operator=operator, name=name) for operator, name in steps)
    return child_of(root, TransformPlan(steps=made), seed=3, producer="hand")


@pytest.mark.parametrize(
    "operator", [one for one in primitive_names() if one != "archive_view"]
)
def test_what_is_changed_comes_back_changed(operator: str) -> None:
    """Two levels deep."""
    root = root_with(("one", READ, [EDIT, MORE]), ("two", READ, [NOTE]))
    first = child(root, (operator, NAME))
    second = child(first, ("link_lookup", "notes"))
    for parent, made in ((root, first), (first, second)):
        assert not list(checks.frozen(parent, made))
        assert not list(checks.changed(parent, made, trail_of(made)))
        assert made.user["plan.json"] == root.user["plan.json"]
        assert core_digest(made.core) == core_digest(root.core)
    everything = staged(second).twins[frozenset({"one", "two"})]
    assert everything.served["l"].data.endswith(b"sent back\n")
    had = checks.session(everything, trail_of(second))
    assert had.contents[NAME] == everything.served["l"].data
    assert json.loads(had.contents["notes"])["c.txt"] == NOTE["new"]
    again = child(child(root, (operator, NAME)), ("link_lookup", "notes"))
    assert environment_digest(again) == environment_digest(second)


def test_an_archive_holds_no_text_that_a_change_could_write() -> None:
    root = root_with(("one", READ, [EDIT]))
    with pytest.raises(PlanError, match="signal one would change is no text"):
        child(root, ("archive_view", NAME))


def test_one_change_after_the_other_is_told_apart() -> None:
    after: Said = {"kind": "fired", "signal": "one"}
    root = root_with(("two", after, [MORE]), ("one", READ, [EDIT]))
    made = child(root, ("numeric_reencoding", NAME))
    told = {one.id: one.changes[-1] for one in read_user(made.user).signals}
    assert told["one"].path == told["two"].path
    assert "thrice" in told["one"].new
    assert "sent back" not in told["one"].new
    assert "thrice" in told["two"].new
    assert "sent back" in told["two"].new


def test_changes_in_any_order_that_meet_in_one_file_are_refused() -> None:
    root = root_with(("one", READ, [EDIT]), ("two", READ, [MORE]))
    with pytest.raises(PlanError, match="signals one and two change the same"):
        child(root, ("numeric_reencoding", NAME))
    assert child(root, ("pagination", NAME)).user.keys() == {"plan.json", SHOWN}


def test_a_change_that_takes_other_names_is_refused() -> None:
    root = root_with(("one", READ, [change("l", "overwrite", new="ab")]))
    step = Step(operator="sharding", name=NAME, options={"parts": 5})
    with pytest.raises(PlanError, match=r"done one: sharding .* take other names"):
        child_of(root, TransformPlan(steps=(step,)), seed=1, producer="hand")


def test_a_change_that_the_agent_has_to_make_room_for_closes_its_resource() -> None:
    wanted = change("l", "edit", "not there yet", "x")
    root = root_with(("one", READ, [wanted]))
    with pytest.raises(PlanError, match="what signal one changes there depends on"):
        child(root, ("sharding", NAME))
    assert child(root, ("sharding", "stock"))


def test_a_user_that_changes_nothing_of_it_waits_for_what_carries_it() -> None:
    root = root_with(("one", READ, [change("x", "create", new="y")]))
    made = child(root, ("sharding", NAME), ("export_preparation", NAME))
    told = json.loads(made.user[SHOWN].data)
    parts = [one.name for one in made.views if not one.listed]
    assert told["changes"] == {}
    assert [one["name"] for one in told["asked"][NAME]] == sorted(parts)
