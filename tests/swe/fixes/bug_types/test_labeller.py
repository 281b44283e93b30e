"""Two models, one question, and how far they agree."""

import json

import pytest

from envplatform.errors import ModelError
from envplatform.swe.fixes.bug_type import BUG_TYPES
from envplatform.swe.fixes.bug_types.labeller import ask, ask_twice
from tests.fakes import ScriptedChatModel, text_answer

PATCH = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-if a < b: f()\n+if a <= b: f()\n"


def _says(*bug_types: str) -> ScriptedChatModel:
    return ScriptedChatModel(
        [text_answer(json.dumps({"bug_type": one, "reason": "r"})) for one in bug_types]
    )


async def test_agreement_is_counted_over_fixes_that_both_labelled() -> None:
    bad = ScriptedChatModel([text_answer("no idea"), text_answer("still none")])
    first = _says("boundary", "logic")
    opinions = await ask_twice(
        {"a": PATCH, "b": PATCH}, first, _says("boundary", "data")
    )
    assert opinions.agreement.accuracy == 0.5
    assert opinions.agreed == {"a": "boundary"}
    half = await ask_twice({"a": PATCH}, _says("logic"), bad)
    assert half.labels == {"a": ("logic", None)}
    assert half.agreement.total == 0


async def test_a_type_that_is_none_is_no_label() -> None:
    label = await ask(_says("typo", "typo"), PATCH)
    assert label.bug_type is None


async def test_a_server_that_fails_is_no_label_but_an_error() -> None:
    with pytest.raises(ModelError):
        await ask(ScriptedChatModel([ModelError("down")]), PATCH)


async def test_every_type_is_explained_and_a_long_patch_is_cut() -> None:
    model = _says("logic")
    await ask(model, PATCH + "+x\n" * 100_000)
    system, user = model.requests[0].messages
    assert all(f"- {name}: " in system.content for name in BUG_TYPES)
    assert len(user.content) == 12_000


async def test_bytes_that_are_no_text_do_not_stop_the_question() -> None:
    assert (await ask(_says("data"), "+x = '\udce9'\n")).bug_type == "data"
