"""Tests that are awkward to name, to judge or to keep apart: the right ones count."""

import pytest

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f.request import collected_from
from envplatform.swe.targets import Suite
from tests.swe.made_suites import BUG, CALC, SAME, judge_edits, repository_of

IT = "tests/test_it.py::"
SAME_TO_ALL = ("return a + b", "return a + b + type(a)()")

NAMES = """
import pytest
from calc import add

@pytest.mark.parametrize("a", [1], ids=["é::[x] y/z"])
def test_add(a): assert add(a, 1) == 2

@pytest.mark.parametrize(
    "text", ["a\\nb", "x::y", "[", "]", "a b", "\\x00", "\\ud800", "-k", "", "a[b]::c[d]"]
)
def test_text(text): assert add(text, "x") == text + "x"

@pytest.mark.parametrize("n", [1, 2, 1])
def test_twice(n): assert add(0, n) == n

@pytest.mark.parametrize("n", [1, 2], ids=["same", "same"])
def test_same(n): assert add(n, 1) == n + 1

class TestÉ:
    def test_größe(self): assert add(1, 1) == 2
"""
ONE = "from calc import add\ndef test_one(): assert add(2, 2) == 4\n"
ODD_FILES = (
    "tests/d [x]/test_one.py",
    "tests/test_[odd].py",
    "tests/test_s p.py",
    "tests/test_ü.py",
)
TWICE = {f"{IT}test_twice[{n}]" for n in ("1_0", "1_1", "2")}
ADDS = {
    f"{IT}test_add[\\xe9::[x] y/z]", f"{IT}test_same[same0]", f"{IT}test_same[same1]",
    f"{IT}TestÉ::test_größe", *(f"{path}::test_one" for path in ODD_FILES),
}  # fmt: skip
TEXTS = {
    f"{IT}test_text[{name}]"
    for name in (
        "a\\nb", "x::y", "[", "]", "a b", "\\x00", "\\ud800", "-k", "", "a[b]::c[d]",
    )
}  # fmt: skip


async def test_odd_names_of_tests_and_files_are_those_that_count(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Spaces, brackets, colons, line breaks, halves of characters, and the same twice."""
    repository = repository_of(suite_image, NAMES, more=dict.fromkeys(ODD_FILES, ONE))
    edits = [
        BUG,
        SAME_TO_ALL,
        ("return a + b", "return a + a if isinstance(a, str) else a + b"),
    ]
    judged = await judge_edits(bubblewrap, repository, edits)
    assert set(judged.baseline.stable) == ADDS | TEXTS | TWICE
    bug, _, texts = judged.verdicts
    assert judged.rejections == [None, "no_failure", None]
    assert set(bug.fail_to_pass) == ADDS | TEXTS
    assert set(bug.pass_to_pass) == TWICE
    assert set(texts.fail_to_pass) == TEXTS
    assert judged.report.cold == 0


@pytest.mark.parametrize(
    ("file", "argument"),
    [
        ("a/test_b.py", "a/test_b.py"),
        ("a/b[c]/test_d.py", "a"),
        ("test_[b].py", "."),
        ("-a/test_b.py", "./-a/test_b.py"),
        ("@a/test_b.py", "./@a/test_b.py"),
    ],
)
def test_no_file_is_taken_for_an_option(file: str, argument: str) -> None:
    assert collected_from(file) == argument


async def test_a_project_that_forbids_the_escaping_of_ids_keeps_them_raw(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    tests = """
import pytest
from calc import add
@pytest.mark.parametrize("text", ["a\\nb", "日本", "é"])
def test_text(text): assert add(text, "x") == text + "x"
"""
    option = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support"
    more = {"pytest.ini": f"[pytest]\n{option} = true\n"}
    repository = repository_of(suite_image, tests, more=more)
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME_TO_ALL])
    names = {f"{IT}test_text[{text}]" for text in ("a\nb", "日本", "é")}
    assert judged.rejections == [None, "no_failure"]
    assert set(judged.verdicts[0].fail_to_pass) == names


EXPECTED = """
import unittest
import pytest
from calc import add

@pytest.mark.xfail
def test_expected(): assert add(1, 1) == 3
@pytest.mark.xfail
def test_unexpected(): assert add(1, 1) == 2
@pytest.mark.xfail(strict=True)
def test_expected_strict(): assert add(1, 1) == 0
@pytest.mark.xfail(strict=True)
def test_unexpected_strict(): assert add(1, 1) == 2
def test_expected_inside():
    if add(1, 1) != 2: pytest.xfail("known")
def test_skipped_inside():
    if add(1, 1) != 2: pytest.skip("unknown")
def test_plain(): assert add(1, 1) == 2

def test_subtests(subtests):
    for n in range(3):
        with subtests.test(msg="n", n=n): assert add(n, 1) == n + 1
def test_subtests_of_zero(subtests):
    for n in range(3):
        with subtests.test(n=n): assert add(0, n) == n
class TestUnit(unittest.TestCase):
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n): self.assertEqual(add(n, 1), n + 1)
    @unittest.expectedFailure
    def test_expected(self): self.assertEqual(add(1, 1), 0)
