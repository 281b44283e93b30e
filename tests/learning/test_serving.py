"""A trained model behind an ordinary client: the real process, the real client."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import ContextLengthError, ModelError, StudentError
from envplatform.learning.serving.orders import ServingOrder
from envplatform.learning.serving.served import Server, served_model
from envplatform.llm.chat import ChatRequest, Message, Tool
from envplatform.llm.endpoint import Endpoint
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.retry import RetryPolicy
from tests.learning.made_elsewhere import policy, student
from tests.learning.made_students import ASK, CALL, RESULT, SYSTEM

SHELL = Tool(name="shell", description="Run.", parameters={"type": "object"})


def asked(server: Server, *, key: str | None = None) -> OpenAIChatModel:
    endpoint = Endpoint(
        name="tiny", base_url=server.base_url, model="tiny", api_key_env="KEY"
    )
    return OpenAIChatModel(
        endpoint,
        retry=RetryPolicy(attempts=1),
        environ={"KEY": server.key if key is None else key},
    )


@pytest.fixture(scope="module")
def server() -> object:
    with served_model(ServingOrder(name="tiny", base=student())) as found:
        yield found


async def test_equal_requests_get_equal_answers_and_seeds_differ(
    server: Server,
) -> None:
    request = ChatRequest(
        messages=(SYSTEM, ASK, CALL, RESULT), tools=(SHELL,), max_tokens=8
    )
    async with asked(server) as model:
        first, second = [await model.complete(request) for _ in range(2)]
        drawn = [
            await model.complete(replace(request, temperature=1.0, seed=seed))
            for seed in (1, 1, 2, 3)
        ]
    assert first.message == second.message
    assert first.usage.completion_tokens <= 8
    assert first.usage.prompt_tokens > 0
    assert drawn[0].message == drawn[1].message
    assert len({one.message.content for one in drawn}) > 1


async def test_a_conversation_that_is_too_long_says_so(server: Server) -> None:
    long = Message(role="user", content="where is it " * 400)
    async with asked(server) as model:
        with pytest.raises(ContextLengthError):
            await model.complete(ChatRequest(messages=(long,)))


async def test_nobody_else_on_the_machine_is_answered(server: Server) -> None:
    async with asked(server, key="another") as model:
        with pytest.raises(ModelError):
            await model.complete(ChatRequest(messages=(ASK,)))


def test_what_cannot_be_served_says_why(tmp_path: Path) -> None:
    with (
        pytest.raises(StudentError, match="neither a folder"),
        served_model(ServingOrder(name="none", base=tmp_path / "none")),
    ):
        pass


def test_an_adapter_of_another_base_is_not_served(tmp_path: Path) -> None:
    del tmp_path
    order = ServingOrder(name="x", base=student(), checkpoint=policy())
    with pytest.raises(StudentError, match="adapter"), served_model(order):
        pass
