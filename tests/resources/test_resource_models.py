"""The chat model as assets get it: from envplatform.toml to rows in the ledger."""

import asyncio
from pathlib import Path

import dagster as dg
import pytest

from envplatform.llm.chat import ChatRequest, Message
from envplatform.llm.ledger import Ledger
from resources.models import ChatModelResource
from tests.model_server import WORKS, answer, model_server

HELLO = ChatRequest(messages=(Message(role="user", content="hello"),))


def configured(folder: Path, **settings: object) -> ChatModelResource:
    lines = [f"{name} = {value!r}" for name, value in settings.items()]
    file = folder / "envplatform.toml"
    file.write_text("\n".join(["[model]", *lines]))
    return ChatModelResource(path=str(file), home=str(folder / "home"))


async def asked(resource: ChatModelResource) -> str:
    async with resource.open(asset="greetings", purpose="greet") as model:
        return (await model.complete(HELLO)).message.content


@dg.asset
def greetings(chat_model: ChatModelResource) -> str:
    """What the model says to a greeting."""
    return asyncio.run(asked(chat_model))


def test_an_asset_asks_once_and_replays_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREETING_KEY", WORKS)
    with model_server([answer("hi", prompt_tokens=1000)], key=WORKS) as server:
        resource = configured(
            tmp_path,
            kind="openai",
            name="scripted-1",
            base_url=server.base_url,
            api_key_env="GREETING_KEY",
            usd_per_million_prompt_tokens=1.0,
        )
        for _ in range(2):
            result = dg.materialize([greetings], resources={"chat_model": resource})
            assert result.success
            assert result.output_for_node("greetings") == "hi"
    assert len(server.requests) == 1
    first, again = Ledger(tmp_path / "home" / "models" / "ledger.jsonl").rows()
    assert (first.asset, first.purpose, first.model) == (
        "greetings",
        "greet",
        "scripted-1",
    )
    assert (first.usd, first.cached) == (0.001, False)
    assert (again.usd, again.cached) == (0.0, True)
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert all(WORKS.encode() not in path.read_bytes() for path in kept)
