"""Putting the tests back into a hostile workspace, links and special files included."""

import os
from pathlib import Path

import pytest

from envplatform.swe.verifier.files import infrastructure_rules
from envplatform.swe.verifier.inside.restore import restore
from envplatform.tree import read_tree, write_tree
from tests.swe.small_repository import BUGGY, HEALTHY, TARGET

RULES = infrastructure_rules(TARGET)
TESTS = {path: file for path, file in HEALTHY.items() if TARGET.is_test_file(path)}


def _restore(root: Path, source: Path) -> None:
    write_tree(TESTS, source)
    restore(root, [source], RULES)


def test_an_honest_workspace_gets_its_tests_back(tmp_path: Path) -> None:
    write_tree(BUGGY, tmp_path / "w")
    (tmp_path / "w/tests/test_inside.py").unlink()
    _restore(tmp_path / "w", tmp_path / "s")
    assert read_tree(tmp_path / "w") == BUGGY


def test_additions_that_steer_tests_are_gone_and_code_stays(tmp_path: Path) -> None:
    write_tree(BUGGY, tmp_path / "w")
    extra = ("conftest.py", "spans/conftest.py", "pytest.ini", "a.pth", "tests/new.py")
    for path in (*extra, "sitecustomize.py", "test_x.py", "spans/new.py"):
        (tmp_path / "w" / path).write_text("")
    (tmp_path / "w/tests/__pycache__").mkdir()
    (tmp_path / "w/tests/__pycache__/test_total.cpython-311.pyc").write_bytes(b"")
    (tmp_path / "w/spans/core.pyc").write_bytes(b"")
    _restore(tmp_path / "w", tmp_path / "s")
    assert read_tree(tmp_path / "w").keys() == {*BUGGY, "spans/new.py"}


def test_links_and_pipes_are_removed_and_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "test_total.py").write_text("keep me")
    write_tree(BUGGY, tmp_path / "w")
    for name in ("test_inside.py", "test_total.py", "conftest.py"):
        (tmp_path / "w/tests" / name).unlink()
    (tmp_path / "w/tests").rmdir()
    (tmp_path / "w/tests").symlink_to(outside, target_is_directory=True)
    (tmp_path / "w/spans/link.py").symlink_to(outside / "test_total.py")
    (tmp_path / "w/pyproject.toml").unlink()
    (tmp_path / "w/pyproject.toml").symlink_to(outside / "missing")
    os.mkfifo(tmp_path / "w/spans/pipe")
    _restore(tmp_path / "w", tmp_path / "s")
    assert read_tree(tmp_path / "w") == BUGGY
    assert (outside / "test_total.py").read_text() == "keep me"
    assert list(outside.iterdir()) == [outside / "test_total.py"]


def test_files_where_folders_belong_and_folders_where_files_belong(
    tmp_path: Path,
) -> None:
    write_tree(
        {
            path: file
            for path, file in BUGGY.items()
            if path != "pyproject.toml" and not path.startswith("tests/")
        },
        tmp_path / "w",
    )
    (tmp_path / "w/tests").write_text("not a folder")
    (tmp_path / "w/pyproject.toml").mkdir()
    (tmp_path / "w/pyproject.toml/x.py").write_text("")
    _restore(tmp_path / "w", tmp_path / "s")
    assert read_tree(tmp_path / "w") == BUGGY


def test_locked_folders_are_opened(tmp_path: Path) -> None:
    write_tree(BUGGY, tmp_path / "w")
    (tmp_path / "w/tests").chmod(0o500)
    _restore(tmp_path / "w", tmp_path / "s")
    assert read_tree(tmp_path / "w") == BUGGY


@pytest.mark.parametrize("kind", ["folder", "locked", "file", "link", "nothing"])
def test_the_repository_is_gone_whatever_it_is(tmp_path: Path, kind: str) -> None:
    write_tree(BUGGY, tmp_path / "w")
    place, outside = tmp_path / "w/.git", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    match kind:
        case "file":
            place.write_text("gitdir: /elsewhere")
        case "link":
            place.symlink_to(outside, target_is_directory=True)
        case "folder" | "locked":
            (place / "objects/aa").mkdir(parents=True)
            (place / "objects/aa/bb").touch()
            (place / "link").symlink_to(outside, target_is_directory=True)
            (place / "objects/aa").chmod(0o500 if kind == "locked" else 0o755)
    _restore(tmp_path / "w", tmp_path / "s")
    assert read_tree(tmp_path / "w") == BUGGY
    assert (outside / "kept").exists()
