"""Users inside speak as `[rollouts] user_wording` says, in every command that has one."""

import json
from pathlib import Path

import pytest

from envplatform.cli.place import Place
from envplatform.cli.user_words import configured_wording
from envplatform.configuration import parse_configuration
from envplatform.user.wording import ModelWording
from tests.model_server import answer, model_server
from tests.rollout.made_user import user_environment
from tests.rollout.tiny import tiny_environment
from tests.user.made_plan import plan
from tests.user.test_user_words import telling

MODEL = """\
[rollouts]
user_wording = "model"
[user_model]
kind = "openai"
name = "words-1"
base_url = "{url}"
api_key_env = "WORDS_KEY"
"""


def _place(folder: Path, text: str) -> Place:
    configuration = parse_configuration(text, source="x.toml")
    return Place(file=None, home=folder, configuration=configuration)


async def test_the_model_named_words_what_a_plan_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORDS_KEY", "sk-words")
    with model_server([answer("By the way, it is 1.17 now.")]) as server:
        place = _place(tmp_path, MODEL.format(url=server.base_url))
        async with configured_wording(place, user_environment()) as wording:
            assert isinstance(wording, ModelWording)
            said = await wording.say(plan(), telling(), [])
    assert (said.how, said.text) == ("model", "By the way, it is 1.17 now.")
    assert server.requests[0]["model"] == "words-1"
    lines = (tmp_path / "models" / "ledger.jsonl").read_text().splitlines()
    assert {json.loads(line)["purpose"] for line in lines if line} == {"user"}


async def test_it_is_off_unless_asked_for_and_where_there_is_no_user(
    tmp_path: Path,
) -> None:
    for text, environment in (
        ("", user_environment()),
        (MODEL.format(url="http://127.0.0.1:1/v1"), tiny_environment()),
    ):
        place = _place(tmp_path, text)
        async with configured_wording(place, environment) as wording:
            assert wording is None
