"""Tiny repositories made up for the tests of targets, runner and verification."""

import hashlib
from pathlib import Path

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.p2f.request import RunRequest
from envplatform.swe.p2f.result import SuiteRun
from envplatform.swe.p2f.suite import run_fresh
from envplatform.swe.targets import (
    Code,
    FolderSource,
    HealthyRepository,
    Suite,
    Target,
)
from envplatform.tree import File, Tree, tree_digest

CALC = """
def add(a, b):
    if a == 0:
        return b
    return a + b


def unused(a):
    return a * 2
"""


def tree_of(files: dict[str, str]) -> Tree:
    """A tree from text."""
    return {path: File(text.encode()) for path, text in files.items()}


def repository_of(
    image: Image,
    tests: str,
    *,
    more: dict[str, str] | None = None,
    suite: Suite | None = None,
    code: Code | None = None,
) -> HealthyRepository:
    """A repository with `calc.py`, one test file, and `more`."""
    tree = tree_of({"calc.py": CALC, "tests/test_it.py": tests, **(more or {})})
    target = Target(
        name="made__calc",
        source=FolderSource(path=Path("calc")),
        license="Apache-2.0",
        python=(image.python,),
        requirements=image.requirements,
        suite=suite or Suite(paths=("tests",), test_timeout_s=3, suite_timeout_s=30),
        code=code or Code(roots=("calc.py",)),
    )
    return HealthyRepository(
        target=target, tree=tree, image=image, commit=tree_digest(tree)
    )


def candidate_of(repository: HealthyRepository, patch: str) -> BugCandidate:
    """A candidate whose id follows from its patch."""
    digest = hashlib.sha256(patch.encode()).hexdigest()
    return BugCandidate(
        candidate_id=f"{repository.name}.{repository.commit[:8]}.made.{digest[:8]}",
        repository=repository.name,
        commit=repository.commit,
        inducer="made",
        operator="made",
        path="calc.py",
        line=1,
        bug_patch=patch,
        seed=0,
    )


async def run_tests(
    provider: SandboxProvider, repository: HealthyRepository, request: RunRequest
) -> SuiteRun:
    """Run the repository's suite in a fresh sandbox."""
    return await run_fresh(
        provider, repository.image, repository.tree, repository.target, request
    )


def request_of(
    *, ids: tuple[str, ...] | None = None, test_s: float = 3, suite_s: float = 30
) -> RunRequest:
    """One plain run."""
    return RunRequest(ids=ids, test_timeout_s=test_s, suite_timeout_s=suite_s)
