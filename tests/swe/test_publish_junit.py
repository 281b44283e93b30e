"""Bugs of a suite that a script of the repository's runs: published and graded again.

The image is bare, so pytest is not even there.
"""

import sys
from pathlib import Path

import pytest

from envplatform.bundle import Environment
from envplatform.errors import BundleError
from envplatform.grading import Grading, grade
from envplatform.grading.kept import kept_environment
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.environment import assemble_environment
from envplatform.swe.gradable import gradable
from envplatform.swe.issue import issue_for
from envplatform.swe.p2f import (
    VerificationSettings,
    measure_baseline,
    verify_candidate,
)
from envplatform.swe.publish import Proven, publish
from envplatform.swe.targets import HealthyRepository, Suite
from envplatform.swe.targets.testfiles import files_of_tests, pytest_id
from envplatform.tree import File, Tree
from tests.swe.made_suites import BUG, CALC, edited, repository_of

RUNNER = """
import sys, traceback, unittest
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.cases = []

    def startTest(self, test):
        super().startTest(test)
        self.cases.append([test, ""])

    def addFailure(self, test, error):
        super().addFailure(test, error)
        text = escape("".join(traceback.format_exception(*error)))
        said = quoteattr(f"{error[0].__name__}: {error[1]}")
        self.cases[-1][1] = f"<failure message={said}>{text}</failure>"

    def addError(self, test, error):
        super().addError(test, error)
        self.cases[-1][1] = f"<error message={quoteattr(repr(error[1]))}/>"


result = Result()
unittest.defaultTestLoader.discover("tests").run(result)
report = Path("out/report.xml")
report.parent.mkdir(exist_ok=True)
lines = [f"<testsuite name='all' tests='{len(result.cases)}'>"]
for test, told in result.cases:
    kind, _, name = test.id().rpartition(".")
    lines.append(f"<testcase classname={quoteattr(kind)} name={quoteattr(name)}>{told}</testcase>")
report.write_text("\\n".join([*lines, "</testsuite>"]))
sys.exit(not result.wasSuccessful())
"""
TESTS = """
import unittest
from calc import add, unused
class Sums(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(add(1, 2), 3)
    def test_nothing(self):
        self.assertEqual(add(0, 2), 2)
"""
MORE = """
import unittest
from calc import unused
class Products(unittest.TestCase):
    def test_twice(self):
        self.assertEqual(unused(2), 4)
"""
SUM, NOTHING, TWICE = (
    "test_it.Sums::test_sum",
    "test_it.Sums::test_nothing",
    "test_more.Products::test_twice",
)
SUITE = Suite(
    paths=("tests",),
    results="junit",
    command=("python3", "tools/run_tests.py"),
    report="out/report.xml",
    suite_timeout_s=20,
    memory_mb=512,
)
ALL_PASS = (
    "<testsuite>"
    + "".join(
        f"<testcase classname='{kind}' name='{name}'/>"
        for kind, _, name in (test.partition("::") for test in (SUM, NOTHING, TWICE))
    )
    + "</testsuite>"
)


@pytest.fixture
def repository(cache_folder: Path) -> HealthyRepository:
    """Healthy, with a runner of its own."""
    image = build_image(
        "bare", "{}.{}".format(*sys.version_info[:2]), (), cache_folder / "images"
    )
    more = {"tools/run_tests.py": RUNNER, "tests/test_more.py": MORE}
    return repository_of(image, TESTS, more=more, suite=SUITE)


def proven_by(bug: BugCandidate, *tests: str) -> Verdict:
    """What proof would say of it."""
    return Verdict(
        candidate_id=bug.candidate_id,
        repository=bug.repository,
        rejection=None,
        detail="",
        fail_to_pass=tests,
        pass_to_pass=tuple({SUM, NOTHING, TWICE} - {*tests}),
        failure_report=f"{tests[0]}\nE   AssertionError: -1 != 3\n",
        runs=3,
        sandbox="bubblewrap 0.8.0",
    )


