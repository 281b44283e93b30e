"""What is exported: in the form of others, whole, and without what can't be."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import ExportError
from envplatform.interop.atif.write import atif_document, write_documents
from envplatform.interop.chat.write import FILE, write_lines
from envplatform.interop.exporting import Exported, whole_folder
from envplatform.interop.json_text import json_text
from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.trajectories import Trajectory
from envplatform.trajectories.record import OfferedTool
from tests.trajectories.made_record import TALK, record


def odd() -> Trajectory:
    """What a model wrote is no JSON, no text, and answers a call of nobody."""
    plain = record("odd")
    first, second = plain.steps
    calls = (
        ToolCall(call_id="c1", name="shell", arguments='{"command": NaN}'),
        ToolCall(call_id="c2", name="\ud800", arguments="ls"),
    )
    message = replace(first.message, content="\udfff!", tool_calls=calls)
    stray = Message(role="tool", content="late", tool_call_id="c9")
    asked = Message(role="user", content="Go on.")
    steps = (
        replace(first, message=message, replies=(*first.replies, stray, asked)),
        replace(second, usage=Usage()),
    )
    return replace(plain, steps=steps)


def broken() -> Trajectory:
    tool = OfferedTool(name="shell", description="", parameters="[1")
    return replace(record("broken"), tools=(tool,))


def test_a_document_tells_the_whole_conversation() -> None:
    document = json.loads(json_text(atif_document(record())))
    steps = document["steps"]
    assert [one["step_id"] for one in steps] == [1, 2, 3, 4]
    assert [one["source"] for one in steps] == ["system", "user", "agent", "agent"]
    assert steps[2]["tool_calls"] == [
        {"tool_call_id": "c1", "function_name": "shell", "arguments": {"command": "ls"}}
    ]
    (result,) = steps[2]["observation"]["results"]
    assert result == {"source_call_id": "c1", "content": "a.txt\n"}
    assert steps[2]["metrics"] == {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "cost_usd": 0.25,
    }
    assert steps[3]["message"] == TALK
    assert document["final_metrics"]["total_cost_usd"] == 0.25
    assert document["extra"]["scores"] == {"reward": 1.0}


def test_what_a_model_broke_is_kept_as_text() -> None:
    steps = json.loads(json_text(atif_document(odd())))["steps"]
    calls = steps[2]["tool_calls"]
    assert [one["arguments"] for one in calls] == [{}, {}]
    assert [one["extra"]["malformed_arguments"] for one in calls] == [
        '{"command": NaN}',
        "ls",
    ]
    assert (steps[2]["message"], calls[1]["function_name"]) == ("\ufffd!", "\ufffd")
    assert steps[2]["observation"]["results"][1] == {"content": "late"}
    assert (steps[3]["source"], steps[3]["message"]) == ("user", "Go on.")
    assert (steps[4]["llm_call_count"], "metrics" in steps[4]) == (0, False)


def test_lines_are_as_the_api_has_messages(tmp_path: Path) -> None:
    told = Exported()
    write_lines([("b", record()), ("b", odd())], tmp_path, told)
    lines = [json.loads(one) for one in (tmp_path / FILE).read_text().splitlines()]
    assert told.written == len(lines) == 2
    assert [one["role"] for one in lines[0]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert lines[0]["messages"][2]["tool_calls"] == [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "shell", "arguments": '{"command": "ls"}'},
        }
    ]
    assert lines[0]["messages"][3]["tool_call_id"] == "c1"
    assert lines[0]["tools"][0]["function"]["parameters"]["type"] == "object"
    assert (lines[0]["reward"], lines[0]["batch"]) == (1.0, "b")


@pytest.mark.parametrize("write", [write_lines, write_documents])
def test_one_bad_row_costs_no_other(write: object, tmp_path: Path) -> None:
    told = Exported()
    silent = replace(record("silent"), prompt=(), steps=())
    rows = [("b", silent), ("b", broken()), ("b", record())]
    assert callable(write)
    write(rows, tmp_path, told)
    assert told.written == 1
    assert [one.name for one in told.left_out] == ["b/silent", "b/broken"]
    assert "tool 'shell' are no JSON object" in told.left_out[1].reason


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    to = tmp_path / "new" / "out"
    with pytest.raises(IsADirectoryError), whole_folder(to) as folder:
        folder.write_text("half")
    assert list(to.parent.iterdir()) == []
    to.mkdir()
    with whole_folder(to) as folder:
        (folder / "whole").touch()
        assert list(to.iterdir()) == []
    assert [path.name for path in to.parent.iterdir()] == ["out"]
    with pytest.raises(ExportError, match="is no empty folder"), whole_folder(to):
        pass
    assert [path.name for path in to.iterdir()] == ["whole"]


def test_nothing_written_is_an_error_that_says_why() -> None:
    told = Exported()
    told.leave_out("b/t1", "line one\nline two")
    with pytest.raises(ExportError, match="b/t1: line one line two"):
        told.check("trajectory")
    with pytest.raises(ExportError, match="none is stored that fits"):
        Exported().check("environment")
