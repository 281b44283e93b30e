import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from typer.testing import CliRunner

from envplatform.cli.main import app
from tests.made_project import Made

VARIABLES = ("ENVPLATFORM_HOME", "ENVPLATFORM_CONFIG", "XDG_CACHE_HOME")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output, which must be one JSON object."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


class Call(Protocol):
    """Runs a command in this process, in a folder that belongs to no project."""

    def __call__(
        self, *words: str | Path, folder: Path | None = None, stdin: str = ""
    ) -> Answer:
        """Run one command."""


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """Nothing of the caller's environment says where a project is."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "nowhere").mkdir()

    def run(*words: str | Path, folder: Path | None = None, stdin: str = "") -> Answer:
        monkeypatch.chdir(folder or tmp_path / "nowhere")
        result = CliRunner().invoke(
            app, [str(word) for word in words], input=stdin, catch_exceptions=False
        )
        return Answer(code=result.exit_code, out=result.stdout, err=result.stderr)

    return run


@pytest.fixture
def ask(call: Call, made: Made, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs a command on the made project."""
    for name, value in made.project.environ.items():
        monkeypatch.setenv(name, value)
    return call
