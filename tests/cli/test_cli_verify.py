"""`verify` on a checkout as people have them: links, caches and environments inside."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from envplatform.patches import diff_trees
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.tree import File, Tree, write_tree
from tests.cli.conftest import Answer, Call
from tests.swe.small_repository import CANDIDATE, FAIL_TO_PASS, HEALTHY, PASS_TO_PASS

CORE = "spans/core.py"


def edited(path: str, old: bytes, new: bytes) -> str:
    data = HEALTHY[path].data
    assert old in data
    after: Tree = {**HEALTHY, path: File(data.replace(old, new))}
    return diff_trees(HEALTHY, after)


NO_BUG = edited(CORE, b"result = 0", b"result = 0 + 0")
TESTS = edited("tests/test_total.py", b"== 6", b"== 7")
GONE = CANDIDATE.bug_patch.replace("spans/core", "spans/gone")
LEAVES = CANDIDATE.bug_patch.replace("spans/core", "../core")
STALE = CANDIDATE.bug_patch.replace("low <= value", "low < value")
LOOPS = edited(
    CORE, b"    for value in values:\n", b"    while values:\n        value = 1\n"
)


def git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with what tools and people leave in one."""
    folder = tmp_path_factory.mktemp("checkouts") / "my spans (1)"
    write_tree(HEALTHY, folder)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "all")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "spans" / "dangling.py").symlink_to("nowhere.py")
    (folder / "everything").symlink_to(".")
    os.mkfifo(folder / "pipe")
    for name in (".venv", "env"):  # the second has no name that tells
        (folder / name / "lib" / "evil").mkdir(parents=True)
        (folder / name / "pyvenv.cfg").touch()
        (folder / name / "lib" / "test_evil.py").write_text("assert False\n")
    (folder / "spans" / "__pycache__").mkdir()
    (folder / "spans" / "__pycache__" / "core.cpython-311.pyc").write_bytes(b"junk")
    (folder / ".pytest_cache").mkdir()
    (folder / ".pytest_cache" / "README.md").touch()
    return folder


Verify = Callable[..., Answer]


@pytest.fixture
def verify(
    call: Call,
    bubblewrap: BubblewrapProvider,
    cache_folder: Path,
    tmp_path: Path,
    checkout: Path,
) -> Verify:
    """Verifies a patch in the checkout, where there is no project, as `--repo .`."""
    del bubblewrap
    caches = tmp_path / "cache" / "envplatform" / "cache"
    caches.mkdir(parents=True)
    (cache_folder / "images").mkdir(parents=True, exist_ok=True)
    (caches / "targets").symlink_to(cache_folder / "images")

    def run(patch: str, *words: str, folder: Path | None = None) -> Answer:
        (tmp_path / "a.patch").write_bytes(patch.encode("utf-8", "surrogateescape"))
        place = folder or checkout
        return call("verify", tmp_path / "a.patch", "--repo", ".", *words, folder=place)

    return run


def test_a_bug_is_proven_and_the_checkout_stays_as_it_is(
    verify: Verify, checkout: Path
) -> None:
    before = sorted(checkout.rglob("*"))
    found = verify(CANDIDATE.bug_patch, "--json")
    assert found.code == 0
    assert found.json["verified"] is True
    assert found.json["fail_to_pass"] == list(FAIL_TO_PASS)
    assert found.json["pass_to_pass"] == list(PASS_TO_PASS)
    assert found.json["baseline"]["stable"] == 4
    assert found.json["baseline"]["unstable"] == {}
    assert found.json["baseline"]["broken"] == {}
    assert sorted(checkout.rglob("*")) == before
    for stage in ("preparing local__my-spans--1-", "baseline: ", "clean sandbox 4"):
        assert stage in found.err


def test_no_bug_is_exit_code_3_for_a_person_too(verify: Verify) -> None:
    found = verify(NO_BUG)
    assert found.code == 3
    assert "baseline: 4 stable tests, 0 unstable" in found.out
    assert "no bug: no_failure: " in found.out


def test_a_patch_of_the_tests_is_no_bug(verify: Verify) -> None:
    found = verify(TESTS, "--json")
    assert (found.code, found.json["rejection"]) == (3, "touches_tests")
    assert "tests/test_total.py" in found.json["detail"]


