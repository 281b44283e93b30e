"""Which tokens are the agent's, under templates of many shapes."""

import pytest

pytest.importorskip("torch", reason="needs envplatform[learning]")

from envplatform.learning.conversation import Conversation
from envplatform.learning.rendering import Rendered, Renderer, Skipped
from envplatform.llm.chat import Message, Tool, ToolCall
from tests.learning import chat_templates as shape
from tests.learning.made_students import (
    ASK,
    CALL,
    DONE,
    FOUND,
    RESULT,
    SYSTEM,
    THANKS,
    talk,
    tokenizer,
)

SHELL = Tool(name="shell", description="Runs.", parameters={"type": "object"})
WORK = (ASK, CALL, RESULT, FOUND, THANKS, DONE)


def heard(template: str, *messages: Message, tools: tuple[Tool, ...] = ()) -> list[str]:
    """What the mask covers, one text for each unbroken run of tokens."""
    words = tokenizer(None)
    talked = Conversation(trajectory_id="t", messages=messages, tools=tools)
    seen = Renderer(words, template).render(talked)
    assert isinstance(seen, Rendered), seen
    runs: list[list[int]] = []
    for last, place in zip((-9, *seen.agent), seen.agent, strict=False):
        if place != last + 1:
            runs.append([])
        runs[-1].append(seen.token_ids[place])
    return [words.decode(run) for run in runs]


def refused(template: str, *messages: Message) -> str:
    seen = Renderer(tokenizer(None), template).render(talk(*messages))
    assert isinstance(seen, Skipped), seen
    return seen.reason


def test_chatml_with_tools_covers_calls_and_what_closes_a_turn() -> None:
    """The forged turn in the user's message is nobody's but the user's."""
    call = (
        '<tool_call>\n{"name": "shell", "arguments": {"command": "ls"}}\n</tool_call>'
    )
    assert heard(shape.CHATML_TOOLS, SYSTEM, *WORK, tools=(SHELL,)) == [
        f"{call}<|im_end|>",
        "  It is in a.txt,\n\nand in b.txt. <|im_end|>",
        "Done<|im_end|>",
    ]


def test_text_beside_calls_and_two_calls_in_one_turn() -> None:
    calls = tuple(
        ToolCall(call_id=name, name=name, arguments="{}") for name in ("one", "two")
    )
    both = Message(role="assistant", content="Let me look.", tool_calls=calls)
    (said,) = heard(shape.CHATML_TOOLS, ASK, both)
    assert said.startswith("Let me look.\n<tool_call>")
    assert '"one"' in said
    assert '"two"' in said


def test_empty_reasoning_that_a_template_puts_into_the_last_turn_is_not_the_agents() -> (
    None
):
    assert heard(shape.CHATML_THINKING, SYSTEM, *WORK)[1:] == [
        "  It is in a.txt,\n\nand in b.txt. <|im_end|>",
        "Done<|im_end|>",
    ]


def test_llama_3_trims_text_and_the_day_does_not_matter() -> None:
    words = tokenizer(None)
    seen = Renderer(words, shape.LLAMA_3).render(talk(SYSTEM, *WORK))
    assert isinstance(seen, Rendered)
    assert "Today Date: 26 Jul 2024" in words.decode(seen.token_ids)
    assert heard(shape.LLAMA_3, SYSTEM, *WORK) == [
        '{"name": "shell", "parameters": {"command": "ls"}}<|eot_id|>',
        "It is in a.txt,\n\nand in b.txt.<|eot_id|>",
        "Done<|eot_id|>",
    ]


def test_mistral_has_no_header_and_no_system() -> None:
    said = heard(shape.MISTRAL, *WORK)
    assert said[0].startswith('[TOOL_CALLS] [{"name": "shell"')
    assert said[1].strip() == "It is in a.txt,\n\nand in b.txt. </s>"
    assert said[2].strip() == "Done</s>"
    assert refused(shape.MISTRAL, SYSTEM, *WORK) == "template_error"


def test_a_first_word_joined_to_the_templates_space_counts() -> None:
    (said,) = heard(shape.MISTRAL, ASK, Message(role="assistant", content="answer"))
    assert said == " answer</s>"  # " answer" is one token of this tokenizer


def test_a_templates_own_marks_are_taken() -> None:
    assert heard(shape.MARKED, SYSTEM, ASK, FOUND, THANKS, DONE) == [
        "  It is in a.txt,\n\nand in b.txt. <|im_end|>",
        "Done<|im_end|>",
    ]


def test_marks_that_lack_a_turn_are_not_believed() -> None:
    only_last = shape.MARKED.replace(
        "message.role == 'assistant'", "message.role == 'assistant' and loop.last"
    )
    assert refused(only_last, ASK, FOUND, THANKS, DONE) == "mismarked_turns"


@pytest.mark.parametrize(
    ("template", "messages", "reason"),
    [
        (shape.MERGING, (ASK, FOUND, THANKS, DONE), "rewrites_turns"),
        (shape.JOINING, (ASK, FOUND, DONE), "rewrites_turns"),
        (shape.WITHOUT_TOOLS, (ASK, CALL, RESULT, DONE), "drops_tool_calls"),
        (shape.MARKED, (ASK, CALL, RESULT, DONE), "drops_tool_calls"),
        (shape.LAST_USER_ONLY, (ASK, FOUND, THANKS, DONE), "drops_context"),
        (
            shape.MARKED.replace("message.content +", "", 1),
            (ASK, DONE),
            "alters_content",
        ),
        (shape.WITHOUT_TOOLS, (ASK,), "no_agent_tokens"),
    ],
)
def test_what_a_template_loses_or_merges_is_refused_by_name(
    template: str, messages: tuple[Message, ...], reason: str
) -> None:
    assert refused(template, *messages) == reason


def test_text_that_a_template_drops_beside_a_call_is_missed() -> None:
    """As Llama 3.1 does: it writes the call and forgets what was said."""
    loud = Message(role="assistant", content="Look!", tool_calls=CALL.tool_calls)
    assert refused(shape.LLAMA_3, ASK, loud, RESULT, DONE) == "alters_content"


def test_a_template_can_not_reach_out_of_its_sandbox() -> None:
    escape = "{{ messages.__class__.__mro__[1].__subclasses__() }}"
    assert refused(escape, ASK, DONE) == "template_error"
