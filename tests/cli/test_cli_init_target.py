"""`init target` on folders, git repositories and what is neither."""

import subprocess
from pathlib import Path

import pytest

from envplatform.swe.targets import FolderSource, GitSource, load_target
from envplatform.tree import write_tree
from tests.cli.conftest import Call
from tests.swe.fixes.histories.git_server import serve_repository
from tests.swe.fixes.histories.made_repository import MadeRepository
from tests.swe.made_suites import CALC, tree_of

TESTS = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
PROJECT = '[project]\nname = "calc"\nlicense = "MIT"\nrequires-python = ">=3.8"\n'
FILES = {"calc.py": CALC, "tests/test_calc.py": TESTS, "pyproject.toml": PROJECT}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small repository, as a plain folder."""
    write_tree(tree_of(FILES), tmp_path / "calc")
    return tmp_path / "calc"


@pytest.mark.network
def test_a_folder_becomes_a_file_that_can_be_used(call: Call, folder: Path) -> None:
    found = call("init", "target", folder, "--json", folder=folder.parent)
    assert found.code == 0, found.out
    assert found.json["file"] == str(folder.parent / "target.toml")
    target = load_target(folder.parent / "target.toml")
    assert target.name == "local__calc"
    assert isinstance(target.source, FolderSource)
    assert target.source.path.resolve() == folder
    assert {pin.split("==")[0] for pin in target.requirements} > {"pytest", "coverage"}
    guesses = {guess["key"]: guess for guess in found.json["guesses"]}
    assert guesses["license"]["value"] == "MIT"
    assert guesses["license"]["reason"] == "pyproject.toml says so"


@pytest.mark.network
def test_a_folder_says_who_owns_it_by_its_remote(call: Call, folder: Path) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)
    url = "https://example.org/owner/name.git"
    subprocess.run(["git", "-C", folder, "remote", "add", "origin", url], check=True)
    found = call("init", "target", folder, "--to", "-")
    assert 'name = "owner__name"' in found.out
    assert not (folder / "target.toml").exists()


@pytest.mark.network
def test_a_repository_is_pinned_to_its_newest_commit(
    call: Call, tmp_path: Path
) -> None:
    made = MadeRepository(tmp_path / "made")
    inside = {f"packages/core/{path}": text.encode() for path, text in FILES.items()}
    commit = made.commit(inside)
    to = tmp_path / "core.toml"
    with serve_repository(made.folder) as server:
        words = ("init", "target", server.url, "--directory", "packages/core")
        found = call(*words, "--to", to)
        assert found.code == 0, found.err
        target = load_target(to)
        assert target.source == GitSource(url=server.url, commit=commit)
    assert target.suite.directory == "packages/core"
    assert target.code.roots == ("packages/core/calc.py",)
    assert f"wrote {to}" in found.out
    assert "code.roots = calc.py  # what the tests import" in found.out


def test_an_existing_file_stays_as_it_is(call: Call, folder: Path) -> None:
    (folder / "target.toml").write_text("# mine\n")
    found = call("init", "target", "--json", folder=folder)
    assert (found.code, found.json["error"]) == (1, "ConfigError")
    assert "edit it, name another with --to" in found.json["message"]
    assert (folder / "target.toml").read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("nowhere",), "nowhere is no folder and no URL"),
        (("ext::sh -c id",), "is no https"),
        (("http://user:secret@127.0.0.1:9/owner/name",), "127.0.0.1:9/owner/name"),
        ((".", "--commit", "0" * 40), "--commit is for a URL"),
        ((".", "--directory", "gone"), "no folder gone"),
        ((".",), "no Python code can be made out"),
    ],
)
def test_what_can_not_be_guessed_about_is_named(
    call: Call, words: tuple[str, ...], part: str, tmp_path: Path
) -> None:
    (tmp_path / "empty" / "tests").mkdir(parents=True)
    (tmp_path / "empty" / "tests" / "test_a.py").touch()
    found = call("init", "target", *words, "--json", folder=tmp_path / "empty")
    assert found.code == 1
    assert part in found.json["message"]
    assert "secret" not in found.out + found.err
    assert not (tmp_path / "empty" / "target.toml").exists()


def test_a_folder_called_target_can_still_be_named(call: Call, tmp_path: Path) -> None:
    found = call("init", "./target", "--json", folder=tmp_path)
    assert found.json["file"] == str(tmp_path / "target" / "envplatform.toml")
