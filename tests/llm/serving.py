"""A model on a scripted server, and what the tests of the client share."""

import random
from datetime import UTC, datetime

import pytest

from envplatform.errors import ModelError
from envplatform.llm.chat import ChatRequest, Message
from envplatform.llm.endpoint import Endpoint, Prices
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.retry import RetryPolicy
from tests.model_server import (
    WORKS,
    ModelServer,
    Script,
    model_server,
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
