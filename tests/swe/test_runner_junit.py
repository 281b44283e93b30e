"""Suites that a command runs: what their JUnit XML says, and what it can't claim."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import TargetError
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.swe.p2f import (
    SuiteRun,
    VerificationSettings,
    measure_baseline,
    verify_candidate,
)
from envplatform.swe.p2f.inside.junit import ReportError, read_report
from envplatform.swe.targets import HealthyRepository, Suite
from envplatform.tree import File
from tests.swe.made_suites import (
    CALC,
    candidate_of,
    repository_of,
    request_of,
    run_tests,
)

TESTS = """
import pytest
from calc import add
class TestAdd:
    def test_add(self): assert add(1, 2) == 3
@pytest.mark.parametrize("n", ["a b", "ü[1]"])
def test_name(n): pass
def test_skip(): pytest.skip("no")
def test_red(): assert add(1, 1) == 3
@pytest.fixture
def broken(): raise OSError("no")
def test_error(broken): pass
def test_import(): import nothing_of_that_name
"""
PYTEST = ("python3", "-m", "pytest", "-q", "--junitxml=out/report.xml", "tests")
OUTCOMES = {
    "tests.test_it.TestAdd::test_add": "passed",
    "tests.test_it::test_name[a b]": "passed",
    "tests.test_it::test_name[\\xfc[1]]": "passed",
    "tests.test_it::test_skip": "skipped",
    "tests.test_it::test_red": "failed",
    "tests.test_it::test_error": "error",
    "tests.test_it::test_import": "error",
}
CASE = '<testcase classname="a" name="b"/>'
GOOD = f'<testsuite name="s" tests="1">{CASE}</testsuite>'


def junit(image: Image, command: tuple[str, ...], tests: str) -> HealthyRepository:
    """A repository whose suite is run by `command`."""
    suite = Suite(
        paths=("tests",),
        results="junit",
        command=command,
        report="out/report.xml",
        suite_timeout_s=20,
        memory_mb=512,
    )
    return repository_of(image, tests, suite=suite)


def scripted(image: Image, script: str) -> HealthyRepository:
    """A repository whose suite is a shell script."""
    return junit(image, ("sh", "-c", f"mkdir -p out; {script}"), "")


def written(report: str, then: str = "") -> str:
    """A script that writes a report."""
    return f"cat > out/report.xml <<'END'\n{report}\nEND\n{then}"


async def run_of(provider: SandboxProvider, repository: HealthyRepository) -> SuiteRun:
    """Run all of it."""
    return await run_tests(provider, repository, request_of(suite_s=20))


async def test_pytests_own_report(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Passed, failed, error and skipped are kept apart; broken imports are no failures."""
    run = await run_of(bubblewrap, junit(suite_image, PYTEST, TESTS))
    assert run.ending == "completed"
    assert run.outcomes == OUTCOMES
    assert run.causes == {"tests.test_it::test_import": "import"}
    assert "assert 2 == 3" in run.reports["tests.test_it::test_red"]
    assert "return a + b" not in str(run.reports)


UNITTESTS = """
import unittest
from calc import add
class TestAdd(unittest.TestCase):
    def test_add(self): self.assertEqual(add(1, 2), 3)
    def test_red(self): self.assertEqual(add(1, 1), 3)
    def test_error(self): raise KeyError("x")
    @unittest.skip("no")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()
    def test_parts(self):
        for n in (0, 1):
            with self.subTest(n=n): self.assertEqual(n, 0)
"""


@pytest.mark.parametrize(
    "report", [("--output-file", "report.xml"), ("--output", "report.xml")]
)
async def test_unittest_by_xmlrunner(
    report: tuple[str, str], bubblewrap: SandboxProvider, cache_folder: Path
) -> None:
    """One file, or a folder of them; the image needs neither pytest nor coverage."""
    image = build_image(
        "xmlrunner",
        "{}.{}".format(*sys.version_info[:2]),
        ("unittest-xml-reporting==4.0.0",),
        cache_folder / "images",
    )
    command = ("python3", "-m", "xmlrunner", "discover", *report, "-s", "tests")
    suite = Suite(results="junit", command=command, report="report.xml")
    run = await run_of(bubblewrap, repository_of(image, UNITTESTS, suite=suite))
    assert (run.ending, run.detail) == ("completed", "")
    assert {test.rpartition("::")[2]: how for test, how in run.outcomes.items()} == {
        "test_add": "passed",
        "test_red": "failed",
        "test_error": "error",
        "test_skip": "skipped",
        "test_known": "skipped",
        "test_parts (n=1)": "failed",
    }