"""
PROVING = {f"{IT}{n}" for n in ("test_plain", "test_subtests", "TestUnit::test_sub")}
UNTOUCHED = {f"{IT}test_subtests_of_zero"}
LEAVING = {f"{IT}test_expected_inside", f"{IT}test_skipped_inside"}


async def test_only_plain_passes_prove_and_a_failed_subtest_fails_its_test(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The bug makes strict expectations pass and others fail: neither counts."""
    repository = repository_of(suite_image, EXPECTED)
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME])
    assert set(judged.baseline.stable) == PROVING | UNTOUCHED | LEAVING
    outcomes = {
        u.test_id.removeprefix(IT): u.outcomes[0] for u in judged.baseline.unstable
    }
    assert outcomes == {
        "test_expected": "xfailed",
        "test_expected_strict": "xfailed",
        "test_unexpected": "xpassed",
        "test_unexpected_strict": "xpassed",
        "TestUnit::test_expected": "xfailed",
    }
    assert judged.rejections == [None, "no_failure"]
    assert set(judged.verdicts[0].fail_to_pass) == PROVING
    assert set(judged.verdicts[0].pass_to_pass) == UNTOUCHED
    assert judged.report.cold == 0


DOCTESTED = f'''{CALC}

def twice(a):
    """Add to itself.

    >>> twice(2)
    4
    """
    return add(a, a)
'''
DOCTESTS = {"calc.py::calc.twice", "docs/use me.rst::use me.rst"}


async def test_doctests_prove_and_what_they_can_not_import_does_not(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """In the code's own docstrings and in text files; the report shows no code."""
    text = "Use\n===\n\n>>> from calc import twice\n>>> twice(3)\n6\n"
    repository = repository_of(
        suite_image,
        "from calc import add\ndef test_zero(): assert add(0, 1) == 1\n",
        more={"calc.py": DOCTESTED, "docs/use me.rst": text},
        suite=Suite(
            paths=("tests", "calc.py", "docs"),
            args=("--doctest-modules", "--doctest-glob=*.rst"),
            test_timeout_s=5,
            suite_timeout_s=30,
        ),
    )
    lacking = ("    return a + b", "    import gone")
    raising = ("    return a + b", "    raise ValueError('secret line')")
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME, lacking, raising])
    assert set(judged.baseline.stable) == DOCTESTS | {f"{IT}test_zero"}
    assert judged.rejections == [None, "no_failure", "only_errors", None]
    for place in (0, 3):
        assert set(judged.verdicts[place].fail_to_pass) == DOCTESTS
        assert judged.verdicts[place].pass_to_pass == (f"{IT}test_zero",)
    report = judged.verdicts[3].failure_report
    assert "twice(2)" in report
    assert "ValueError: secret line" in report
    assert "raise ValueError" not in report
    assert judged.report.cold == 0


