"""A small healthy repository with one proven bug, made up for the tests."""

from pathlib import Path

from envplatform.bundle import Environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.environment import assemble_environment
from envplatform.swe.issue import Issue
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.result import Coverage, Lines
from envplatform.swe.targets.prepare import HealthyRepository
from envplatform.swe.targets.target import Code, FolderSource, Suite, Target
from envplatform.tree import File, Tree, tree_digest

HEALTHY: Tree = {
    "spans/__init__.py": File(b"from spans.core import inside, total\n"),
    "spans/core.py": File(
        b"""def inside(value, low, high):
    return low <= value <= high


def total(values):
    result = 0
    for value in values:
        result += value
    return result
"""
    ),
    "tests/conftest.py": File(
        b"import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return [1, 2, 3]\n"
    ),
    "tests/test_inside.py": File(
        b"""import pytest

from spans import inside


def test_middle():
    assert inside(2, 1, 3)


@pytest.mark.parametrize("end", [1, 3])
def test_ends_count(end):
    assert inside(end, 1, 3)
"""
    ),
    "tests/test_total.py": File(
        b"""from spans import total


def test_total(numbers):
    assert total(numbers) == 6
"""
    ),
    "pyproject.toml": File(b"[tool.pytest.ini_options]\naddopts = '-q'\n"),
    "README.md": File(b"# spans\n\nIntervals with both ends.\n"),
}
_CORE = HEALTHY["spans/core.py"].data
BUGGY: Tree = {
    **HEALTHY,
    "spans/core.py": File(_CORE.replace(b"<= high", b"< high")),
}

FAIL_TO_PASS = ("tests/test_inside.py::test_ends_count[3]",)
PASS_TO_PASS = (
    "tests/test_inside.py::test_ends_count[1]",
    "tests/test_inside.py::test_middle",
    "tests/test_total.py::test_total",
)

TARGET = Target(
    name="made__spans",
    source=FolderSource(path=Path("spans")),
    license="Apache-2.0",
    python=("3.11",),
    requirements=(),
    suite=Suite(paths=("tests",), test_timeout_s=2.0, suite_timeout_s=20.0),
    code=Code(roots=("spans",)),
)

CANDIDATE = BugCandidate(
    candidate_id="made__spans.00000000.mutation.11111111",
    repository="made__spans",
    commit=tree_digest(HEALTHY),
    inducer="mutation",
    operator="comparison_boundary",
    path="spans/core.py",
    line=2,
    bug_patch=diff_trees(HEALTHY, BUGGY),
    seed=0,
)

VERDICT = Verdict(
    candidate_id=CANDIDATE.candidate_id,
    repository=CANDIDATE.repository,
    rejection=None,
    detail="",
    fail_to_pass=FAIL_TO_PASS,
    pass_to_pass=PASS_TO_PASS,
    failure_report="assert inside(3, 1, 3)",
    runs=3,
    sandbox="bubblewrap 0.8.0",
)

ENVIRONMENT_ROW = EnvironmentRow(
    environment_id=CANDIDATE.candidate_id,
    digest="0" * 64,
    core_digest="0" * 64,
    pillar="swe",
    repository=CANDIDATE.repository,
    candidate_id=CANDIDATE.candidate_id,
    inducer=CANDIDATE.inducer,
    operator=CANDIDATE.operator,
    licence=TARGET.license,
    image_digest="0" * 64,
    python="3.11",
    fail_to_pass=1,
    pass_to_pass=3,
    issue_writer="template",
    checks=("oracle_max=passed",),
    tokens=0,
    gated=True,
    sandbox="bubblewrap 0.8.0",
    seconds=1.0,
)
"""Names no directory: give it a digest that is stored."""

ISSUE = Issue(
    text="# The upper end is left out\n\n`inside(3, 1, 3)` is false, the docs say true.\n",
    writer="template",
)


def small_environment(image: Image) -> Environment:
    """The environment of the one bug."""
    return assemble_environment(
        small_repository(image), CANDIDATE, VERDICT, issue=ISSUE
    )


def small_repository(image: Image) -> HealthyRepository:
    """The repository, ready to run on `image`."""
    return HealthyRepository(
        target=TARGET, tree=HEALTHY, image=image, commit=CANDIDATE.commit
    )


def small_baseline() -> Baseline:
    """What the suite of the small repository does, as a measurement would say."""
    core = "spans/core.py"
    inside: Lines = {core: (2,)}
    ran = dict.fromkeys((*FAIL_TO_PASS, *PASS_TO_PASS[:2]), inside)
    ran[PASS_TO_PASS[2]] = {core: (6, 7, 8, 9)}
    imported = {"spans/__init__.py": (1,), core: (1, 5)}
    return Baseline(
        repository=TARGET.name,
        commit=CANDIDATE.commit,
        stable=tuple(sorted(ran)),
        unstable=(),
        broken={},
        seconds_by_test=dict.fromkeys(sorted(ran), 0.01),
        suite_s=0.5,
        coverage=Coverage(
            by_test=ran,
            imported=imported,
            shared={},
            statements={**imported, core: (1, 2, 5, 6, 7, 8, 9)},
        ),
        runs=4,
        sandbox="bubblewrap 0.8.0",
    )
