"""What the verifier refuses: for each check a child that is broken in one way."""

import json
from collections.abc import Iterable
from dataclasses import replace

from envplatform.bundle import Dependency, Environment, View
from envplatform.res import checks
from envplatform.res.child import child_of
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.staged import staged
from envplatform.res.steps import Made, goes_round, made_by
from envplatform.res.trail import solution_with, trail_of
from envplatform.tree import File
from envplatform.user.shown import SHOWN
from tests.res.workspaces import environment

NAME = "books/ledger.csv"


def plan_waiting(operation: str) -> bytes:
    """A user that appends to a note once the ledger was asked for."""
    said = {
        "persona": {"name": "A", "role": "b"},
        "signals": [
            {
                "id": "one",
                "message": "m",
                "when": {"kind": "dispatched", "operation": operation, "name": NAME},
                "changes": [{"path": "f/a.txt", "action": "append", "new": "x 8\n"}],
            }
        ],
    }
    return json.dumps(said).encode()


def child(*steps: tuple[str, str], root: Environment | None = None) -> Environment:
    made = tuple(Step(operator=operator, name=name) for operator, name in steps)
    return child_of(
        root or environment(), TransformPlan(steps=made), seed=1, producer="hand"
    )


def said(found: Iterable[object]) -> str:
    return "\n".join(map(str, found))


def recovered(broken: Environment) -> str:
    trail = trail_of(broken)
    return said(checks.recovery(broken, trail, checks.session(broken, trail)))


def necessary(parent: Environment, broken: Environment) -> str:
    trail = trail_of(broken)
    had = checks.session(broken, trail)
    return said(checks.necessity(parent, broken, trail, had, 1))


def with_about(made: Environment, name: str, about: str) -> Environment:
    views = (
        replace(one, about=f"{one.about} {about}") if one.name == name else one
        for one in made.views
    )
    return replace(made, views=tuple(views))


def test_a_child_as_it_should_be_passes() -> None:
    root, made = environment(), child(("sharding", NAME), ("link_lookup", "notes"))
    assert said(checks.frozen(root, made)) == ""
    assert recovered(made) == necessary(root, made) == ""
    assert said(checks.path_gone(root, made)) == ""


def test_core_and_what_it_freezes_stay() -> None:
    root, made = environment(), child(("pagination", NAME))
    easier = replace(made, instruction="Do nothing.\n")
    assert (
        said(checks.frozen(root, easier)) == "frozen: instruction: is not the parent's"
    )
    kinder = replace(made, tests={"test.sh": File(b"exit 0\n")})
    assert "tests: are not the core's grader" in said(checks.frozen(root, kinder))
    forged = replace(made, served={**made.served, "l": File(b"other\n")})
    assert "ledger: is not held as the parent holds it" in said(
        checks.frozen(root, forged)
    )


def test_permissions_open_nothing_that_was_there() -> None:
    root, made = environment(), child(("pagination", NAME))
    writable = replace(made.permissions, writable_names=("stock",))
    refused = "frozen: permissions: are not at least the parent's"
    assert said(checks.frozen(root, replace(made, permissions=writable))) == refused
    calls = replace(made.permissions, calls=10**6)
    assert said(checks.frozen(root, replace(made, permissions=calls))) == refused
    fewer = replace(made.permissions, operations=("list", "read"))
    assert said(checks.frozen(root, replace(made, permissions=fewer))) == refused
    asking = replace(root.permissions, operations=("list", "query", "call"))
    closed = replace(root, permissions=asking)
    opened = child(("pagination", NAME), root=closed)
    assert "notes: offers read, which the parent does not permit" in said(
        checks.frozen(closed, opened)
    )


def test_what_a_user_waits_for_can_be_asked_or_is_known_to_be_had() -> None:
    root = replace(environment(), user={"plan.json": File(plan_waiting("read"))})
    for operator in ("sharding", "index_rebuild"):
        made = child((operator, NAME), root=root)
        assert said(checks.frozen(root, made)) == ""
        other = {**made.user, "plan.json": File(plan_waiting("search"))}
        assert said(checks.frozen(root, replace(made, user=other))) == (
            "frozen: user: is not the parent's"
            if operator == "index_rebuild"
            else "frozen: user: is not the parent's\n"
            f"frozen: {NAME}: the user waits for a search of it, not for its content"
        )


def test_what_a_user_changes_is_tried_as_it_is_then() -> None:
    root = replace(environment(), user={"plan.json": File(plan_waiting("read"))})
    made = child(("sharding", "notes"), root=root)
    trail = trail_of(made)
    assert not list(checks.changed(root, made, trail))
    less = {path: file for path, file in made.user.items() if path != SHOWN}
    assert said(checks.changed(root, replace(made, user=less), trail)) == (
        "changed: notes: once the user has done one: what is recovered differs"
    )


def test_what_does_not_come_back_is_named() -> None:
    made = child(("sharding", NAME))
    part = next(one for one in made.views if not one.listed)
    place = next(one.location for one in made.resources if one.name == part.source)
    bent = replace(made, served={**made.served, place: File(b"other\n")})
    assert recovered(bent) == f"recovery: {NAME}: what is recovered differs"
    less = replace(made, views=tuple(one for one in made.views if one is not part))
    assert f"recovery: {NAME}: " in recovered(less)


