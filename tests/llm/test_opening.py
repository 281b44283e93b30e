"""open_model: settings to a model with budget, recording and ledger around it."""

from pathlib import Path

import pytest

from envplatform.configuration import ModelSettings
from envplatform.errors import BudgetExceededError, ConfigError, ModelError
from envplatform.llm.chat import ChatRequest, Message
from envplatform.llm.embedded import EMBEDDED_NAME
from envplatform.llm.ledger import Ledger
from envplatform.llm.opening import open_model
from tests.model_server import answer, model_server

HELLO = ChatRequest(messages=(Message(role="user", content="hello"),))


def scripted(base_url: str, **changes: object) -> ModelSettings:
    return ModelSettings.model_validate(
        {"kind": "openai", "name": "m", "base_url": base_url, **changes}
    )


async def ask(settings: ModelSettings, folder: Path) -> str:
    opened = open_model(settings, folder=folder, asset="a", purpose="p", environ={})
    async with opened as model:
        return (await model.complete(HELLO)).message.content


async def test_settings_reach_the_wire(tmp_path: Path) -> None:
    with model_server([answer("hi")]) as server:
        settings = scripted(
            server.base_url,
            max_tokens_field="max_completion_tokens",
            omit=("temperature",),
        )
        assert await ask(settings, tmp_path) == "hi"
    (sent,) = server.requests
    assert sent["model"] == "m"
    assert "max_completion_tokens" in sent
    assert "temperature" not in sent


async def test_a_recording_made_once_serves_without_a_server(tmp_path: Path) -> None:
    with model_server([answer("hi")]) as server:
        settings = scripted(server.base_url)
        await ask(settings, tmp_path)
    replaying = settings.model_copy(update={"record": "replay", "max_total_tokens": 1})
    assert await ask(replaying, tmp_path) == "hi"
    assert [row.cached for row in Ledger(tmp_path / "ledger.jsonl").rows()] == [
        False,
        True,
    ]


async def test_without_recording_every_call_is_sent(tmp_path: Path) -> None:
    with model_server([answer("a"), answer("b")]) as server:
        settings = scripted(server.base_url, record="off")
        assert [await ask(settings, tmp_path) for _ in range(2)] == ["a", "b"]


async def test_the_budget_is_kept_and_refusals_are_in_the_ledger(
    tmp_path: Path,
) -> None:
    with (
        model_server([answer("never")]) as server,
        pytest.raises(BudgetExceededError),
    ):
        await ask(scripted(server.base_url, max_total_tokens=10), tmp_path)
    assert server.requests == []
    (row,) = Ledger(tmp_path / "ledger.jsonl").rows()
    assert row.error == "BudgetExceededError"


async def test_the_embedded_model_starts_only_when_asked(tmp_path: Path) -> None:
    settings = ModelSettings(record="replay")
    opened = open_model(settings, folder=tmp_path, asset="a", purpose="p", environ={})
    async with opened as model:
        assert model.name == EMBEDDED_NAME
        with pytest.raises(ModelError, match="no recording"):
            await model.complete(HELLO)


async def test_another_name_for_the_embedded_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model\.name = 'gpt'"):
        await ask(ModelSettings(name="gpt"), tmp_path)


async def test_a_far_server_needs_its_key(tmp_path: Path) -> None:
    settings = scripted("https://api.example.com/v1", api_key_env="FAR_KEY")
    with pytest.raises(ConfigError, match="FAR_KEY is not set"):
        await ask(settings, tmp_path)
