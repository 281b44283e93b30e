"""Whatever a person gets wrong: one message that says what to do, or one object."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.made_project import CHECKOUT

COMMANDS: dict[str, tuple[str, ...]] = {
    "demo": (),
    "ui": (),
    "status": (),
    "doctor": (),
    "inspect": ("some-id",),
    "run": ("some-id",),
    "shell": ("some-id", "-c", "ls"),
    "verify": ("bug.patch", "--repo", "."),
    "why": ("some-id",),
    "trace": ("some-id",),
}
"""Each command as it is called for something."""
WITHOUT_PROJECT = sorted(COMMANDS.keys() - {"doctor", "verify"})
OF_ONE_THING = ("inspect", "run", "shell", "why", "trace")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a patch and some code, and no configuration yet."""
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "code.py").write_text("x = 1\n")
    (folder / "tests" / "test_code.py").write_text("def test(): pass\n")
    (folder / "bug.patch").write_text(
        "--- a/code.py\n+++ b/code.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    )
    return folder


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[sandbox\n", ["not valid TOML"]),
        ("[sandbox]\nkind = 3\nfoo = 1\n", ["sandbox.kind", "sandbox.foo", "2 wrong"]),
    ],
    ids=["toml", "keys"],
)
def test_a_broken_configuration_is_named(
    call: Call, folder: Path, command: str, text: str, parts: list[str]
) -> None:
    (folder / "envplatform.toml").write_text(text)
    (folder / "below").mkdir()
    arguments = [word.replace("bug", "../bug") for word in COMMANDS[command]]
    found = call(command, *arguments, "--json", folder=folder / "below")
    assert (found.code, found.json["error"]) == (1, "ConfigError")
    for part in (str(folder / "envplatform.toml"), *parts):
        assert part in found.json["message"]
    told = call(command, *arguments, folder=folder / "below")
    assert (told.code, told.out) == (1, "")
    assert told.err.startswith("ConfigError ")


@pytest.mark.parametrize("command", WITHOUT_PROJECT)
def test_outside_of_any_project_the_way_in_is_named(
    call: Call, command: str, tmp_path: Path
) -> None:
    found = call(command, *COMMANDS[command], "--json")
    assert (found.code, found.json["error"]) == (1, "ConfigError")
    for part in (
        "envplatform.toml",
        "ENVPLATFORM_HOME",
        "--config",
        "envplatform init",
    ):
        assert part in found.json["message"]
    assert list((tmp_path / "nowhere").iterdir()) == []


@pytest.mark.parametrize("command", ["demo", "ui"])
def test_a_home_alone_is_no_configuration_for_dagster(
    call: Call, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take the checkout's own file, which the user never named."""
    monkeypatch.setenv("ENVPLATFORM_HOME", str(tmp_path / "home"))
    found = call(command, "--json")
    assert (found.code, found.json["error"]) == (1, "ConfigError")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_configuration_that_is_not_there(call: Call, command: str) -> None:
    found = call(command, *COMMANDS[command], "--config", "gone.toml", "--json")
    if command == "verify":  # the patch is looked at first
        assert found.json["error"] == "PatchError"
    else:
        assert found.json["error"] == "ConfigError"
        assert "gone.toml" in found.json["message"]
    assert found.code == 1


@pytest.mark.parametrize("command", OF_ONE_THING)
def test_in_an_empty_store_nothing_is_found(
    call: Call, command: str, folder: Path
) -> None:
    (folder / "envplatform.toml").touch()
    found = call(command, *COMMANDS[command], "--json", folder=folder)
    assert (found.code, found.json["error"]) == (1, "StoreError")
    assert "'some-id' is stored, nor any other" in found.json["message"]


@pytest.mark.parametrize("command", ["inspect", "run", "trace"])
def test_a_folder_that_is_no_environment(
    call: Call, command: str, folder: Path
) -> None:
    for name in ("./tests", "./gone", "./code.py"):
        found = call(command, name, "--json", folder=folder)
        assert (found.code, found.json["error"]) == (1, "BundleError")


@pytest.mark.parametrize(
    "words",
    [
        ("status", "--nonsense", "--json"),
        ("nonsense", "--json"),
        ("inspect", "--json"),
        ("run", "x", "--turns", "0", "--json"),
        ("init", "--profile", "huge", "--json"),
        ("ui", "--port", "99999999", "--json"),
        ("shell", "x", "--json"),
    ],
)
def test_a_wrong_call_is_one_object_too(
    call: Call, words: tuple[str, ...], folder: Path
) -> None:
    (folder / "envplatform.toml").touch()
    found = call(*words, folder=folder)
    assert found.code == 2
    assert found.json["error"] == "UsageError"
    assert found.json["message"]


def test_a_wrong_call_without_json_is_told_on_standard_error(call: Call) -> None:
    found = call("status", "--nonsense")
    assert (found.code, found.out) == (2, "")
    assert "--nonsense" in found.err


def test_a_home_that_can_not_be_read_is_an_error_and_no_traceback(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ENVPLATFORM_HOME", str(tmp_path / "file"))
    found = call("run", "x" * 300, "--json")
    assert found.code == 1
    assert found.json["error"] in {"OSError", "NotADirectoryError", "StoreError"}


def test_help_and_version(call: Call) -> None:
    for command in (*COMMANDS, "init"):
        found = call(command, "--help")
        assert found.code == 0
        assert "--json" in found.out
    assert call("--version").out.startswith("envplatform ")


def program(
    *words: str, folder: Path, **environ: str
) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ENVPLATFORM_")}
    return subprocess.run(
        [sys.executable, "-m", "envplatform", *words],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(CHECKOUT), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_bubblewrap_and_docker_both_are_named(folder: Path) -> None:
    """What is missing, and the commands that install it."""
    bare = {"PATH": "", "DOCKER_HOST": "unix:///nonexistent/docker.sock"}
    for words in (("verify", "bug.patch"), ("verify", "bug.patch", "--json")):
        done = program(*words, folder=folder, **bare, XDG_CACHE_HOME=str(folder / "c"))
        assert done.returncode == 1
        said = done.stdout if "--json" in words else done.stderr
        assert "SandboxUnavailableError" in said
        assert "apt-get install bubblewrap" in said
        assert "docker" in said.lower()
        assert "Traceback" not in done.stderr
    done = program("doctor", folder=folder, **bare, HOME=str(folder))
    assert done.returncode == 3
    assert "problem  sandbox configured (auto)" in done.stdout
    assert "problem  git: not found; install it: apt-get install git" in done.stdout


def test_the_module_is_the_command(folder: Path) -> None:
    done = program("--version", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    done = program("status", "--nonsense", folder=folder)
    assert "Usage: envplatform status" in done.stderr
