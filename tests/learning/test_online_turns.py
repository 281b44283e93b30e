"""Plays as tokens and masks, with a template's own marks and a made-up player."""

from collections.abc import Sequence

import pytest

from envplatform.errors import TrainingError
from envplatform.learning.online.groups import Groups, Room, check_groups
from envplatform.learning.online.turns import Tokens, Turns
from envplatform.learning.rendering import Renderer
from envplatform.llm.chat import Message, Tool
from tests.learning.chat_templates import (
    CHATML_THINKING,
    CHATML_TOOLS,
    LLAMA_3,
    WITHOUT_TOOLS,
)
from tests.learning.made_plays import EchoPlays, row
from tests.learning.made_students import ASK, SYSTEM, tokenizer

TOOL = Tool(name="shell", description="Runs.", parameters={"type": "object"})
CALL = '<tool_call>\n{"name": "shell", "arguments": {"command": "ls"}}\n</tool_call>'


def turns(template: str) -> Turns:
    made = tokenizer(template)
    return Turns(made, Renderer(made, template))


@pytest.mark.parametrize("template", [CHATML_TOOLS, WITHOUT_TOOLS, LLAMA_3])
def test_a_play_reads_as_the_template_writes_it(template: str) -> None:
    made = tokenizer(template)
    renderer = Renderer(made, template)
    of = Turns(made, renderer)
    heard = [Message(role="user", content="go on")]
    opening = of.opening_ids([SYSTEM, ASK], ())
    play = Tokens(prompt=opening)
    said = made("It is here" + of.closing.strip(), add_special_tokens=False)[
        "input_ids"
    ]
    play.generated(said)
    answer = Message(role="assistant", content="It is here")
    play.heard(of.reply_ids([SYSTEM, ASK, answer], heard, (), said))
    whole = of.opening_ids([SYSTEM, ASK, answer, *heard], ())
    assert made.decode(play.context) == made.decode(whole)
    assert len(play.mask) == len(play.completion)
    generated = [t for t, own in zip(play.completion, play.mask, strict=True) if own]
    assert generated == said, "the policy's own tokens, and no others, carry gradient"


def test_a_turn_that_was_cut_off_is_closed_for_it_without_gradient() -> None:
    of, made = turns(CHATML_TOOLS), tokenizer(CHATML_TOOLS)
    said = made("It is", add_special_tokens=False)["input_ids"]
    reply = of.reply_ids(
        [ASK, Message(role="assistant", content="It is")],
        [Message(role="user", content="go on")],
        (),
        said,
    )
    assert made.decode(reply).startswith("<|im_end|>\n<|im_start|>user\ngo on")
    assert made.decode(reply).endswith("<|im_start|>assistant\n")


def test_a_template_that_changes_earlier_turns_is_refused() -> None:
    with pytest.raises(TrainingError, match="changes earlier turns"):
        turns(CHATML_THINKING).reply_ids(
            [ASK, Message(role="assistant", content="x")],
            [Message(role="user", content="go on")],
            (),
            (),
        )


def groups(plays: EchoPlays, *, context: int = 400) -> Groups:
    return Groups(plays, turns(CHATML_TOOLS), Room(context=context, answer=40))


def said(text: str) -> list[int]:
    ids: list[int] = tokenizer(CHATML_TOOLS)(
        text + "<|im_end|>", add_special_tokens=False
    )["input_ids"]
    return ids


def test_plays_end_one_by_one_and_the_others_go_on() -> None:
    asked: list[int] = []

    def generate(contexts: list[list[int]]) -> list[list[int]]:
        asked.append(len(contexts))
        return [said(CALL if turn % 2 else "done") for turn in range(len(contexts))]

    plays = EchoPlays(ends=lambda message: "done" in message.content)
    played = groups(plays).play([row("a"), row("a")], generate, group=2)
    assert asked == [2, 1]
    assert [one.is_over for one in played] == [True, True]
    assert sum(played[0].tokens.mask) == len(said("done"))
    assert {call.name for _, m in plays.answers for call in m.tool_calls} == {"shell"}
    made = tokenizer(CHATML_TOOLS)
    told = [
        t
        for t, own in zip(
            played[1].tokens.completion, played[1].tokens.mask, strict=True
        )
        if not own
    ]
    assert "<tool_response>" in made.decode(told)


def test_a_full_context_ends_a_play_and_nothing_is_generated_for_it() -> None:
    def generate(contexts: Sequence[Sequence[int]]) -> list[list[int]]:
        assert all(len(one) + 40 <= 150 for one in contexts)
        return [said("again and again") for _ in contexts]

    plays = EchoPlays(ends=lambda _: False)
    played = groups(plays, context=150).play([row("a")], generate, group=1)
    assert plays.cut_off == 1
    assert played[0].is_over


def test_what_cannot_begin_is_not_trained_on_and_has_no_verdict() -> None:
    plays = EchoPlays(ends=lambda _: True, lost={"b"})
    played = groups(plays).play(
        [row("a"), row("b")], lambda c: [said("done") for _ in c], group=1
    )
    assert [one.verdict.reward() for one in played] == [1.0, None]
    assert played[1].tokens.mask == [0]
    assert played[1].tokens.prompt


def test_a_group_starts_from_one_state() -> None:
    plays = EchoPlays(ends=lambda _: True)
    answer = lambda contexts: [said("done") for _ in contexts]  # noqa: E731
    with pytest.raises(TrainingError, match=r"one state.*a, b"):
        groups(plays).play([row("a"), row("b")], answer, group=2)
    drifting = EchoPlays(ends=lambda _: True, drifts=True)
    with pytest.raises(TrainingError, match="one state"):
        groups(drifting).play([row("a"), row("a")], answer, group=2)
    with pytest.raises(TrainingError, match="no whole groups"):
        groups(plays).play([row("a")], answer, group=2)
    check_groups([], 2)
