"""Budgets stop before they are passed, also with many calls at once."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.errors import BudgetExceededError, ModelAnswerError, ModelError
from envplatform.llm.budget import (
    Amount,
    Budget,
    BudgetedModel,
    estimate_prompt_tokens,
)
from envplatform.llm.chat import ChatRequest, Message, Tool, Usage
from envplatform.llm.endpoint import Prices
from tests.fakes import ScriptedChatModel, text_answer

HELLO = ChatRequest(messages=(Message(role="user", content="hello"),), max_tokens=100)
PRICES = Prices(prompt_usd_per_million=10.0, completion_usd_per_million=100.0)
WORST = Amount(tokens=119, usd=0.01019)
"""5 bytes are at most 3 tokens, 16 for the template, 100 to answer."""


def budget(tokens: int = 10_000, usd: float = 10.0) -> Budget:
    return Budget(limit=Amount(tokens=tokens, usd=usd))


async def test_what_was_used_is_spent_not_what_was_feared() -> None:
    purse = budget()
    script = ScriptedChatModel([text_answer("a"), text_answer("b")])
    model = BudgetedModel(script, purse, prices=PRICES)
    await model.complete(HELLO)
    await model.complete(HELLO)
    assert purse.spent == Amount(tokens=30, usd=0.002)


@pytest.mark.parametrize(
    ("tokens", "usd", "allowed"),
    [
        (WORST.tokens, WORST.usd, True),
        (WORST.tokens - 1, WORST.usd, False),
        (WORST.tokens, WORST.usd - 1e-6, False),
        (0, 0.0, False),
    ],
)
async def test_the_worst_case_must_fit(
    tokens: int, usd: float, *, allowed: bool
) -> None:
    script = ScriptedChatModel([text_answer("a")])
    model = BudgetedModel(script, budget(tokens, usd), prices=PRICES)
    if allowed:
        await model.complete(HELLO)
    else:
        with pytest.raises(BudgetExceededError, match="max_total_tokens or max_usd"):
            await model.complete(HELLO)
    assert len(script.requests) == int(allowed)


async def test_a_failed_call_gives_everything_back() -> None:
    purse = budget()
    script = ScriptedChatModel([ModelError("down"), text_answer("a")])
    model = BudgetedModel(script, purse, prices=PRICES)
    with pytest.raises(ModelError, match="down"):
        await model.complete(HELLO)
    assert purse.spent == Amount()
    await model.complete(HELLO)


async def test_an_unusable_answer_costs_its_worst_case() -> None:
    purse = budget()
    script = ScriptedChatModel([ModelAnswerError("garbled")])
    with pytest.raises(ModelAnswerError):
        await BudgetedModel(script, purse, prices=PRICES).complete(HELLO)
    assert purse.spent.tokens == WORST.tokens
    assert purse.spent.usd == pytest.approx(WORST.usd)


async def test_a_call_waits_for_room_that_others_will_give_back() -> None:
    purse = budget(tokens=WORST.tokens + 15)
    script = ScriptedChatModel([text_answer("a"), text_answer("b")])
    model = BudgetedModel(script, purse, prices=PRICES)
    await asyncio.gather(model.complete(HELLO), model.complete(HELLO))
    assert purse.spent.tokens == 30
    assert script.most_at_once == 1


async def test_waiting_ends_with_a_refusal_when_nothing_is_left() -> None:
    purse = budget(tokens=WORST.tokens)
    script = ScriptedChatModel([text_answer("a"), text_answer("never")])
    model = BudgetedModel(script, purse, prices=PRICES)
    results = await asyncio.gather(
        model.complete(HELLO), model.complete(HELLO), return_exceptions=True
    )
    assert isinstance(results[1], BudgetExceededError)
    assert len(script.requests) == 1


def test_one_budget_serves_several_event_loops() -> None:
    purse = budget(tokens=2 * WORST.tokens)
    for _ in range(2):
        script = ScriptedChatModel([text_answer("a"), text_answer("b")])
        model = BudgetedModel(script, purse, prices=PRICES)

        async def both(model: BudgetedModel = model) -> None:
            await asyncio.gather(model.complete(HELLO), model.complete(HELLO))

        asyncio.run(both())
    assert purse.spent.tokens == 60


@settings(deadline=None)
@given(
    limit=st.integers(0, 2000),
    used=st.lists(st.integers(0, 100), min_size=1, max_size=12),
)
def test_no_order_of_calls_passes_the_limit(limit: int, used: list[int]) -> None:
    purse = budget(tokens=limit)
    script = ScriptedChatModel(
        [text_answer("x", usage=Usage(completion_tokens=tokens)) for tokens in used]
    )
    model = BudgetedModel(script, purse, prices=PRICES)

    async def everything() -> list[object]:
        calls = (model.complete(HELLO) for _ in used)
        return list(await asyncio.gather(*calls, return_exceptions=True))

    results = asyncio.run(everything())
    refused = [result for result in results if isinstance(result, BudgetExceededError)]
    assert purse.spent.tokens <= limit
    assert len(refused) + len(script.requests) == len(used)
    if refused:
        assert purse.spent.tokens + WORST.tokens > limit


def test_all_parts_of_a_request_are_counted() -> None:
    small = estimate_prompt_tokens(HELLO)
    tools = ChatRequest(
        messages=HELLO.messages,
        tools=(Tool(name="shell", description="d" * 200, parameters={"a": "b" * 200}),),
    )
    schema = ChatRequest(messages=HELLO.messages, json_schema={"a": "b" * 200})
    assert small == 19
    assert estimate_prompt_tokens(tools) > small + 200
    assert estimate_prompt_tokens(schema) > small + 100
