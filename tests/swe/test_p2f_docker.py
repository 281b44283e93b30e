"""The same suites and candidates in Docker: the same verdicts as in bubblewrap."""

import asyncio
from dataclasses import replace

import pytest

from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.candidate import BugCandidate, Cost, Verdict
from envplatform.swe.p2f import (
    Baseline,
    VerificationSettings,
    measure_baseline,
    verify_candidates,
)
from envplatform.swe.targets import HealthyRepository, Suite
from envplatform.tree import File
from tests.swe.made_suites import CALC, candidate_of, repository_of

pytestmark = pytest.mark.docker

TESTS = """
import os, pytest
from calc import add

@pytest.fixture
def zero(): return add(0, 0)
def test_add(): assert add(1, 2) == 3
def test_zero(zero): assert zero == 0
@pytest.mark.parametrize("n", [0, 5])
def test_same(n): assert add(n, 0) == n
def test_kill(): assert os.getppid() != 1
def test_red(): assert False
"""
CHANGES = {
    "bug": ("return a + b", "return a - b"),
    "boundary": ("a == 0", "a <= 1"),
    "harmless": ("return a + b", "return b + a"),
    "error beside failure": ("return b", "raise KeyError"),
    "uncovered": ("a * 2", "a * 3"),
    "syntax": ("return b", "return ("),
    "import": ("def add", "import gone\ndef add"),
    "loop": ("return a + b", "while True: pass"),
    "exit": ("return a + b", "import os; os._exit(0)"),
    "memory": ("return a + b", "x = []\n    while True: x.append(bytearray(10**7))"),
    "kill": ("return a + b", "import os; os.kill(os.getppid(), 9)"),
}
SETTINGS = VerificationSettings(
    repeats=3, concurrency=1, least_test_s=3, least_suite_s=30
)


@pytest.fixture(scope="module")
def repository(suite_image: Image) -> HealthyRepository:
    """A small repository."""
    suite = Suite(paths=("tests",), test_timeout_s=5, suite_timeout_s=60, memory_mb=256)
    return repository_of(suite_image, TESTS, suite=suite)


def candidates_of(repository: HealthyRepository) -> dict[str, BugCandidate]:
    """One candidate a change, by name."""
    return {
        name: candidate_of(
            repository,
            diff_trees(
                repository.tree,
                {
                    **repository.tree,
                    "calc.py": File(CALC.replace(old, new, 1).encode()),
                },
            ),
        )
        for name, (old, new) in CHANGES.items()
    }


async def verdicts_in(
    provider: SandboxProvider, repository: HealthyRepository
) -> tuple[Baseline, dict[str, Verdict]]:
    """Baseline and verdicts, without what depends on the sandbox's kind or time."""
    baseline = await measure_baseline(provider, repository)
    candidates = candidates_of(repository)
    names = {candidate.candidate_id: name for name, candidate in candidates.items()}
    found = {
        names[verdict.candidate_id]: replace(verdict, sandbox="", cost=Cost())
        async for verdict in verify_candidates(
            provider, repository, baseline, list(candidates.values()), SETTINGS
        )
    }
    timeless = replace(baseline, seconds_by_test={}, suite_s=0, sandbox="")
    return timeless, {name: found[name] for name in candidates}


def test_the_same_verdicts_in_both(
    bubblewrap: SandboxProvider,
    docker_provider: SandboxProvider,
    repository: HealthyRepository,
) -> None:
    """Stable tests, coverage, reasons, failing tests and reports are equal."""
    baseline, inside_bubblewrap = asyncio.run(verdicts_in(bubblewrap, repository))
    other_baseline, inside_docker = asyncio.run(
        verdicts_in(docker_provider, repository)
    )
    assert baseline == other_baseline
    for name, verdict in inside_bubblewrap.items():
        other = inside_docker[name]
        if name == "kill":  # whether the runner had yet seen the test begin is chance
            other = replace(other, detail=verdict.detail)
        assert verdict == other, name
    assert {name: v.rejection for name, v in inside_docker.items()} == {
        "bug": None,
        "boundary": None,
        "harmless": "no_failure",
        "error beside failure": None,
        "uncovered": "uncovered",
        "syntax": "does_not_compile",
        "import": "collection_error",
        "loop": "timeout",
        "exit": "crashed",
        "memory": "out_of_memory",
        "kill": "crashed",
    }
