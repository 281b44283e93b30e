"""What a child adds to its user: changes of made files, and what reading a name takes."""

import json

import pytest

from envplatform.errors import BundleError
from envplatform.tree import File
from envplatform.user import Plan, Scene, holds, read_plan
from envplatform.user.order import must_precede
from envplatform.user.shown import SHOWN
from envplatform.user.sidecar import PLAN, read_user, read_written

Said = dict[str, object]
WAITING: Said = {"kind": "dispatched", "operation": "read", "name": "book"}
PART: Said = {"operation": "read", "name": "vault/1", "arguments": {}, "at_least": 2}


def plan_of(*signals: Said) -> bytes:
    persona = {"name": "A", "role": "b"}
    return json.dumps({"persona": persona, "signals": signals}).encode()


def signal(name: str, when: Said) -> Said:
    change = {"path": "book.md", "action": "edit", "old": "1", "new": "2"}
    return {"id": name, "when": when, "changes": [change]}


def user_of(shown: object, when: Said = WAITING) -> Plan:
    files = {
        PLAN: File(plan_of(signal("one", when))),
        SHOWN: File(json.dumps(shown).encode()),
    }
    assert read_written(files) == read_plan(files[PLAN].data)
    return read_user(files)


def scene(*asked: tuple[str, str]) -> Scene:
    log = [
        {"by": "agent", "op": operation, "args": {"name": name}, "error": None}
        for operation, name in asked
    ]
    return Scene(turn=1, log=log, read=lambda _: None)


def test_changes_of_made_files_follow_those_of_the_plan() -> None:
    told = user_of({"changes": {"one": [{"path": "made/0a", "new": "x"}]}})
    assert [(one.path, one.action, one.new) for one in told.signals[0].changes] == [
        ("book.md", "edit", "2"),
        ("made/0a", "overwrite", "x"),
    ]


def test_a_name_is_read_once_all_that_carries_it_was_asked_for() -> None:
    when = user_of({"asked": {"book": [PART]}}).signals[0].when
    assert not holds(when, scene(("read", "book"), ("read", "vault/1")))
    assert holds(when, scene(*[("read", "vault/1")] * 2))
    twice = user_of({"asked": {"book": [PART]}}, {**WAITING, "at_least": 2})
    assert not holds(twice.signals[0].when, scene(*[("read", "vault/1")] * 3))
    assert holds(twice.signals[0].when, scene(*[("read", "vault/1")] * 4))
    inverse = user_of({"asked": {"book": [PART]}}, {"kind": "not", "of": WAITING})
    assert holds(inverse.signals[0].when, scene(("read", "book")))


@pytest.mark.parametrize("more", [{"operation": "write"}, {"arguments": {"key": "k"}}])
def test_what_says_no_reading_stays(more: Said) -> None:
    waiting: Said = {**WAITING, **more}
    told = user_of({"asked": {"book": [PART]}}, waiting).signals[0].when
    assert told.model_dump() == {"arguments": {}, "at_least": 1, **waiting}


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        ({"changes": {"two": []}}, "there is no signal two"),
        ({"changes": {"one": [{"path": "book.md", "new": ""}]}}, "one.0.path"),
        ({"changes": {"one": [{"path": "made/../b", "new": ""}]}}, "one.0.path"),
        ({"asked": {"book": [{**PART, "at_least": 0}]}}, "book.0.at_least"),
        ({"words": {}}, "words: Extra inputs"),
        ([], "the file"),
    ],
)
def test_what_is_none_is_refused(shown: object, problem: str) -> None:
    with pytest.raises(BundleError, match=problem):
        user_of(shown)


def test_what_must_precede_is_read_off_predicates() -> None:
    def fired(name: str) -> Said:
        return {"kind": "fired", "signal": name}

    both: Said = {"kind": "all", "of": [fired("b"), WAITING]}
    either: Said = {"kind": "any", "of": [both, {"kind": "all", "of": [fired("b")]}]}
    loose: Said = {"kind": "any", "of": [fired("a"), WAITING]}
    plan = read_plan(
        plan_of(
            signal("a", WAITING),
            signal("b", fired("a")),
            signal("c", either),
            signal("d", loose),
            signal("e", {"kind": "not", "of": fired("a")}),
            signal("f", {"kind": "any", "of": []}),
            signal("g", fired("g")),
        )
    )
    found = {name: "".join(sorted(one)) for name, one in must_precede(plan).items()}
    assert found == {"a": "", "b": "a", "c": "ab", "d": "", "e": "", "f": "", "g": "g"}
