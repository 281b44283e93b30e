"""OpenAIChatModel against a real socket: answers, refusals, retries, secrets."""

import asyncio
import json
import logging
import random
import threading
import time
import traceback
from datetime import UTC, datetime

import pytest

from envplatform.errors import ConfigError, ContextLengthError, ModelError
from envplatform.llm.chat import ChatRequest, Message, Tool, ToolCall, Usage
from envplatform.llm.endpoint import Endpoint, Prices
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.retry import RetryPolicy
from tests.model_server import (
    WORKS,
    Call,
    ModelServer,
    Reply,
    Script,
    answer,
    cut,
    hold,
    model_server,
    raw,
    refuse,
)

HELLO = ChatRequest(messages=(Message(role="user", content="hello"),))
WRONG = "sk-test-wrong-77ab31"


class Waits:
    """Stands in for asyncio.sleep: returns at once and remembers what was asked."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        """Wait not at all."""
        self.seconds.append(seconds)


def model_for(
    server: ModelServer,
    *,
    waits: Waits | None = None,
    key: str = WORKS,
    timeout_s: float = 30.0,
    attempts: int = 4,
    endpoint: Endpoint | None = None,
) -> OpenAIChatModel:
    endpoint = endpoint or Endpoint(
        name="scripted",
        base_url=server.base_url,
        model="scripted-1",
        api_key_env="SCRIPTED_KEY",
        prices=Prices(prompt_usd_per_million=1.0, completion_usd_per_million=2.0),
        timeout_s=timeout_s,
    )
    return OpenAIChatModel(
        endpoint,
        retry=RetryPolicy(attempts=attempts),
        environ={"SCRIPTED_KEY": key},
        sleep=waits or Waits(),
        rng=random.Random(1),  # noqa: S311  the seam under test
        now=lambda: datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
    )


async def failure(script: Script, *, attempts: int = 2) -> ModelError:
    with model_server(script) as server:
        async with model_for(server, attempts=attempts) as model:
            with pytest.raises(ModelError) as caught:
                await model.complete(HELLO)
    return caught.value


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


@pytest.mark.parametrize(
    "reply", [refuse(429), refuse(500), refuse(503), refuse(408), cut()], ids=str
)
async def test_what_may_pass_is_tried_again(reply: Reply) -> None:
    waits = Waits()
    with model_server([reply, reply, answer("at last")]) as server:
        async with model_for(server, waits=waits) as model:
            response = await model.complete(HELLO)
    assert response.message.content == "at last"
    assert response.retries == 2
    assert len(server.requests) == 3
    first, second = waits.seconds
    assert 0.25 <= first <= 0.5
    assert 0.5 <= second <= 1.0


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("7", 7.0, 7.7),
        ("1.5", 1.5, 1.65),
        ("Sun, 01 Mar 2026 12:00:20 GMT", 20.0, 22.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0, 0.0),  # passed already
        ("86400", 120.0, 132.0),  # capped
        ("soon", 0.25, 0.5),  # unreadable: our own backoff
    ],
)
async def test_retry_after_is_honoured(header: str, least: float, most: float) -> None:
    waits = Waits()
    script = [refuse(429, headers={"Retry-After": header}), answer("ok")]
    with model_server(script) as server:
        async with model_for(server, waits=waits) as model:
            await model.complete(HELLO)
    (waited,) = waits.seconds
    assert least <= waited <= most


async def test_waits_are_the_same_for_the_same_random_source() -> None:
    seen = []
    for _ in range(2):
        waits = Waits()
        with model_server([refuse(500)] * 3 + [answer("ok")]) as server:
            async with model_for(server, waits=waits) as model:
                await model.complete(HELLO)
        seen.append(waits.seconds)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 3


@pytest.mark.parametrize(
    ("reply", "hint"),
    [
        (refuse(401), "SCRIPTED_KEY"),
        (refuse(403), "rights"),
        (refuse(404), "base_url"),
        (refuse(400), "omit"),
        (refuse(422), "omit"),
        (refuse(429, code="insufficient_quota"), "billing"),
    ],
)
async def test_what_cannot_pass_is_not_tried_again(reply: Reply, hint: str) -> None:
    with model_server([reply, answer("never")]) as server:
        async with model_for(server) as model:
            with pytest.raises(ModelError, match=hint):
                await model.complete(HELLO)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        refuse(400, "too long", code="context_length_exceeded"),
        refuse(400, "This model's maximum context length is 4096 tokens"),
    ],
)
async def test_a_request_too_long_has_its_own_error(reply: Reply) -> None:
    assert isinstance(await failure([reply]), ContextLengthError)


async def test_attempts_are_bounded() -> None:
    waits = Waits()
    with model_server(lambda _: refuse(500)) as server:
        async with model_for(server, waits=waits, attempts=3) as model:
            with pytest.raises(ModelError, match="HTTP 500, in the last of 3 attempts"):
                await model.complete(HELLO)
    assert len(server.requests) == 3
    assert len(waits.seconds) == 2


async def test_a_silent_server_times_out_and_is_tried_again() -> None:
    with model_server([hold(), answer("awake")]) as server:
        async with model_for(server, timeout_s=0.3) as model:
            response = await model.complete(HELLO)
    assert response.message.content == "awake"
    assert response.retries == 1


async def test_nobody_listens() -> None:
    with model_server([]) as server:
        pass
    async with model_for(server, attempts=2) as model:
        with pytest.raises(ModelError, match="connection failed"):
            await model.complete(HELLO)


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
        (changed(choices__0__message__content=None), "neither content nor tool calls"),
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


async def test_a_wrong_key_names_its_variable_and_never_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with model_server([], key=WORKS) as server:
        async with model_for(server, key=WRONG) as model:
            with pytest.raises(ModelError, match="SCRIPTED_KEY") as caught:
                await model.complete(HELLO)
            shown = repr(model) + str(vars(model))
    shown += "".join(traceback.format_exception(caught.value, chain=True))
    assert server.headers[0]["authorization"] == f"Bearer {WRONG}"
    assert "Incorrect API key provided: ***" in str(caught.value)
    assert WRONG not in shown
    assert WRONG not in caplog.text


async def test_the_environment_does_not_smuggle_another_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", WRONG)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", WRONG)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {WRONG}")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with model_server([answer("ok")], key=WORKS) as server:
        async with model_for(server) as model:
            await model.complete(HELLO)
    assert server.headers[0]["authorization"] == f"Bearer {WORKS}"


def test_a_missing_key_is_a_configuration_error() -> None:
    endpoint = Endpoint(
        name="far", base_url="https://api.example.com/v1", model="m", api_key_env="NO_K"
    )
    with pytest.raises(ConfigError, match="NO_K is not set"):
        OpenAIChatModel(endpoint, environ={})


def test_a_key_that_no_header_can_carry_is_refused_unseen() -> None:
    endpoint = Endpoint(
        name="far", base_url="https://api.example.com/v1", model="m", api_key_env="K"
    )
    with pytest.raises(ConfigError) as caught:
        OpenAIChatModel(endpoint, environ={"K": "sk-a\nb"})
    assert "sk-a" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["api.example.com/v1", "ftp://x/v1", "https://me:pw@x/v1", "http://x/?k=pw"]
)
def test_a_base_url_that_cannot_work_or_holds_a_secret(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url") as caught:
        Endpoint(name="bad", base_url=url, model="m")
    assert "pw" not in str(caught.value)


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
