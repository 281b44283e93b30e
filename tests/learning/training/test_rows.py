"""Orders and rows in files: what is read back, and what is refused by line or field."""

import json
from pathlib import Path

import pytest

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation
from envplatform.learning.training.order import (
    TrainingOrder,
    read_order,
    write_order,
)
from envplatform.learning.training.rows import (
    CompletionRow,
    read_completions,
    read_conversations,
    write_completions,
    write_conversations,
)
from envplatform.llm.chat import Message, Tool, ToolCall

ROW = {"row_id": "a", "prompt": "p", "completion": "c"}
TOOL = Tool(name="shell", description="", parameters={"type": "object"})
TALK = Conversation(
    trajectory_id="t",
    messages=(
        Message(role="user", content="Look \u2028 around"),
        Message(
            role="assistant",
            content="",
            tool_calls=(ToolCall(call_id="1", name="shell", arguments="{}"),),
        ),
    ),
    tools=(TOOL,),
)


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    row = CompletionRow(row_id="a", prompt="p\n", completion="c\u2028", system="s")
    write_completions(tmp_path / "c", [row])
    write_conversations(tmp_path / "t", [TALK])
    assert read_completions(tmp_path / "c") == (row,)
    assert read_conversations(tmp_path / "t") == (TALK,)
    assert [one.role for one in row.conversation.messages] == [
        "system",
        "user",
        "assistant",
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "line 1"),
        ("[]", "line 1"),
        (json.dumps({"row_id": "a", "prompt": "p"}), "completion"),
        (json.dumps({**ROW, "prompt": 3}), "prompt"),
        ('{"row_id": "a", "row_id": "b", "prompt": "p", "completion": "c"}', "twice"),
        ('{"row_id": "a", "prompt": NaN, "completion": "c"}', "NaN"),
        ("[" * 100_000, "line 1"),
        (f"{json.dumps(ROW)}\n{json.dumps(ROW)}", "line 2: row_id 'a' stands"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(TrainingError, match=told):
        read_completions(path)


def test_no_rows_and_no_file_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with pytest.raises(TrainingError, match="can't be read"):
        read_completions(path)
    path.touch()
    with pytest.raises(TrainingError, match="nothing to train on"):
        read_completions(path)


def an_order(folder: Path) -> TrainingOrder:
    return TrainingOrder(
        kind="sft_completion", base=folder, rows=folder / "r", max_length=10
    )


def test_an_order_is_read_as_it_was_written(tmp_path: Path) -> None:
    order = an_order(tmp_path)
    write_order(order, tmp_path / "order.json")
    assert read_order(tmp_path / "order.json") == order


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("kind", "magic", "kind"),
        ("learning_rate", "NaN", "learning_rate"),
        ("learning_rate", -1, "learning_rate"),
        ("steps", 0, "steps"),
        ("max_length", 10**12, "max_length"),
        ("seed", -1, "seed"),
        ("micro_batch", 3, "micro_batch: 3 does not divide batch"),
    ],
)
def test_a_field_that_can_not_be_is_named(
    tmp_path: Path, field: str, value: object, told: str
) -> None:
    path = tmp_path / "order.json"
    write_order(an_order(tmp_path), path)
    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    with pytest.raises(TrainingError, match=told):
        read_order(path)
