"""Which tests the fast tier runs, what a fork may judge, and what its lines may say."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image
from envplatform.swe.p2f.changes import Change, apply_change
from envplatform.swe.p2f.inside.screen_pristine import Pristine
from envplatform.swe.p2f.screen.answers import read_sitting
from envplatform.swe.p2f.screen.imports import read_imports
from envplatform.swe.p2f.screen.report import FastSettings, wilson
from envplatform.swe.p2f.screen.select import (
    affected_by,
    changes_bodies_only,
    select_tests,
)
from envplatform.tree import File, Tree
from tests.swe.made_suites import tree_of
from tests.swe.small_repository import (
    FAIL_TO_PASS,
    HEALTHY,
    PASS_TO_PASS,
    small_baseline,
    small_repository,
)

IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)
REPOSITORY = small_repository(IMAGE)
BASELINE = small_baseline()
BEFORE = '''
import os

LIMIT = 3


def f(a, b=1):
    """Say."""
    return a + b


class C:
    x = 1

    @property
    def y(self):
        return self.x
'''


def change_of(tree: Tree, path: str, old: str, new: str) -> Change:
    data = tree[path].data.decode()
    assert old in data
    after = {**tree, path: File(data.replace(old, new, 1).encode())}
    return apply_change(tree, diff_trees(tree, after))


@pytest.mark.parametrize(
    ("old", "new", "is_inside"),
    [
        ("return a + b", "return a - b", True),
        ("return self.x", "return 2", True),
        ("return a + b", "yield a + b", True),
        ("return a + b", "return (", True),  # the compiler refuses it in the sandbox
        ("LIMIT = 3", "LIMIT = 4", False),
        ("import os", "import sys", False),
        ("a, b=1", "a, b=2", False),
        ("a, b=1", "a, *, b=1", False),
        ("x = 1", "x = 2", False),
        ("@property", "@staticmethod", False),
        ("Say.", "Said.", False),
        ("def y", "def z", False),
        ("def f", "async def f", False),
        ("class C:", "class C(int):", False),
    ],
)
def test_a_fork_is_asked_about_the_insides_of_functions_only(
    old: str, new: str, *, is_inside: bool
) -> None:
    assert old in BEFORE
    after = File(BEFORE.replace(old, new, 1).encode())
    assert changes_bodies_only(File(BEFORE.encode()), after) is is_inside


def test_a_file_that_comes_goes_or_becomes_executable_is_not_for_a_fork() -> None:
    file = File(BEFORE.encode())
    assert not changes_bodies_only(None, file)
    assert not changes_bodies_only(file, None)
    assert not changes_bodies_only(file, replace(file, executable=True))


def test_the_screen_takes_tests_that_run_a_changed_line() -> None:
    change = change_of(HEALTHY, "spans/core.py", "<= high", "< high")
    selection = select_tests(REPOSITORY, BASELINE, change)
    assert selection is not None
    (stage,) = selection.stages
    assert sorted(stage) == sorted((*FAIL_TO_PASS, *PASS_TO_PASS[:2]))
    assert selection.share == 3 / 4


def test_a_suite_in_a_folder_of_a_monorepo_is_not_for_the_screen() -> None:
    suite = replace(REPOSITORY.target.suite, directory="packages/core")
    target = replace(REPOSITORY.target, suite=suite)
    monorepo = replace(REPOSITORY, target=target)
    change = change_of(HEALTHY, "spans/core.py", "<= high", "< high")
    assert select_tests(REPOSITORY, BASELINE, change) is not None
    assert select_tests(monorepo, BASELINE, change) is None


def test_a_change_that_runs_at_import_is_not_for_the_screen() -> None:
    change = change_of(HEALTHY, "spans/core.py", "value, low", "value, low=0")
    assert select_tests(REPOSITORY, BASELINE, change) is None


def test_the_screen_takes_tests_that_start_processes_too() -> None:
    tree = {
        **HEALTHY,
        "tests/test_total.py": File(
            b"import subprocess\n" + HEALTHY["tests/test_total.py"].data
        ),
    }
    change = change_of(tree, "spans/core.py", "<= high", "< high")
    selection = select_tests(replace(REPOSITORY, tree=tree), BASELINE, change)
    assert selection is not None
    first, last = selection.stages
    assert last == (PASS_TO_PASS[2],), "what runs no changed line comes last"
    assert set(first) == {*FAIL_TO_PASS, *PASS_TO_PASS[:2]}
    assert selection.share == 3 / 4


def test_confirmation_takes_all_tests_of_files_that_use_the_changed_file() -> None:
    imports = read_imports(HEALTHY, (".",))
    change = change_of(HEALTHY, "spans/core.py", "<= high", "< high")
    assert affected_by(REPOSITORY, BASELINE, imports, change) == set(BASELINE.stable)


def test_a_conftest_that_uses_the_changed_file_brings_its_tests() -> None:
    tree = {
        **HEALTHY,
        "spans/more.py": File(b"def more():\n    return 1\n"),
        "tests/conftest.py": File(b"from spans.more import more\n"),
    }
    repository = replace(REPOSITORY, tree=tree)
    lines = {"t/none.py::t": {"spans/more.py": (2,)}}
    baseline = replace(
        BASELINE, coverage=replace(BASELINE.coverage, by_test=lines, imported={})
    )
    change = change_of(tree, "spans/more.py", "return 1", "return 2")
    imports = read_imports(tree, (".",))
    found = affected_by(repository, baseline, imports, change)
    assert found == {"t/none.py::t", *BASELINE.stable}


def test_a_conftest_that_hands_a_package_on_uses_none_of_it() -> None:
    tree = tree_of(
        {
            "p/__init__.py": "from p.a import one\n",
            "p/a.py": "def one(): return 1\n",
            "conftest.py": "import p\ndef names(): return {'p': p}\n",
            "other.py": "import p\ndef names(): return {'p': p}, p.one\n",
        }
    )
    imports = read_imports(tree, (".",))
    assert imports.named_by("conftest.py") == {"conftest.py"}
    assert imports.used_by("conftest.py") == {"conftest.py", "p/__init__.py", "p/a.py"}
    assert imports.named_by("other.py") == {"other.py", "p/a.py"}


PACKAGE = tree_of(
    {
        "src/p/__init__.py": "from p.a import one\nfrom .b import *\nVERSION = 1\n",
        "src/p/a.py": "def one(): return 1\n",
        "src/p/b.py": "from . import c\ndef two(): return c.three()\n",
        "src/p/c.py": "def three(): return 3\n",
        "tests/test_one.py": "from p import one\n",
        "tests/test_star.py": "import p\np.two()\n",
        "src/q/__init__.py": "from .a import *\nfrom .b import *\n",
        "src/q/a.py": "globals()['four'] = 4\n",
        "src/q/b.py": "from p.c import three\nfive = 5\n",
        "tests/test_dynamic.py": "import q\nq.five\n",
        "tests/test_unknown.py": "from q import six\n",
        "tests/test_missing.py": "import p\np.seven\n",
        "tests/test_attribute.py": "import p as q\nq.one()\n",
        "tests/test_dotted.py": "import p.c\n",
        "tests/test_all.py": "import p\nvars(p)\n",
        "tests/test_version.py": "from p import VERSION\n",
        "tests/test_helper.py": "from helper import x\n",
        "tests/helper.py": "from p.c import three\n",
        "tests/test_late.py": "def test(): from p import a\n",
        "tests/test_broken.py": "def (\n",
    }
)
ALL = {"src/p/__init__.py", "src/p/a.py", "src/p/b.py", "src/p/c.py"}


@pytest.mark.parametrize(
    ("test", "used"),
    [
        ("one", {"src/p/a.py"}),
        ("star", {"src/p/b.py", "src/p/c.py"}),
        ("dynamic", {"src/q/a.py", "src/q/b.py", "src/p/c.py"}),
        ("unknown", {"src/q/a.py"}),
        ("missing", {"src/p/__init__.py"}),
        ("attribute", {"src/p/a.py"}),
        ("dotted", {"src/p/c.py"}),
        ("all", ALL),
        ("version", {"src/p/__init__.py"}),
        ("helper", {"tests/helper.py", "src/p/c.py"}),
        ("late", {"src/p/a.py"}),
        ("broken", set()),
    ],
)
def test_a_name_taken_through_a_package_counts_for_where_it_comes_from(
    test: str, used: set[str]
) -> None:
    path = f"tests/test_{test}.py"
    assert read_imports(PACKAGE, ("src",)).used_by(path) == {path, *used}


def test_modules_that_import_each_other_are_followed_once() -> None:
    tree = tree_of(
        {
            "p/__init__.py": "from p.a import *\nfrom p.b import *\n",
            "p/a.py": "from p import *\nfrom p import gone\n",
            "p/b.py": "from p.a import *\nfrom . import x\n",
            "t.py": "from p import gone\n",
        }
    )
    assert read_imports(tree, (".",)).used_by("t.py") == set(tree)


def line(kind: str, place: int = 0, nonce: str = "n", **more: object) -> bytes:
    return json.dumps({"kind": kind, "place": place, "nonce": nonce, **more}).encode()


def test_a_candidate_that_had_begun_and_got_no_answer_is_cold() -> None:
    lines = [line("ready"), line("begin"), line("answer", said="survives")]
    lines += [line("begin", 1), b'{"kind": "answ']
    sitting = read_sitting(b"\n".join(lines), nonce="n", asked=(0, 1, 2))
    assert {p: a.said for p, a in sitting.answers.items()} == {0: "survives", 1: "cold"}
    assert sitting.is_usable


@pytest.mark.parametrize(
    "lines",
    [
        [line("ready"), line("begin"), line("answer", nonce="other")],
        [line("ready"), line("begin", 1), line("answer", 1)],
        [line("ready"), line("answer")],
        [line("ready"), b"PASSED"],
        [line("ready"), line("begin"), line("answer", said="verified")],
        [line("ready"), line("begin"), line("answer", seconds=-1)],
        [],
    ],
)
def test_lines_that_the_watch_cannot_have_printed_answer_nothing(
    lines: list[bytes],
) -> None:
    stdout = b"".join(one + b"\n" for one in lines)
    sitting = read_sitting(stdout, nonce="n", asked=(0, 1))
    assert not sitting.answers
    assert not sitting.is_usable
    assert sitting.detail


def tree_at(folder: Path) -> dict[str, tuple[int, object]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.readlink()
            if path.is_symlink()
            else path.read_bytes()
            if path.is_file()
            else None,
        )
        for path in sorted(folder.rglob("*"))
    }


def test_places_are_restored_whatever_was_done_to_them(tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "a" / "b").mkdir(parents=True)
    (place / "a" / "b" / "f").write_bytes(b"1\r\n")
    (place / "a" / "x").write_bytes(b"run")
    (place / "a" / "x").chmod(0o755)
    (place / "link").symlink_to("a")
    before = tree_at(place)
    pristine = Pristine([str(place), str(tmp_path / "gone")])
    assert pristine.restore() == 0
    (place / "a" / "b" / "f").write_bytes(b"2\r\n")  # as long, within a tick
    (place / "a" / "x").unlink()
    (place / "a" / "x").mkdir()
    (place / "a" / "x" / "in").write_bytes(b"")
    (place / "link").unlink()
    (place / "link").symlink_to("/etc")
    (place / "new").symlink_to("/etc/passwd")
    (place / "a").chmod(0o100)
    place.chmod(0o500)
    assert pristine.restore() >= 3
    assert tree_at(place) == before
    assert pristine.restore() == 0


def test_a_change_with_its_time_set_back_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"1")
    time.sleep(0.3)
    pristine = Pristine([str(tmp_path)])
    info = file.stat()
    file.write_bytes(b"2")
    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))
    pristine.restore()
    assert file.read_bytes() == b"1"
    assert file.stat().st_mtime_ns == info.st_mtime_ns


@given(st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share(counts: tuple[int, int]) -> None:
    hits, of = counts
    low, high = wilson(hits, of)
    assert 0 <= low <= (hits / of if of else 0.5) <= high <= 1


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(1, 20)
    assert (round(low, 4), round(high, 4)) == (0.0089, 0.2361)


def test_a_share_of_audits_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        FastSettings(audit_share=1.5)