def test_a_way_back_may_only_use_what_is_told() -> None:
    made = child(("numeric_reencoding", NAME))
    note = next(one for one in made.views if ".codec-" in one.name)
    views = tuple(
        replace(one, listed=one.name != note.name, about="") for one in made.views
    )
    silent = replace(made, views=views)
    assert recovered(silent) == f"recovery: {note.name}: no reply tells {note.name!r}"


def test_documents_that_want_each_other_are_refused() -> None:
    """A part of what tells of a document must not open to that document's stamp."""
    linked = child(("link_lookup", NAME), ("sharding", NAME))
    handle = next(
        one.name for one in linked.views if one.source == "ledger" and not one.listed
    )
    places = {one.name: one.location for one in linked.resources}
    part = next(
        one.name
        for one in linked.views
        if not one.listed
        and one.name != handle
        and b'"links/' in linked.served[places[one.source]].data
    )
    stamped = child(("version_selection", handle), root=linked)
    log = next(one.name for one in stamped.views if ".releases-" in one.name)
    step = Step(operator="dependency_lookup", name=part, options={"on": log})
    before = Made(staged=staged(stamped), trail=trail_of(stamped))
    assert goes_round(made_by(before, step, 1), step)
    straight = Step(operator="dependency_lookup", name="notes", options={"on": log})
    assert not goes_round(made_by(before, straight, 1), straight)
    circular = child_of(stamped, TransformPlan(steps=(step,)), seed=1, producer="hand")
    assert recovered(stamped) == ""
    assert f"recovery: {handle}: no reply tells {handle!r}" in recovered(circular)


def test_a_needless_prerequisite_is_named() -> None:
    root, made = environment(), child(("sharding", NAME))
    edge = Dependency(view=NAME, needs="stock", kind="handle")
    idle = replace(made, dependencies=(*made.dependencies, edge))
    assert necessary(root, idle) == f"necessity: {NAME}: all is recovered without stock"


def test_a_gate_over_foreign_identifiers_wants_two_things() -> None:
    """The key is not looked for in the map of identifiers, wherever it is told."""
    root = child(("namespace_bridge", NAME))
    made = child(("dependency_lookup", NAME), root=root)
    assert necessary(root, made) == ""
    log = next(one.name for one in made.views if ".pass-" in one.name)
    assert necessary(made, child(("sharding", log), root=made)) == ""
    had = checks.session(made, trail_of(made))
    key = next(a["key"] for _, a in had.asked if "key" in a)
    leaky = with_about(made, "stock", f"By the way: {key}.")
    assert f"necessity: {NAME}: what it wants from {log} stands in" in necessary(
        root, leaky
    )


def test_what_is_told_elsewhere_is_not_needed() -> None:
    root, made = (
        environment(),
        child(("dependency_lookup", NAME), ("sharding", "notes")),
    )
    had = checks.session(made, trail_of(made))
    key = next(a["key"] for _, a in had.asked if "key" in a)
    leaky = with_about(made, "stock", f"By the way: {key}.")
    assert f"necessity: {NAME}: what it wants from " in necessary(root, leaky)
    hidden = next(one.name for one in made.views if not one.listed)
    leaky = with_about(made, "stock", f"See {hidden}.")
    assert f"necessity: {hidden}: what it wants from notes stands in" in necessary(
        root, leaky
    )
    assert "stands in" in necessary(made, leaky), "an inherited edge is told of too"


def test_the_old_way_must_be_gone_by_whatever_operation() -> None:
    root = environment()
    made = child(("sharding", NAME), ("sharding", "stock"), ("sharding", "orders"))
    for name in (NAME, "stock", "orders"):
        old = next(one for one in root.views if one.name == name)
        views = tuple(old if one.name == name else one for one in made.views)
        told = said(checks.path_gone(root, replace(made, views=views)))
        assert f"path_gone: {name}: is still had as in the parent" in told


def test_the_content_must_not_be_open_at_another_name() -> None:
    root, made = environment(), child(("sharding", NAME))
    copy = View(name="copy.csv", kind="content", source="ledger")
    open_copy = replace(made, views=(*made.views, copy))
    assert said(checks.path_gone(root, open_copy)) == (
        f"path_gone: {NAME}: is shown by copy.csv"
    )


def test_private_plans_are_not_to_be_seen() -> None:
    root, made = environment(), child(("sharding", NAME))
    told = with_about(made, NAME, f"Made by {made.lineage.bindings['01']}")
    assert "is private, and can be seen" in said(checks.path_gone(root, told))
    before = replace(root, instruction="Write recovery.json.\n")
    again = replace(made, instruction="Write recovery.json.\n")
    assert said(checks.path_gone(before, again)) == ""


def test_a_second_session_that_goes_otherwise_is_named() -> None:
    made = child(("sharding", NAME))
    trail = trail_of(made)
    had = checks.session(made, trail)
    assert said(checks.reset(made, trail, had)) == ""
    had.log = "0"
    assert said(checks.reset(made, trail, had)) == "reset: a second session differs"


def test_an_oracle_keeps_its_root_script() -> None:
    made = child(("sharding", NAME))
    again = solution_with(made, trail_of(made), live=())
    assert again == made.solution
    assert again["solve_root.sh"] == environment().solution["solve.sh"]
