"""What an assembled environment shows, hides and carries. Nothing is executed here."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.bundle import (
    commit_id,
    environment_digest,
    with_repository,
    without_repository,
)
from envplatform.errors import BundleError
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image
from envplatform.swe.environment import assemble_environment
from envplatform.swe.targets.target import Code, Suite, Target
from envplatform.swe.verifier.files import infrastructure_rules
from envplatform.swe.verifier.inside.restore import is_infrastructure
from envplatform.tree import File
from tests.swe.small_repository import (
    BUGGY,
    CANDIDATE,
    FAIL_TO_PASS,
    HEALTHY,
    ISSUE,
    PASS_TO_PASS,
    TARGET,
    VERDICT,
    small_environment,
    small_repository,
)

IMAGE = Image(name="x", python="3.11", requirements=(), digest="0" * 64, site=None)


SHOWN = {path: file for path, file in BUGGY.items() if path != "tests/test_inside.py"}


def test_the_agent_gets_the_bug_without_the_tests_that_show_it() -> None:
    workspace = small_environment(IMAGE).workspace
    assert without_repository(workspace) == SHOWN
    assert workspace == with_repository(SHOWN)


def test_a_tree_that_git_could_not_hold_gives_no_environment() -> None:
    """A release that ships a repository may ship its answer with it."""
    for path in (".git/HEAD", "tests/data/.git/HEAD", "docs/.GIT"):
        repository = replace(
            small_repository(IMAGE), tree={**HEALTHY, path: File(b"x")}
        )
        with pytest.raises(BundleError, match="git can't hold it"):
            assemble_environment(repository, CANDIDATE, VERDICT, issue=ISSUE)


def test_compiled_files_of_a_release_are_left_out_everywhere() -> None:
    """A compiled healthy module would be the answer."""
    compiled = {"spans/__pycache__/core.cpython-311.pyc": File(b"\0")}
    repository = replace(small_repository(IMAGE), tree={**HEALTHY, **compiled})
    environment = assemble_environment(repository, CANDIDATE, VERDICT, issue=ISSUE)
    plain = small_environment(IMAGE)
    assert environment.workspace == plain.workspace
    assert environment.tests == plain.tests
    assert environment.solution == plain.solution


def test_the_grader_holds_all_tests_as_they_were() -> None:
    tests = small_environment(IMAGE).tests
    assert tests["hidden/tests/test_inside.py"] == HEALTHY["tests/test_inside.py"]
    for path in ("tests/test_total.py", "tests/conftest.py", "pyproject.toml"):
        assert tests[f"visible/{path}"] == HEALTHY[path]
    plan = json.loads(tests["plan.json"].data)
    assert tuple(plan["fail_to_pass"]) == FAIL_TO_PASS
    assert tuple(plan["pass_to_pass"]) == PASS_TO_PASS
    assert not any(path.startswith(("visible/spans", "hidden/spans")) for path in tests)


def test_the_instruction_is_the_issue_and_what_an_agent_must_know() -> None:
    instruction = small_environment(IMAGE).instruction
    assert instruction.startswith(ISSUE.text.strip())
    for word in ("/workspace", "3.11", "no network", "put back"):
        assert word in instruction
    assert "test_inside" not in instruction


def test_the_core_says_what_no_transformation_may_change() -> None:
    environment = small_environment(IMAGE)
    core = environment.core
    assert core.facts["fail_to_pass"].splitlines() == list(FAIL_TO_PASS)
    assert core.facts["pass_to_pass"].splitlines() == list(PASS_TO_PASS)
    assert core.facts["commit"] == CANDIDATE.commit
    assert core.facts["base_commit"] == commit_id(SHOWN)
    assert environment.lineage.origin["candidate"] == CANDIDATE.candidate_id
    assert environment.criteria == ("reward", "fail_to_pass", "pass_to_pass")


def test_the_same_input_gives_the_same_digest() -> None:
    first, second = small_environment(IMAGE), small_environment(IMAGE)
    assert environment_digest(first) == environment_digest(second)


def test_solve_sh_brings_back_created_deleted_and_oddly_named_files() -> None:
    odd = "spans/it's a $(name).txt"
    healthy = {**HEALTHY, odd: File(b"kept", executable=True)}
    buggy = {**BUGGY, "spans/added.py": File(b"")}
    repository = replace(small_repository(IMAGE), tree=healthy)
    candidate = replace(CANDIDATE, bug_patch=diff_trees(healthy, buggy))
    solution = assemble_environment(
        repository, candidate, VERDICT, issue=ISSUE
    ).solution
    script = solution["solve.sh"].data.decode()
    assert "rm /workspace/spans/added.py" in script
    assert "'/workspace/spans/it'\"'\"'s a $(name).txt'" in script
    assert solution[f"fixed/{odd}"] == File(b"kept", executable=True)
    assert "git" not in script


def test_an_unproven_bug_gives_no_environment() -> None:
    rejected = replace(VERDICT, rejection="flaky", fail_to_pass=())
    other = replace(VERDICT, candidate_id="another")
    for verdict in (rejected, other):
        with pytest.raises(BundleError, match="no verdict that proves it"):
            assemble_environment(
                small_repository(IMAGE), CANDIDATE, verdict, issue=ISSUE
            )


def test_a_failing_test_inside_the_code_gives_no_environment() -> None:
    """Hiding a doctest would hide the code."""
    verdict = replace(VERDICT, fail_to_pass=("spans/core.py::spans.core.inside",))
    told = r"spans/core\.py::spans\.core\.inside, which names no test file"
    with pytest.raises(BundleError, match=told):
        assemble_environment(small_repository(IMAGE), CANDIDATE, verdict, issue=ISSUE)


TARGETS = [
    TARGET,
    replace(TARGET, code=Code(roots=(".",), exclude=("*/tests/*", "test_*.py"))),
    replace(
        TARGET, code=Code(roots=("src/spans", "one.py")), suite=Suite(paths=("t",))
    ),
    replace(TARGET, code=Code(roots=("tests",)), suite=Suite(paths=(".",))),
    replace(
        TARGET,
        code=Code(roots=(".",)),
        suite=Suite(
            paths=("t",),
            results="junit",
            command=("python3", "one.py", "-m", "spans"),
            report="out.xml",
        ),
    ),
]
NAMES = "src spans tests test t test_a.py b_test.py conftest.py one.py x.pth setup.cfg"
parts = st.sampled_from([*NAMES.split(), "data.json", "test_data.json", "a.py"])


@given(
    path=st.lists(parts, min_size=1, max_size=4).map("/".join),
    target=st.sampled_from(TARGETS),
)
def test_sandbox_and_host_agree_on_what_is_a_test_file(
    path: str, target: Target
) -> None:
    rules = json.loads(json.dumps(infrastructure_rules(target)))
    assert is_infrastructure(path, rules) == target.is_test_file(path)
