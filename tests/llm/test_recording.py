"""Record and replay: equal requests, equal answers; errors leave no trace."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import ModelError
from envplatform.llm.chat import ChatRequest, Message, Tool, ToolCall
from envplatform.llm.recording import RecordedModel, request_digest
from tests.fakes import ScriptedChatModel, text_answer

HELLO = ChatRequest(messages=(Message(role="user", content="hello"),))


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_a_recorded_answer_is_replayed_whole(tmp_path: Path) -> None:
    call = ToolCall(call_id="1", name="shell", arguments="{}")
    first = text_answer("hi ünï", tool_calls=(call,), retries=2)
    await RecordedModel(ScriptedChatModel([first]), tmp_path, mode="record").complete(
        HELLO
    )
    again = RecordedModel(ScriptedChatModel([]), tmp_path, mode="replay")
    assert await again.complete(HELLO) == replace(first, cached=True, retries=0)


async def test_what_is_known_is_not_asked_again(tmp_path: Path) -> None:
    script = ScriptedChatModel([text_answer("one"), text_answer("two")])
    model = RecordedModel(script, tmp_path, mode="record")
    answers = [(await model.complete(HELLO)).message.content for _ in range(3)]
    other = await model.complete(replace(HELLO, seed=1))
    assert answers == ["one"] * 3
    assert other.message.content == "two"
    assert len(script.requests) == 2


async def test_replay_never_asks(tmp_path: Path) -> None:
    script = ScriptedChatModel([text_answer("never")])
    model = RecordedModel(script, tmp_path, mode="replay")
    with pytest.raises(ModelError, match="no recording"):
        await model.complete(HELLO)
    assert script.requests == []


async def test_errors_are_not_recorded(tmp_path: Path) -> None:
    script = ScriptedChatModel([ModelError("down"), text_answer("up")])
    model = RecordedModel(script, tmp_path, mode="record")
    with pytest.raises(ModelError, match="down"):
        await model.complete(HELLO)
    assert files_in(tmp_path) == []
    assert (await model.complete(HELLO)).message.content == "up"


async def test_one_file_an_answer_and_no_drafts(tmp_path: Path) -> None:
    script = ScriptedChatModel([text_answer("one")])
    await RecordedModel(script, tmp_path, mode="record").complete(HELLO)
    (file,) = files_in(tmp_path)
    assert file.name == f"{request_digest(HELLO, model=script.name)}.json"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"message": 1}'])
async def test_a_damaged_recording_is_named(tmp_path: Path, content: str) -> None:
    script = ScriptedChatModel([text_answer("one"), text_answer("two")])
    model = RecordedModel(script, tmp_path, mode="record")
    await model.complete(HELLO)
    (file,) = files_in(tmp_path)
    file.write_text(content)
    with pytest.raises(ModelError, match=f"{file.name}: damaged recording"):
        await model.complete(HELLO)


async def test_of_equal_calls_at_once_the_first_answer_counts(tmp_path: Path) -> None:
    script = ScriptedChatModel([text_answer(str(n)) for n in range(5)])
    model = RecordedModel(script, tmp_path, mode="record")
    answers = await asyncio.gather(*(model.complete(HELLO) for _ in range(5)))
    assert len(script.requests) == 5  # all were under way before one was recorded
    assert len({answer.message.content for answer in answers}) == 1


CHANGES: list[dict[str, object]] = [
    {"messages": (Message(role="system", content="hello"),)},
    {"messages": (*HELLO.messages, *HELLO.messages)},
    {"tools": (Tool(name="t", description="", parameters={}),)},
    {"temperature": 0.1},
    {"max_tokens": 1},
    {"seed": 1},
    {"json_schema": {"type": "object"}},
    {"json_schema": {}},
]


def test_every_part_of_a_request_shapes_its_digest() -> None:
    requests = [HELLO, *(replace(HELLO, **change) for change in CHANGES)]  # type: ignore[arg-type]
    digests = {request_digest(request, model="m") for request in requests}
    digests.add(request_digest(HELLO, model="other"))
    assert len(digests) == len(requests) + 1


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_has_a_digest(text: str) -> None:
    request = ChatRequest(messages=(Message(role="user", content=text),))
    assert request_digest(request, model="m") == request_digest(request, model="m")
