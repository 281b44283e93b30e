"""OpenAIChatModel on a real socket: what is sent, what an answer must be."""

import asyncio
import json
import threading
import time

import pytest

from envplatform.errors import ModelError
from envplatform.llm.chat import ChatRequest, Message, Tool, ToolCall, Usage
from envplatform.llm.endpoint import Endpoint
from tests.llm.serving import HELLO, failure, model_for
from tests.model_server import (
    WORKS,
    Call,
    Reply,
    answer,
    model_server,
    raw,
)


async def test_an_answer_comes_back_with_tokens_and_money() -> None:
    with model_server(
        [answer("hi", prompt_tokens=1000, completion_tokens=10)]
    ) as server:
        async with model_for(server) as model:
            response = await model.complete(HELLO)
    assert response.message == Message(role="assistant", content="hi")
    assert response.finish_reason == "stop"
    assert response.usage.prompt_tokens == 1000
    assert response.usage.completion_tokens == 10
    assert response.usage.usd == pytest.approx(0.00102)
    assert response.model == "scripted-1"
    assert response.retries == 0


async def test_everything_that_shapes_an_answer_is_sent() -> None:
    call = ToolCall(call_id="c1", name="shell", arguments='{"command": "ls"}')
    request = ChatRequest(
        messages=(
            Message(role="system", content="be brief"),
            Message(role="assistant", content="", tool_calls=(call,)),
            Message(role="tool", content="a.py", tool_call_id="c1"),
        ),
        tools=(Tool(name="shell", description="run", parameters={"type": "object"}),),
        temperature=0.5,
        max_tokens=7,
        seed=3,
        json_schema={"type": "object"},
    )
    with model_server([answer("x")]) as server:
        async with model_for(server) as model:
            await model.complete(request)
    (sent,) = server.requests
    assert sent["model"] == "scripted-1"
    assert (sent["temperature"], sent["max_tokens"], sent["seed"]) == (0.5, 7, 3)
    assert [m["role"] for m in sent["messages"]] == ["system", "assistant", "tool"]
    assert sent["messages"][1]["tool_calls"][0]["function"]["name"] == "shell"
    assert sent["messages"][2]["tool_call_id"] == "c1"
    assert sent["tools"][0]["function"]["parameters"] == {"type": "object"}
    assert sent["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert server.headers[0]["authorization"] == f"Bearer {WORKS}"


async def test_parameters_that_a_server_refuses_are_not_sent() -> None:
    with model_server([answer("x")]) as server:
        endpoint = Endpoint(
            name="picky",
            base_url=server.base_url,
            model="m",
            max_tokens_field="max_completion_tokens",
            omit=("temperature", "seed"),
        )
        async with model_for(server, endpoint=endpoint) as model:
            await model.complete(HELLO)
    (sent,) = server.requests
    assert sent["max_completion_tokens"] == HELLO.max_tokens
    assert not {"temperature", "seed", "max_tokens"} & set(sent)


async def test_tool_calls_arrive_with_their_arguments_unparsed() -> None:
    calls = [Call(name="shell", arguments="{not json", call_id=f"c{i}") for i in (1, 2)]
    with model_server([answer(None, *calls)]) as server:
        async with model_for(server) as model:
            response = await model.complete(HELLO)
    assert [c.call_id for c in response.message.tool_calls] == ["c1", "c2"]
    assert response.message.tool_calls[0].arguments == "{not json"
    assert response.message.content == ""
    assert response.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"command": "ls"}', '{"command": "ls"}'),
        ("{not json", '{"garbled": "{not json"}'),
        ("[]", '{"garbled": "[]"}'),
        ("", '{"garbled": ""}'),
    ],
)
async def test_what_a_model_garbled_does_not_break_the_next_request(
    arguments: str, sent: str
) -> None:
    call = ToolCall(call_id="c1", name="shell", arguments=arguments)
    said = Message(role="assistant", content="\udcff", tool_calls=(call,))
    with model_server([answer("x")]) as server:
        async with model_for(server) as model:
            await model.complete(ChatRequest(messages=(said,)))
    (message,) = server.requests[0]["messages"]
    assert message["tool_calls"][0]["function"]["arguments"] == sent
    assert message["content"] == "?"


def changed(**fields: object) -> Reply:
    body = json.loads(answer("x").body)
    for path, value in fields.items():
        *parents, last = path.split("__")
        place = body
        for name in parents:
            place = place[int(name) if name.isdigit() else name]
        place[last] = value
    return raw(json.dumps(body))


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        (raw("<html>welcome</html>"), "body"),
        (raw('{"choices": [{"mess'), "body"),
        (raw(""), "body"),
        (raw("[]"), "body"),
        (raw('{"error": {"message": "overloaded"}}'), "choices"),
        (changed(choices=[]), "choices"),
        (changed(choices=None), "choices"),
        (changed(usage=None), "usage"),
        (changed(usage__prompt_tokens=-1), "prompt_tokens"),
        (changed(usage__prompt_tokens="10"), "prompt_tokens"),
        (
            changed(
                choices__0__message__content=None, choices__0__finish_reason="error"
            ),
            "neither content nor tool calls",
        ),
        (changed(choices__0__message__content=7), "content"),
        (
            changed(
                choices__0__message__tool_calls=[
                    {"id": "1", "function": {"name": "shell", "arguments": {"a": 1}}}
                ]
            ),
            "arguments",
        ),
    ],
)
async def test_a_malformed_answer_is_an_error_that_names_the_field(
    reply: Reply, named: str
) -> None:
    error = await failure([reply])
    assert "malformed answer" in str(error)
    assert named in str(error)


async def test_an_answer_without_end_is_not_kept() -> None:
    error = await failure([raw(" " * 16_000_001)])
    assert "16000000 bytes" in str(error)


async def test_calls_in_flight_are_bounded() -> None:
    lock = threading.Lock()
    running, most = 0, 0

    def watch(_: object) -> Reply:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)  # leaves room to overlap
        with lock:
            running -= 1
        return answer("ok")

    with model_server(watch) as server:
        endpoint = Endpoint(
            name="narrow", base_url=server.base_url, model="m", concurrency=2
        )
        async with model_for(server, endpoint=endpoint) as model:
            await asyncio.gather(*(model.complete(HELLO) for _ in range(8)))
    assert len(server.requests) == 8
    assert most == 2


async def test_a_model_that_is_not_open_says_so() -> None:
    with (
        model_server([answer("never")]) as server,
        pytest.raises(ModelError, match="not open"),
    ):
        await model_for(server).complete(HELLO)
    assert server.requests == []


def test_usages_add_up() -> None:
    one = Usage(prompt_tokens=1, completion_tokens=2, usd=0.5)
    assert one + one == Usage(prompt_tokens=2, completion_tokens=4, usd=1.0)
