"""OpenAIChatModel on a real socket: what is tried again, when, and what is not."""

import pytest

from envplatform.errors import ContextLengthError, ModelError
from tests.llm.serving import HELLO, Waits, failure, model_for
from tests.model_server import (
    Reply,
    answer,
    cut,
    hold,
    model_server,
    refuse,
)


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
        refuse(400, "The input (9 tokens) is longer than the model's context length"),
        refuse(400, "litellm.ContextWindowExceededError: too many"),
        refuse(400, "The input token count (9) exceeds the maximum number of tokens"),
        refuse(413, "Prompt is too long: 9 tokens > 4 maximum"),
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