SCRIPTS = {
    "all is well": (written(GOOD), "completed", ""),
    "failures and a status": (
        written(GOOD.replace("/>", "><failure message='no'/></testcase>"), "exit 1"),
        "completed",
        "",
    ),
    "two files": (
        f"mkdir out/report.xml; tee out/report.xml/1.xml out/report.xml/2.xml <<E\n{GOOD}\nE",
        "completed",
        "",
    ),
    "no report": ("true", "inconsistent", "status 0 and wrote no report.xml"),
    "no report, and a status": ("exit 3", "crashed", "status 3 and wrote no report"),
    "no test": (written("<testsuite/>"), "no_tests", "no test case"),
    "cut off": (written(GOOD[:-5]), "inconsistent", "no sound XML"),
    "cut off by a crash": (written(GOOD[:-5], "exit 7"), "crashed", "no sound XML"),
    "killed": (written(GOOD, "kill -9 $$"), "crashed", "signal 9"),
    "a status without failures": (
        written(GOOD, "exit 1"),
        "inconsistent",
        "status 1, its report holds no failures",
    ),
    "failures without a status": (
        written(GOOD.replace("/>", "><error/></testcase>")),
        "inconsistent",
        "status 0, its report holds failures",
    ),
    "a link": ("ln -s /etc/passwd out/report.xml", "inconsistent", "its report"),
    "a pipe": ("mkfifo out/report.xml", "inconsistent", "no plain file"),
    "endless": (written(GOOD, "sleep 99"), "timeout", "more than 2 s"),
    "left behind": (written(GOOD, "sleep 99 >/dev/null & true"), "completed", ""),
    "loud": (written(GOOD, "yes | head -c 50000000"), "completed", ""),
    "unknown entities": (
        written('<!DOCTYPE a [<!ENTITY x "y">]><testsuite name="&x;"/>'),
        "inconsistent",
        "document type or entities",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
async def test_report_and_status_tell_one_story(
    name: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Whatever does not fit is no result at all: no test has passed."""
    script, ending, detail = SCRIPTS[name]
    repository = scripted(suite_image, script)
    limit_s = 2.0 if name == "endless" else 20.0
    run = await run_tests(bubblewrap, repository, request_of(suite_s=limit_s))
    assert (run.ending, detail in run.detail) == (ending, True), run
    assert bool(run.outcomes) == (ending == "completed")


async def test_a_report_that_was_there_is_not_believed(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """One that came with the repository says nothing of this run."""
    repository = scripted(suite_image, "true")
    tree = {**repository.tree, "out/report.xml": File(GOOD.encode())}
    run = await run_of(bubblewrap, replace(repository, tree=tree))
    assert (run.ending, run.outcomes) == ("inconsistent", {})
    assert "report.xml was there before the run" in run.detail


async def test_a_command_that_is_not_there(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """At the baseline, a target that can't be measured."""
    repository = junit(suite_image, ("no-such-runner",), "")
    with pytest.raises(
        TargetError, match=r"the command can't be started.*no-such-runner"
    ):
        await measure_baseline(bubblewrap, repository)


async def test_a_bug_is_proven_by_reports(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Stable set and proof come from reports; every change needs the whole suite."""
    repository = junit(suite_image, PYTEST, TESTS)
    baseline = await measure_baseline(bubblewrap, repository, runs=1)
    passing = sorted(t for t, outcome in OUTCOMES.items() if outcome == "passed")
    assert baseline.stable == tuple(passing)
    assert baseline.covered_share == 0
    settings = VerificationSettings(repeats=2)
    changed = CALC.replace("return a + b", "return a - b")
    verdict = await verify_candidate(
        bubblewrap,
        repository,
        baseline,
        candidate_of(
            repository,
            diff_trees(
                repository.tree,
                {**repository.tree, "calc.py": File(changed.encode())},
            ),
        ),
        settings,
    )
    assert verdict.fail_to_pass == ("tests.test_it.TestAdd::test_add",)
    assert verdict.pass_to_pass == tuple(passing[1:])


def outcomes_of(*documents: str) -> dict[str, str]:
    """Parse, and leave out what is not the outcome."""
    files = [(f"{n}.xml", d.encode()) for n, d in enumerate(documents)]
    cases = read_report(files, report_chars=100, unique_ids=False)
    json.dumps(cases)
    return {case["id"]: case["outcome"] for case in cases}


def suite_of(*cases: str, **claims: int) -> str:
    """A suite around test cases."""
    said = "".join(f' {name}="{count}"' for name, count in claims.items())
    return f'<testsuites><testsuite name="s"{said}>{"".join(cases)}</testsuite></testsuites>'


def case_of(inside: str = "", more: str = 'classname="a" name="b"') -> str:
    """One test case."""
    return f"<testcase {more}>{inside}</testcase>"


def test_outcomes_are_kept_apart() -> None:
    """The worst of several counts, an error above a failure."""
    found = outcomes_of(
        suite_of(
            case_of(),
            case_of("<skipped/>", 'classname="a" name="c"'),
            case_of("<failure/><error/>", 'classname="a" name="d"'),
            case_of("<error/><failure/>", 'name="e"'),
            case_of("<failure type='builtins.ImportError'/>", 'name="f"'),
            case_of("<failure message='AssertionError: x'/>", 'name="g"'),
            case_of("", 'name="h" status="notrun"'),
            case_of("<system-out><![CDATA[<failure/>]]></system-out>", 'name="i"'),
        )
    )
    assert found == {
        "a::b": "passed",
        "a::c": "skipped",
        "a::d": "error",
        "s::e": "error",
        "s::f": "error",
        "s::g": "failed",
        "s::h": "skipped",
        "s::i": "passed",
    }


def test_ids_are_unique_and_lines() -> None:
    """Equal ones get numbers, whatever is taken; what is no character is written out."""
    first = suite_of(case_of(), case_of(), case_of("", 'classname="a" name="b#2"'))
    second = suite_of(case_of("", 'classname="a" name="x&#10;y"'))
    names = list(outcomes_of(first, second))
    assert names == ["a::b", "a::b#2", "a::b#2#2", "a::x\\ny"]


def deep() -> str:
    """More nesting than any report has."""
    return "<testsuite>" * 60 + "</testsuite>" * 60


TRACED = """Traceback (most recent call last):
  File "/workspace/tests/test_it.py", line 7, in test_b
    self.assertEqual(add(1, 1), 3)
  File "/workspace/calc.py", line 5, in add
    return a + b
AssertionError: 2 != 3
"""


def test_the_line_of_the_test_is_shown_and_no_other() -> None:
    """From the traceback: an issue is written from it, and must not quote the code."""
    cases = suite_of(
        case_of(f"<failure message='2 != 3'>{TRACED}</failure>", 'name="test_b"'),
        case_of(f"<failure>{TRACED}</failure>", 'name="test_c"'),
    )
    found = read_report([("r.xml", cases.encode())], report_chars=900, unique_ids=True)
    assert [case["report"] for case in found] == [
        "    self.assertEqual(add(1, 1), 3)\nE   2 != 3",
        "E   AssertionError: 2 != 3",
    ]


def test_equal_ids_are_refused_where_they_decide() -> None:
    """With the file that has the second, in whichever it is."""
    one = ("a.xml", suite_of(case_of()).encode())
    with pytest.raises(ReportError, match=r"b\.xml has a second test case a::b"):
        read_report([one, ("b.xml", one[1])], report_chars=9, unique_ids=True)


BAD_REPORTS = {
    "empty": ("", "no sound XML"),
    "text": ("passed", "no sound XML"),
    "two roots": (GOOD + GOOD, "no sound XML"),
    "another root": ("<html/>", "begins with <html>"),
    "a doctype": ("<!DOCTYPE testsuite><testsuite/>", "document type"),
    "a file": (
        '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite>&x;</testsuite>',
        "document type",
    ),
    "nested": (deep(), "nested more than"),
    "a case in a case": (suite_of(case_of(case_of())), "inside of <testcase>"),
    "a suite in a case": (suite_of(case_of("<testsuite/>")), "inside of <testcase>"),
    "no name": (suite_of(case_of("", 'classname="a"')), "without a name"),
    "no number": (suite_of(case_of()).replace('"s"', '"s" tests="-1"'), "no number"),
    "tests that are not there": (suite_of(tests=3), "says 3 tests, holds none"),
    "failures that are not there": (
        suite_of(case_of(), failures=1),
        "says 1 failures and errors, holds 0",
    ),
    "failures that are not said": (
        suite_of(case_of("<failure/>"), failures=0, errors=0),
        "says 0 failures and errors, holds 1",
    ),
    "an encoding": ('<?xml version="1.0" encoding="klingon"?><testsuite/>', ""),
}


@pytest.mark.parametrize("name", BAD_REPORTS)
def test_what_is_no_report_is_refused(name: str) -> None:
    """By what is wrong."""
    text, why = BAD_REPORTS[name]
    with pytest.raises(ReportError, match=rf"^0\.xml .*{why}"):
        outcomes_of(text)


def test_a_report_with_too_many_cases_is_refused() -> None:
    """Before they fill the memory."""
    with pytest.raises(ReportError, match="more than 100000"):
        outcomes_of(suite_of(*[case_of()] * 100_001))
