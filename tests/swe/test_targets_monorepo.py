"""A package of a monorepo: run in its own folder, named from the root of the tree."""

from pathlib import Path

import pytest

from envplatform.bundle import all_passed
from envplatform.errors import ConfigError
from envplatform.grading import run_gate
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.candidate import Verdict
from envplatform.swe.environment import assemble_environment
from envplatform.swe.issue import Issue
from envplatform.swe.p2f import VerificationSettings
from envplatform.swe.p2f.baseline import measure_baseline
from envplatform.swe.p2f.local import given_candidate
from envplatform.swe.p2f.verify import verify_candidate
from envplatform.swe.targets import HealthyRepository, parse_target, target_digest
from envplatform.tree import File, tree_digest
from tests.swe.made_suites import tree_of

TOML = """
name = "made__mono"
license = "MIT"
python = ["3.11"]
requirements = ["pytest==9.2.0", "coverage==7.17.5"]
directory = "packages/the coré"
[source]
kind = "path"
path = "."
[suite]
paths = ["checks"]
pythonpath = ["src"]
test_timeout_s = 3.0
suite_timeout_s = 30.0
[code]
roots = ["src"]
exclude = ["src/core/skip*.py"]
"""
HERE = "packages/the coré"
FILES = {
    "pytest.ini": "[pytest]\npython_files = nothing.py\n",
    "packages/other/src/other.py": "y = 2\n",
    f"{HERE}/pytest.ini": "[pytest]\npython_files = check_*.py\naddopts = -x\n",
    f"{HERE}/src/core/__init__.py": "def one():\n    return 1\n",
    f"{HERE}/src/core/skipped.py": "z = 3\n",
    f"{HERE}/data/one.txt": "1",
    f"{HERE}/checks/check_one.py": (
        "from core import one\n\n\n"
        "def test_one():\n    assert one() == int(open('data/one.txt').read())\n\n\n"
        "def test_type():\n    assert isinstance(one(), int)\n\n\n"
        "def test_other():\n"
        "    assert open('../other/src/other.py').read() == 'y = 2\\n'\n"
    ),
}
CHECK = f"{HERE}/checks/check_one.py"


def repository_of(image: Image) -> HealthyRepository:
    """The monorepo, with one of its packages as target."""
    tree = tree_of(FILES)
    return HealthyRepository(
        target=parse_target(TOML, source="x", folder=Path()),
        tree=tree,
        image=image,
        commit=tree_digest(tree),
    )


def test_paths_of_the_file_start_at_its_directory() -> None:
    target = parse_target(TOML, source="x", folder=Path())
    assert target.suite.directory == HERE
    assert target.suite.paths == (f"{HERE}/checks",)
    assert target.suite.pythonpath == (f"{HERE}/src",)
    assert target.source_paths(tree_of(FILES)) == (f"{HERE}/src/core/__init__.py",)


@pytest.mark.parametrize("directory", ["../x", "/x", "", "-x"])
def test_a_directory_outside_is_refused(directory: str) -> None:
    text = TOML.replace('"packages/the coré"', f'"{directory}"')
    with pytest.raises(ConfigError, match="directory"):
        parse_target(text, source="x", folder=Path())


def test_a_target_without_a_directory_is_what_it_was() -> None:
    """Stored rows depend on it; the digest is one from before there were directories."""
    text = TOML.replace('directory = "packages/the coré"\n', "")
    plain = target_digest(parse_target(text, source="x", folder=Path()))
    assert plain == "16e08f51f2ae4d438c1be61e29718c3c468ac310f85d3328d4fa9528735828cd"
    assert plain != target_digest(parse_target(TOML, source="x", folder=Path()))


async def test_a_bug_in_one_package_becomes_an_environment_of_the_whole_tree(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Baseline, verdict and gate; the package's settings count, not the root's."""
    repository = repository_of(suite_image)
    baseline = await measure_baseline(bubblewrap, repository)
    assert baseline.stable == tuple(
        f"{CHECK}::test_{name}" for name in ("one", "other", "type")
    )
    path = f"{HERE}/src/core/__init__.py"
    assert 2 in baseline.coverage.by_test[f"{CHECK}::test_one"][path]
    verdict = await _verdict(bubblewrap, repository, path)
    assert verdict.fail_to_pass == (f"{CHECK}::test_one",)
    assert set(verdict.pass_to_pass) == {f"{CHECK}::test_other", f"{CHECK}::test_type"}
    candidate = given_candidate(repository, _patch(repository, path))
    environment = assemble_environment(
        repository,
        candidate,
        verdict,
        issue=Issue(text="# Not one\n", writer="template"),
    )
    assert "packages/other/src/other.py" in environment.workspace
    audit = await run_gate(bubblewrap, environment, image=suite_image)
    assert all_passed(audit), audit


def _patch(repository: HealthyRepository, path: str) -> str:
    buggy = File(FILES[path].replace("1", "2").encode())
    return diff_trees(repository.tree, {**repository.tree, path: buggy})


async def _verdict(
    provider: SandboxProvider, repository: HealthyRepository, path: str
) -> Verdict:
    return await verify_candidate(
        provider,
        repository,
        await measure_baseline(provider, repository),
        given_candidate(repository, _patch(repository, path)),
        VerificationSettings(repeats=2),
    )