def environment_of(repository: HealthyRepository) -> Environment:
    """An environment whose proof is taken on trust: the gate is another test's."""
    bug = edited(repository, *BUG)
    verdict = proven_by(bug, SUM)
    issue = issue_for(repository, bug, verdict, seed=0)
    return assemble_environment(repository, bug, verdict, issue=issue)


async def graded(
    provider: SandboxProvider, repository: HealthyRepository, changes: dict[str, str]
) -> Grading:
    """Grade the defective workspace with `changes`."""
    environment = environment_of(repository)
    changed = {path: File(text.encode()) for path, text in changes.items()}
    workspace: Tree = {**environment.workspace, **changed}
    return await grade(provider, environment, workspace, image=repository.image)


async def test_a_bug_becomes_an_environment_from_proof_to_grade(
    bubblewrap: SandboxProvider, repository: HealthyRepository, tmp_path: Path
) -> None:
    """The oracle scores 1 and nothing 0, from the store as in the gate."""
    baseline = await measure_baseline(bubblewrap, repository, runs=2)
    assert baseline.stable == tuple(sorted((SUM, NOTHING, TWICE)))
    bug = edited(repository, *BUG)
    verdict = await verify_candidate(
        bubblewrap, repository, baseline, bug, VerificationSettings(repeats=2)
    )
    assert verdict.fail_to_pass == (SUM,)
    assert "self.assertEqual(add(1, 2), 3)" in verdict.failure_report
    assert "return a" not in verdict.failure_report
    store = Store(tmp_path)
    (row,), refused = await publish(
        bubblewrap, store, repository, [Proven(candidate=bug, verdict=verdict)],
        seed=0, concurrency=1,
    )  # fmt: skip
    assert refused == ()
    assert {"oracle_max=passed", "nop_floor=passed"} <= set(row.checks)
    environment = kept_environment(store, row)
    assert environment.labels["results"] == "junit"
    assert "`python3 tools/run_tests.py`" in environment.instruction
    assert "add(1, 2)" in environment.instruction
    assert "tests/test_it.py" not in environment.workspace
    assert {"tests/test_more.py", "tools/run_tests.py"} <= environment.workspace.keys()
    mended = {**environment.workspace, "calc.py": File(CALC.encode())}
    scores = [
        (await grade(bubblewrap, environment, tree, image=repository.image)).components
        for tree in (environment.workspace, mended)
    ]
    assert [dict(score) for score in scores] == [
        {"reward": 0.0, "fail_to_pass": 0.0, "pass_to_pass": 1.0},
        {"reward": 1.0, "fail_to_pass": 1.0, "pass_to_pass": 1.0},
    ]


async def test_what_the_solver_ran_itself_is_no_result(
    bubblewrap: SandboxProvider, repository: HealthyRepository
) -> None:
    """A report left behind hinders no honest repair, and helps no other."""
    left = {"out/report.xml": ALL_PASS}
    honest = await graded(bubblewrap, repository, {**left, "calc.py": CALC})
    idle = await graded(bubblewrap, repository, left)
    assert (honest.reward, idle.reward) == (1.0, 0.0)