STATE = """
import unittest
import pytest
from calc import add

@pytest.fixture(scope="module")
def made(): return add(2, 2)
def test_made(made): assert made == 4
def test_made_again(made): assert made + 1 == 5
def test_zero(): assert add(0, 1) == 1

@pytest.fixture(scope="class")
def shared(): return [add(3, 3)]
class TestShared:
    def test_first(self, shared): assert shared[0] == 6
    def test_second(self, shared): assert shared == [6]

class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.x = add(1, 2)
    def test_x(self): self.assertEqual(self.x, 3)
    def test_any(self): self.assertTrue(self.x)
"""
SHARING = {
    f"{IT}{name}"
    for name in (
        "TestShared::test_first", "TestShared::test_second", "TestUnit::test_x",
        "test_made", "test_made_again",
    )
}  # fmt: skip


async def test_what_wide_fixtures_run_may_fail_every_test_that_shares_them(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Also those that run none of the changed lines; a broken fixture is no failure."""
    repository = repository_of(suite_image, STATE)
    breaking = ("    return a + b", "    raise ValueError")
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME, breaking])
    assert judged.rejections == [None, "no_failure", "only_errors"]
    assert set(judged.verdicts[0].fail_to_pass) == SHARING
    assert set(judged.verdicts[0].pass_to_pass) == {
        f"{IT}TestUnit::test_any",
        f"{IT}test_zero",
    }
    assert judged.report.screened == 0, "a fork can't judge what others share"


async def test_tests_that_lean_on_the_one_before_are_out_and_cost_no_other(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    steps = "".join(
        f"    def test_{n}(self): TestSteps.seen += 1; assert TestSteps.seen == {n}\n"
        for n in range(1, 7)
    )
    tests = f"{ONE}class TestSteps:\n    seen = 0\n{steps}"
    repository = repository_of(suite_image, tests)
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME])
    leaning = [u for u in judged.baseline.unstable if "in shuffled order" in u.why]
    assert leaning
    assert f"{IT}test_one" in judged.baseline.stable
    assert judged.rejections == [None, "no_failure"]
    assert judged.verdicts[0].fail_to_pass == (f"{IT}test_one",)


WRITERS = """
import os, pathlib, py_compile, shutil
import calc
from calc import add
HERE = pathlib.Path(calc.__file__)
ROOT = HERE.parent
def test_append():
    with HERE.open("a") as stream: stream.write("\\nX = 1\\n")
    assert add(1, 1) == 2
def test_compile():
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(ROOT / "frozen.py"), invalidation_mode=mode)
    assert add(1, 2) == 3
def test_conftest():
    (ROOT / "tests" / "conftest.py").write_text("raise SystemExit\\n")
    (ROOT / "tests" / "test_made.py").write_text("def test_x(): assert False\\n")
    assert add(3, 2) == 5
def test_count():
    seen = ROOT / "seen.txt"
    seen.write_text((seen.read_text() if seen.exists() else "") + "x")
    assert add(len(seen.read_text()), 1) == 2
def test_delete():
    shutil.rmtree(ROOT / "docs", ignore_errors=True)
    HERE.unlink(missing_ok=True)
    assert add(0, 1) == 1
"""
WRITING = {f"{IT}test_{n}" for n in ("append", "compile", "conftest", "count")}


async def test_tests_that_write_into_the_tree_leave_nothing_for_another_candidate(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Into the changed file, beside it, among the tests; and they take it away."""
    repository = repository_of(
        suite_image, WRITERS, more={"docs/a.txt": "x", "frozen.py": "x = 1\n"}
    )
    zero = ("        return b\n", "        return b + 1\n")
    edits = [BUG, SAME, zero, ("return a + b", "return b - -a"), ("a + b", "a * b + 9")]
    judged = await judge_edits(bubblewrap, repository, edits)
    assert set(judged.baseline.stable) == {*WRITING, f"{IT}test_delete"}
    assert judged.rejections == [None, "no_failure", None, "no_failure", None]
    first, _, third, _, last = judged.verdicts
    assert set(first.fail_to_pass) == set(last.fail_to_pass) == WRITING
    assert third.fail_to_pass == (f"{IT}test_delete",)
    assert judged.report.cold == 0
