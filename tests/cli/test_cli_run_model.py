"""`run ENV --model`: a rollout against a real HTTP server, and the embedded model."""

import json
from pathlib import Path
from typing import Protocol

import pytest

from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import ModelError
from envplatform.llm.embedded import embedded_gguf
from envplatform.store import Store
from tests.cli.conftest import Answer, Call
from tests.made_project import REPOSITORY, Made
from tests.model_server import Call as ToolCall
from tests.model_server import Reply, answer, model_server, refuse
from tests.swe.small_repository import HEALTHY

pytestmark = pytest.mark.slow
KEY = "sk-test-works-4f1d9b"


@pytest.fixture
def row(made: Made) -> EnvironmentRow:
    """One environment of the made store."""
    store = Store(made.project.home)
    return store.rows(EnvironmentRow, "swe_environments", REPOSITORY)[0]


class OnServer(Protocol):
    """Runs the one environment with a model of that name."""

    def __call__(self, *words: str) -> Answer:
        """Run it."""


@pytest.fixture
def on_server(
    call: Call,
    made: Made,
    row: EnvironmentRow,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> OnServer:
    """What a model says is kept in a home of its own; the environment is a folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("ENVPLATFORM_HOME", str(home))
    (home / "cache").mkdir(parents=True)
    images = (made.project.home / "cache" / "targets").resolve()
    (home / "cache" / "targets").symlink_to(images)
    folder = Store(made.project.home).directory("environments", row.digest)

    def run(*words: str) -> Answer:
        return call("run", folder, "--model", "scripted-1", *words)

    return run


def shell(command: str) -> Reply:
    arguments = json.dumps({"command": command})
    return answer(None, ToolCall(name="shell", arguments=arguments))


SUBMIT = answer(None, ToolCall(name="submit", arguments="{}"))
CORE = HEALTHY["spans/core.py"].data.decode()
SOLVE = shell(f"cat > spans/core.py <<'END'\n{CORE}END")


def test_a_model_that_solves_it(on_server: OnServer, row: EnvironmentRow) -> None:
    with model_server([SOLVE, SUBMIT]) as server:
        found = on_server("--base-url", server.base_url, "--json")
    assert found.code == 0
    trajectory = found.json
    assert (trajectory["reward"], trajectory["ending"]) == (1.0, "submitted")
    assert trajectory["environment_id"] == row.environment_id
    assert trajectory["policy"] == "scripted-1"
    assert len(trajectory["steps"]) == 2
    assert trajectory["usage"]["prompt_tokens"] == 20
    assert len(server.requests) == 2
    assert "turn 2: asking scripted-1" in found.err


def test_mini_swe_agent_solves_it(on_server: OnServer) -> None:
    """An environment of code as the pipeline made it, by the package itself."""
    solve = ToolCall(
        name="bash",
        arguments=json.dumps({"command": f"cat > spans/core.py <<'END'\n{CORE}END"}),
    )
    done = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    end = ToolCall(name="bash", arguments=json.dumps({"command": done}))
    with model_server([answer(None, solve), answer(None, end)]) as server:
        found = on_server(
            "--harness", "mini_swe_agent", "--base-url", server.base_url, "--json"
        )
    assert found.code == 0, found.out
    assert (found.json["harness"], found.json["reward"]) == ("mini_swe_agent", 1.0)


def test_a_model_that_does_not(on_server: OnServer) -> None:
    """It did its work, and the answer is no."""
    with model_server([shell("ls"), SUBMIT]) as server:
        found = on_server("--base-url", server.base_url)
    assert found.code == 3
    assert "-> submit {}" in found.out
    assert "submitted after 2 turn(s), reward 0.0" in found.out


def test_a_model_that_never_ends_is_stopped(on_server: OnServer) -> None:
    with model_server(lambda _: shell("true")) as server:
        found = on_server("--base-url", server.base_url, "--turns", "2", "--json")
    assert (found.code, found.json["ending"]) == (3, "turn_limit")
    assert len(server.requests) == 2


def test_what_was_said_once_is_replayed_and_another_server_is_asked(
    on_server: OnServer,
) -> None:
    """Two servers may serve different models under one name."""
    with model_server([SUBMIT]) as first:
        on_server("--base-url", first.base_url)
        again = on_server("--base-url", first.base_url)
        assert len(first.requests) == 1
        assert "that was recorded" in again.err
    with model_server([SOLVE, SUBMIT]) as second:
        other = on_server("--base-url", second.base_url, "--json")
    assert (other.code, other.json["reward"]) == (0, 1.0)


def test_a_wrong_key_is_an_error_of_the_set_up_and_stays_secret(
    on_server: OnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-92ab41")
    with model_server([SUBMIT], key=KEY) as server:
        found = on_server("--base-url", server.base_url, "--json")
    assert found.code == 1
    assert found.json["ending"] == "infrastructure_error"
    assert found.json["error_class"] == "ModelError"
    assert found.json["reward"] is None
    assert "92ab41" not in found.out + found.err


def test_a_hostile_answer_reaches_no_terminal(on_server: OnServer) -> None:
    evil = "\x1b]0;owned\x07[bold]x[/nothing]"
    with model_server([answer(evil), SUBMIT]) as server:
        found = on_server("--base-url", server.base_url)
    assert found.code == 3
    assert "\x1b" not in found.out
    assert "\\x1b]0;owned\\x07[bold]x[/nothing]" in found.out


def test_a_name_alone_is_no_server(on_server: OnServer) -> None:
    """The embedded model has one name; the way to a server is said."""
    found = on_server("--json")
    assert (found.code, found.json["error"]) == (1, "ConfigError")
    assert "base_url" in found.json["message"]


def test_a_server_that_refuses_says_so(on_server: OnServer) -> None:
    with model_server(lambda _: refuse(400, "no such model")) as server:
        found = on_server("--base-url", server.base_url)
    assert found.code == 1
    assert "infrastructure_error" in found.out


def missing() -> str | None:
    try:
        embedded_gguf()
    except ModelError as error:
        return str(error)
    return None


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_two_turns_of_the_embedded_model(ask: Call, row: EnvironmentRow) -> None:
    found = ask("run", row.environment_id, "--turns", "2", "--json")
    assert found.code in {0, 3}
    assert found.json["error_class"] is None
    assert 1 <= len(found.json["steps"]) <= 2
    assert found.json["reward"] in {0.0, 1.0}
