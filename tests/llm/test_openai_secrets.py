"""Keys: from the named variable only, and never into text that anybody sees."""

import logging
import traceback

import pytest

from envplatform.errors import ConfigError, ModelError
from envplatform.llm.endpoint import Endpoint
from envplatform.llm.openai_model import OpenAIChatModel
from tests.llm.serving import HELLO, WRONG, model_for
from tests.model_server import (
    WORKS,
    answer,
    model_server,
)


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