@pytest.mark.parametrize("patch", [GONE, STALE], ids=["gone", "stale"])
def test_a_patch_that_does_not_apply_runs_nothing(verify: Verify, patch: str) -> None:
    found = verify(patch, "--json")
    assert (found.code, found.json["rejection"]) == (3, "does_not_apply")
    assert found.json["baseline"] is None
    assert found.json["runs"] == 0
    assert "clean sandbox" not in found.err
    assert "no bug: does_not_apply: " in verify(patch).out


@pytest.mark.parametrize(
    "patch",
    [LEAVES, "hello\n", "", "\udcff\udcfe\x00"],
    ids=["leaves", "text", "empty", "bytes"],
)
def test_a_patch_that_is_none_or_leaves_the_repository(
    verify: Verify, patch: str
) -> None:
    found = verify(patch, "--json")
    assert (found.code, found.json["error"]) == (1, "PatchError")
    assert "clean sandbox" not in found.err


def test_a_patch_that_loops_ends_in_time(verify: Verify, tmp_path: Path) -> None:
    """Its own target.toml says how long a test may take."""
    folder = tmp_path / "checkout"
    write_tree(HEALTHY, folder)
    pins = '"pytest==9.2.0", "coverage==7.17.5", "iniconfig==2.3.1", "packaging==26.4"'
    (folder / "target.toml").write_text(f"""
name = "made__spans"
license = "MIT"
python = ["3.11", "3.12", "3.13"]
requirements = [{pins}, "pluggy==1.7.0", "pygments==2.21.0"]
source = {{ kind = "path", path = "." }}
code = {{ roots = ["spans"] }}
[suite]
paths = ["tests"]
test_timeout_s = 1.0
""")
    found = verify(LOOPS, "--json", folder=folder)
    assert (found.code, found.json["rejection"]) == (3, "timeout")
    found = verify(LOOPS, "--requirement", "a==1", "--json", folder=folder)
    assert (found.code, found.json["error"]) == (1, "TargetError")
    assert "target.toml says what the suite needs" in found.json["message"]


def test_a_missing_module_is_named_with_the_remedy(
    verify: Verify, tmp_path: Path
) -> None:
    folder = tmp_path / "checkout"
    tests = b"import numpy_like\n" + HEALTHY["tests/test_inside.py"].data
    write_tree({"tests/test_inside.py": File(tests), CORE: HEALTHY[CORE]}, folder)
    (folder / "spans" / "__init__.py").touch()
    found = verify(CANDIDATE.bug_patch, "--json", folder=folder)
    assert (found.code, found.json["error"]) == (1, "TargetError")
    assert "numpy_like" in found.json["message"]
    assert "--requirement name==version" in found.json["message"]


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({}, "holds no files"),
        ({"README.md": ""}, "no tests"),
        ({"tests/test_x.py": ""}, "no Python code"),
    ],
)
def test_a_folder_that_is_no_repository(
    verify: Verify, tmp_path: Path, files: dict[str, str], part: str
) -> None:
    folder = tmp_path / "checkout"
    folder.mkdir()
    write_tree({path: File(text.encode()) for path, text in files.items()}, folder)
    found = verify(CANDIDATE.bug_patch, "--json", folder=folder)
    assert (found.code, found.json["error"]) == (1, "TargetError")
    assert part in found.json["message"]


def test_the_patch_comes_from_standard_input_or_is_missing(
    call: Call, verify: Verify, checkout: Path
) -> None:
    del verify  # prepares the cache
    piped = call("verify", "-", "--json", folder=checkout, stdin=GONE)
    assert (piped.code, piped.json["rejection"]) == (3, "does_not_apply")
    gone = call("verify", "gone.patch", "--json", folder=checkout)
    assert (gone.code, gone.json["error"]) == (1, "PatchError")
    for repo in ("gone", "a.txt"):
        (checkout.parent / "a.txt").touch()
        lost = call(
            "verify", "-", "--repo", repo, "--json", folder=checkout.parent, stdin=GONE
        )
        assert (lost.code, lost.json["error"]) == (1, "TargetError")
