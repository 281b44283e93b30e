"""The explorer meets the user inside: what it changes and tells is evidence like any other."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from envplatform.bundle import Environment
from envplatform.res.child import child_of
from envplatform.res.plan import Step, TransformPlan
from envplatform.rollout import ExplorerHarness
from envplatform.rollout.explorer import acquired_of, attempt, explore, searched
from envplatform.rollout.explorer.heard import as_heard, left_by_user
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.trajectories import RolloutLimits
from envplatform.tree import File
from envplatform.user.plan import Persona, Plan, Signal, WorkspaceChange
from envplatform.user.predicates import Turned
from envplatform.user.sidecar import plan_files, read_user
from envplatform.ws import Reply, Request
from tests.res.test_children_with_users import PLANS
from tests.res.test_verifier import root_of
from tests.rollout.test_explorer import environment, view

ENOUGH = 200
CHANGED = "west/stock.csv"


def with_user(*signals: Signal, **files: bytes) -> Environment:
    plan = Plan(persona=Persona(name="Ina Roth", role="clerk"), signals=signals)
    where = environment(files, view("content"))
    operations = (*where.permissions.operations, "say")
    return replace(
        where,
        user=plan_files(plan),
        permissions=replace(where.permissions, operations=operations),
    )


def at_turn(number: int, **said: object) -> Signal:
    signal = Signal(
        id=f"at_{number}", when=Turned(kind="turn", at_least=number), message="So."
    )
    return signal.model_copy(update=said)


CHANGE = WorkspaceChange(path="x", action="overwrite", new="new")


@pytest.mark.parametrize("seed", PLANS)
def test_the_user_of_a_seed_is_met_and_of_its_children(
    seed: str, bare_image: Image
) -> None:
    root = child = root_of(seed, bare_image)
    name, *operators = PLANS[seed]
    for operator in ("", *operators):
        if operator:
            plan = TransformPlan(steps=(Step(operator=operator, name=name),))
            child = child_of(child, plan, seed=2, producer="hand")
        found = searched(child, turns=ENOUGH)
        assert not found.is_exhausted
        signals = {one.id for one in read_user(root.user).signals}
        assert {*found.fired} == signals
        assert acquired_of(root, found, child=child).missing == ()


def test_who_does_not_read_again_has_what_was_true_before(bare_image: Image) -> None:
    root = root_of("inventory_merge", bare_image)
    for operators in ((), PLANS["inventory_merge"][1:]):
        child = root
        for operator in operators:
            plan = TransformPlan(steps=(Step(operator=operator, name=CHANGED),))
            child = child_of(child, plan, seed=2, producer="hand")
        turns = max(
            n for n in range(1, 60) if searched(child, turns=n).fired == ("recount",)
        )
        found = searched(child, turns=turns)
        had = acquired_of(root, found, child=child)
        assert found.is_exhausted
        assert had.missing == (CHANGED,)
        assert had.served[CHANGED].data == root.served[CHANGED].data
        assert had.left[CHANGED].data != root.served[CHANGED].data


async def test_it_passes_with_all_that_the_user_changes_and_tells_and_else_fails(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    root = root_of("inventory_merge", bare_image)
    whole = await attempt(bubblewrap, root, root=root, image=bare_image, turns=ENOUGH)
    assert whole.passed, whole.grading
    signals = [one.id for one in read_user(root.user).signals]
    unheard = next(
        n
        for n in range(1, ENOUGH)
        for found in [searched(root, turns=n)]
        if not acquired_of(root, found).missing and "drum_size" not in found.fired
    )
    for turns in (unheard, 3):
        less = await attempt(bubblewrap, root, root=root, image=bare_image, turns=turns)
        assert len(less.explored.fired) < len(signals)
        assert less.grading.reward is not None
        assert not less.passed


async def test_a_level_is_solved_with_its_user_in_it(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    root = root_of("survey_analysis", bare_image)
    name, operator, _ = PLANS["survey_analysis"]
    plan = TransformPlan(steps=(Step(operator=operator, name=name),))
    child = child_of(root, plan, seed=2, producer="hand")
    whole = await attempt(bubblewrap, child, root=root, image=bare_image, turns=ENOUGH)
    assert whole.passed, whole.grading
    few = whole.explored.turns - 3
    part = await attempt(bubblewrap, child, root=root, image=bare_image, turns=few)
    assert not part.passed


async def test_a_rollout_of_it_records_what_the_user_did_in_the_search(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    root = root_of("inventory_merge", bare_image)
    limits = RolloutLimits(turns=ENOUGH, tool_calls=2000)
    one = await ExplorerHarness(bubblewrap).run(root, None, limits, image=bare_image)
    here = searched(root, turns=ENOUGH)
    assert one.reward == 1
    told = [turn.signal for turn in one.user_turns if turn.signal]
    assert tuple(told) == here.fired
    asked = [call.name for step in one.steps for call in step.message.tool_calls]
    assert len(asked) == here.calls
    assert asked.count("ws_say") == 3


def test_what_was_not_said_in_the_search_is_not_said_afterwards() -> None:
    where = with_user(
        at_turn(1, message="It is twelve."), at_turn(2, changes=(CHANGE,)), x=b"old"
    )
    first, second = read_user(as_heard(where, ["at_1"], ["x"])).signals
    assert first.message == "It is twelve."
    assert second.message == read_user(where.user).idle[0]
    assert second.changes == ()
    (quiet,) = read_user(
        as_heard(
            with_user(at_turn(1, message="", changes=(CHANGE,)), x=b"old"), [], "x"
        )
    ).signals
    assert [one.new for one in quiet.changes] == [""]


def test_what_a_user_need_not_do_is_expected_of_nobody() -> None:
    optional = with_user(at_turn(9, changes=(CHANGE,), required=False), x=b"old")
    assert left_by_user(optional, [])["x"].data == b"old"
    assert left_by_user(optional, ["at_9"])["x"].data == b"new"
    required = with_user(at_turn(9, changes=(CHANGE,)), x=b"old")
    assert left_by_user(required, [])["x"].data == b"new"
    assert acquired_of(required, searched(required, turns=1)).missing == ("x",)


def test_what_comes_new_and_what_goes_is_seen() -> None:
    gone = WorkspaceChange(path="x", action="delete")
    where = with_user(at_turn(1, changes=(gone,)), x=b"old")
    had = acquired_of(where, searched(where, turns=ENOUGH))
    assert (had.missing, dict(had.left)) == ((), {})
    assert had.served["x"].data == b"old"


def told(answers: Mapping[int, str]) -> tuple[Callable[[Request], Reply], list[str]]:
    """A user who answers by the number of the message, and one document."""
    said: list[str] = []

    def ask(request: Request) -> Reply:
        if request.operation == "list":
            return Reply(data={"names": [{"name": "a", "offers": ["read"]}]})
        if request.operation == "read":
            return Reply(content=b"text")
        said.append(request.operation)
        message = answers.get(len(said), "Nothing new.")
        return Reply(
            data={"user_message": message, "conversation_over": False, "turn": 1}
        )

    return ask, said


def test_it_stops_talking_to_somebody_who_has_nothing_new() -> None:
    ask, said = told({1: "First.", 2: "Second."})
    found = explore(ask, turns=ENOUGH, hears=True)
    assert said == ["say"] * 4
    assert not found.is_exhausted
    few = explore(told({1: "First."})[0], turns=found.turns - 4, hears=True)
    assert few.is_exhausted


def test_it_says_nothing_where_nobody_hears() -> None:
    ask, said = told({})
    explore(ask, turns=ENOUGH)
    assert said == []


def test_an_unshown_file_is_nobodys_evidence() -> None:
    change = WorkspaceChange(path="desk/note", action="overwrite", new="new")
    where = with_user(at_turn(9, changes=(change,)), x=b"old")
    where = replace(where, served={**where.served, "desk/note": File(b"1")})
    assert acquired_of(where, searched(where, turns=ENOUGH)).missing == ()
