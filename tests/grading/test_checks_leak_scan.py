"""Planted leaks are found in every public surface; honest environments pass."""

from dataclasses import replace

import pytest

from envplatform.bundle import Environment, with_repository
from envplatform.errors import BundleError
from envplatform.grading.checks import leak_scan
from envplatform.grading.evidence import Evidence
from envplatform.sandbox.base import ExecResult
from envplatform.tree import File, Tree, tree_digest
from tests.bundle.sample import SOLUTION, TESTS, sample_environment

FIXED = b"""def span(values, low, high):
    kept = [value for value in values if low <= value <= high]
    kept.sort(key=lambda value: (abs(value - low), value))
    return tuple(kept) if kept else (low, high)
"""
BUGGY = FIXED.replace(b"low <= value <= high", b"low <= value < high")
HIDDEN = b"""from lib import span

def test_upper_end_counts():
    assert span([1, 2, 3, 9], 2, 3) == (2, 3), "the upper end of a span counts"
    assert span([5, 4, 3, 2, 1], 2, 4) == (2, 3, 4), "the order is by distance"
"""
VISIBLE = b"""from lib import span

def test_empty():
    assert span([], 1, 2) == (1, 2), "nothing kept leaves the ends of the span alone"
    assert span([7, 8], 1, 2) == (1, 2), "nothing kept leaves the ends of the span"
"""
TEST_ID = "tests/test_hidden.py::test_upper_end_counts"


def _environment(
    *, instruction: str = "Upper ends are lost.", **more: bytes
) -> Environment:
    workspace = {
        "lib.py": File(BUGGY),
        "__init__.py": File(b""),
        "tests/test_visible.py": File(VISIBLE),
        **{name.replace("__", "/"): File(data) for name, data in more.items()},
    }
    tests = {
        **TESTS,
        "hidden/tests/test_hidden.py": File(HIDDEN),
        "hidden/__init__.py": File(b""),
        "visible/tests/test_visible.py": File(VISIBLE),
    }
    base = sample_environment(
        workspace=workspace,
        tests=tests,
        solution={**SOLUTION, "fixed/lib.py": File(FIXED)},
    )
    core = replace(
        base.core, facts={"fail_to_pass": TEST_ID}, grader_digest=tree_digest(tests)
    )
    return replace(base, instruction=instruction, core=core)


def _evidence(environment: Environment, *, exit_code: int = 0) -> Evidence:
    solved: Tree = {**environment.workspace, "lib.py": File(FIXED)}
    solve = ExecResult(
        ending="exited",
        exit_code=exit_code,
        stdout=b"",
        stderr=b"",
        truncated=False,
        seconds=0.1,
    )
    return Evidence(
        environment=environment,
        solved=solved,
        solved_served=None,
        solve=solve,
        oracle=(),
        nop=(),
    )


def test_an_honest_environment_passes_with_figures() -> None:
    result = leak_scan(_evidence(_environment()))
    assert result.status == "passed", result.evidence
    assert "1 test ids" in result.evidence


@pytest.mark.parametrize(
    ("leaky", "find"),
    [
        (_environment(backup=FIXED), "backup is"),
        (_environment(docs=b"Once:\n" + FIXED), "docs quotes the oracle's lib.py"),
        (
            _environment(spaced=FIXED.replace(b" ", b"  ")),
            "spaced quotes the oracle's lib.py",
        ),
        (_environment(copy=HIDDEN), "copy is tests/hidden/tests/test_hidden.py"),
        (_environment(copy=HIDDEN + b"# more\n"), "copy quotes tests/hidden"),
        (_environment(grader=TESTS["test.sh"].data), "grader is tests/test.sh"),
        (_environment(solve=SOLUTION["solve.sh"].data), "solve is solution/solve.sh"),
        (_environment(notes=TEST_ID.encode()), f"notes names {TEST_ID}"),
        (_environment(instruction=f"{TEST_ID} fails"), "instruction.md names"),
        (
            _environment(instruction="It fails:\n" + HIDDEN.decode()),
            "instruction.md quotes tests/hidden",
        ),
        (
            _environment(
                instruction="Use `[value for value in values if low<=value<=high]`: "
                "kept = [value for value in values if low <= value <= high]"
            ),
            "instruction.md quotes a line of the solution",
        ),
    ],
)
def test_a_planted_leak_is_found(leaky: Environment, find: str) -> None:
    result = leak_scan(_evidence(leaky))
    assert result.status == "failed"
    assert find in result.evidence


PLAN = b"""{"canaries": ["zx-41"], "facts": [{"id": "cap",
 "text": "Hotels cost 140 euros at most."}, {"id": "short", "text": "Yes."}]}"""


@pytest.mark.parametrize(
    ("notes", "instruction", "find"),
    [
        (b"Ask for zx-41.", "Do it.", "notes holds the user's 'zx-41'"),
        (b"", "Hotels cost 140 euros at most. Go.", "instruction.md holds the user's"),
        (b"Yes.", "Do it.", ""),
    ],
)
def test_what_only_the_user_knows_is_searched_for(
    notes: bytes, instruction: str, find: str
) -> None:
    environment = _environment(instruction=instruction, notes=notes)
    for plan, found in ((PLAN, find), (b"[", "")):
        user = {"plan.json": File(plan)}
        result = leak_scan(_evidence(replace(environment, user=user)))
        assert result.status == ("failed" if found else "passed"), result
        assert found in result.evidence


@pytest.mark.parametrize("path", ["lib.pyc", "lib.py.orig", "x/.git/HEAD"])
def test_remains_of_an_earlier_version_are_found(path: str) -> None:
    environment = _environment()
    workspace = {**environment.workspace, path: File(b"\0")}
    result = leak_scan(_evidence(replace(environment, workspace=workspace)))
    assert result.status == "failed"
    assert "may hold an earlier version" in result.evidence


def test_one_commit_of_what_is_public_is_no_leak() -> None:
    """Nor is it searched: a pack holds all files in one, and they would add up."""
    environment = _environment()
    committed = replace(environment, workspace=with_repository(environment.workspace))
    plain, found = (leak_scan(_evidence(one)) for one in (environment, committed))
    assert (found.status, found.evidence) == ("passed", plain.evidence)


def test_a_commit_of_the_answer_is_refused_before_it_is_searched() -> None:
    environment = _environment()
    solved = {**environment.workspace, "lib.py": File(FIXED)}
    repository = {
        path: file
        for path, file in with_repository(solved).items()
        if path.startswith(".git/")
    }
    workspace = {**environment.workspace, **repository}
    with pytest.raises(BundleError, match=r"\.git/\S+ is not what the one commit"):
        leak_scan(_evidence(replace(environment, workspace=workspace)))


def test_a_commit_that_holds_a_leak_is_found_by_its_files() -> None:
    leaky = _environment(backup=FIXED)
    committed = replace(leaky, workspace=with_repository(leaky.workspace))
    result = leak_scan(_evidence(committed))
    assert (result.status, "backup is" in result.evidence) == ("failed", True)


def test_without_an_oracle_the_scan_says_that_it_did_not_run() -> None:
    result = leak_scan(_evidence(_environment(), exit_code=1))
    assert result.status == "not_run"
