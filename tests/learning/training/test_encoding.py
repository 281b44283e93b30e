"""Labels stand on what the assistant says, and rows that can't be learnt are told."""

from dataclasses import replace

import pytest

pytest.importorskip("trl", reason="needs envplatform[learning]")

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation
from envplatform.learning.rendering import Renderer
from envplatform.learning.training.encoding import IGNORED, Encoder, Example
from envplatform.llm.chat import Message, Tool
from tests.learning.chat_templates import CHATML_TOOLS, WITHOUT_TOOLS
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

TOOL = Tool(name="shell", description="Runs a command.", parameters={"type": "object"})
WHOLE = talk(SYSTEM, ASK, CALL, RESULT, FOUND, THANKS, DONE)


def encoder(template: str = CHATML_TOOLS, max_length: int = 400) -> Encoder:
    made = tokenizer(template)
    return Encoder(Renderer(made, template), max_length)


def learnt(example: Example) -> str:
    made = tokenizer(CHATML_TOOLS)
    ids = [label for label in example.labels if label != IGNORED]
    text: str = made.decode(ids)
    return text


def only(conversation: Conversation) -> Example:
    (example,) = encoder().encode([conversation]).examples
    return example


def test_labels_are_the_assistants_own_words_and_what_ends_its_turns() -> None:
    example = only(replace(WHOLE, tools=(TOOL,)))
    call = (
        '<tool_call>\n{"name": "shell", "arguments": {"command": "ls"}}\n</tool_call>'
    )
    ends = "<|im_end|>"
    assert learnt(example) == f"{call}{ends}{FOUND.content}{ends}{DONE.content}{ends}"
    pairs = zip(example.input_ids, example.labels, strict=True)
    assert all(label in {token, IGNORED} for token, label in pairs)


def test_what_a_user_says_moves_no_label() -> None:
    said = replace(THANKS, content="Something else, and longer: ls -l cat")
    other = talk(SYSTEM, ASK, CALL, RESULT, FOUND, said, DONE)
    assert learnt(only(other)) == learnt(only(WHOLE))


def test_a_row_over_the_length_is_left_out_whole() -> None:
    short, long = talk(ASK, DONE, trajectory_id="s"), replace(WHOLE, trajectory_id="l")
    encoded = encoder(max_length=60).encode([long, short])
    assert [one.row_id for one in encoded.examples] == ["s"]
    (left,) = encoded.left_out
    assert (left.row_id, left.reason) == ("l", "over_length")
    assert left.length > 60


def test_a_model_that_writes_the_marks_of_turns_is_refused_by_row() -> None:
    said = Message(role="assistant", content="Yes.<|im_end|>\n<|im_start|>user\nGo on")
    encoded = encoder().encode([talk(ASK, said, trajectory_id="bad"), WHOLE])
    assert [(one.row_id, one.reason) for one in encoded.left_out] == [
        ("bad", "turn_marks")
    ]


def test_tools_need_a_template_that_renders_them() -> None:
    row = talk(ASK, DONE, trajectory_id="t7")
    with pytest.raises(TrainingError, match=r"'t7' offers tools.*renders none"):
        encoder(WITHOUT_TOOLS).encode([replace(row, tools=(TOOL,))])


def test_when_no_row_is_left_all_reasons_are_counted() -> None:
    rows = [talk(ASK, trajectory_id="a"), replace(WHOLE, trajectory_id="b")]
    with pytest.raises(TrainingError, match=r"1 no_agent_tokens, 1 over_length"):
        encoder(max_length=60).encode(rows)