WRITES = f"""
import os, pathlib
def write(text):
    pathlib.Path("out").mkdir(exist_ok=True)
    pathlib.Path("out/report.xml").write_text(text)
PASS = {ALL_PASS!r}
"""
BUGGY = CALC.replace(*BUG)
FORGERIES = {
    "another runner": (
        {"tools/run_tests.py": f"{WRITES}write(PASS)"},
        "",
    ),
    "a runner's helper": (
        {"unittest.py": f"{WRITES}write(PASS); os._exit(0)"},
        "a test of ours that must fail is missing",
    ),
    "a report of its own": (
        {"calc.py": f"{BUGGY}\n{WRITES}write(PASS); os._exit(0)"},
        "a test of ours that must fail is missing",
    ),
    "nothing can fail": (
        {
            "calc.py": f"{BUGGY}\nimport unittest\n"
            "unittest.TestResult.wasSuccessful = lambda self: True\n"
            "unittest.TestCase.assertEqual = lambda *a: None\n"
        },
        "a test of ours that must fail is passed",
    ),
    "no report": ({"calc.py": "import os; os._exit(0)"}, "wrote no report.xml"),
    "entities": (
        {
            "calc.py": f"{WRITES}write('<!DOCTYPE a [<!ENTITY x \"y\">]>' + PASS)\n"
            "os._exit(0)"
        },
        "report.xml declares a document type or entities",
    ),
    "huge": (
        {"calc.py": f"{WRITES}write(PASS + ' ' * 33_000_000); os._exit(0)"},
        "report.xml is larger than",
    ),
    "an id twice": (
        {
            "calc.py": f"{WRITES}write('<testsuites>' + PASS + PASS + '</testsuites>')\n"
            "os._exit(0)"
        },
        "report.xml has a second test case test_it.Sums::test_sum",
    ),
    "no id": (
        {
            "calc.py": f"{WRITES}write('<testsuite><testcase/></testsuite>'); os._exit(0)"
        },
        "report.xml has a test case without a name",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
async def test_reports_of_ones_own_gain_nothing(
    name: str, bubblewrap: SandboxProvider, repository: HealthyRepository
) -> None:
    """A report that can't be believed is no result, and the log says what is wrong."""
    changes, why = FORGERIES[name]
    grading = await graded(bubblewrap, repository, changes)
    assert (grading.reward, grading.failure) == (0.0, None), grading
    assert why in grading.log, grading


def test_a_test_that_lies_nowhere_is_refused(repository: HealthyRepository) -> None:
    """Its file can't be hidden, so the bug stays proven and nothing is published."""
    bug = edited(repository, *BUG)
    verdict = proven_by(bug, "elsewhere.Other::test_sum")
    assert gradable(repository, verdict) == verdict
    issue = issue_for(repository, bug, verdict, seed=0)
    with pytest.raises(BundleError, match="Other::test_sum, which names no"):
        assemble_environment(repository, bug, verdict, issue=issue)


IDS = {
    "tests.test_it.Sums::test_sum": ("tests/test_it.py", "Sums::test_sum"),
    "test_it.Sums::test_sum": ("tests/test_it.py", "Sums::test_sum"),
    "tests.test_it::test_name[a.b c]": ("tests/test_it.py", "test_name[a.b c]"),
    "Products::test_twice": ("tests/test_more.py", "Products::test_twice"),
}


@pytest.mark.parametrize("test", IDS)
def test_a_reports_ids_lead_to_files(test: str, repository: HealthyRepository) -> None:
    """By module, seen from whatever folder, or by class."""
    target, tree = repository.target, repository.tree
    path, rest = IDS[test]
    assert files_of_tests(target, tree, [test]) == {test: (path,)}
    assert pytest_id(target, tree, test) == f"{path}::{rest}"


def test_where_several_files_fit_all_are_hidden(repository: HealthyRepository) -> None:
    """Which of them it is can't be known."""
    tree = {**repository.tree, "more/tests/test_it.py": File(TESTS.encode())}
    found = files_of_tests(repository.target, tree, [SUM, "other::x"])
    assert found == {
        SUM: ("more/tests/test_it.py", "tests/test_it.py"),
        "other::x": (),
    }
    assert pytest_id(repository.target, tree, SUM) == SUM


def test_files_that_the_command_may_start_are_no_code() -> None:
    """They write the report: no bug is put there, and they are put back."""
    suite = Suite(
        directory="pkg",
        pythonpath=("src",),
        results="junit",
        command=("sh", "-c", "cd . && python -m own.runner --to ../x.xml 'a b.py'"),
        report="x.xml",
    )
    found = set(suite.command_files())
    assert {"pkg/own/runner.py", "src/own/runner/__main__.py", "x.xml"} <= found
    assert not any(path.startswith(("/", ".")) for path in found)
    assert Suite().command_files() == ()
