"""Each version of Python that a target may ask for, with a suite run on it for real."""

from pathlib import Path

import pytest

from envplatform.errors import SandboxUnavailableError
from envplatform.patches import diff_trees
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.sandbox.interpreters import find_interpreter, patch_level
from envplatform.swe.p2f import VerificationSettings
from envplatform.swe.p2f.baseline import measure_baseline
from envplatform.swe.p2f.verify import verify_candidate
from envplatform.swe.targets.pythons import KNOWN, default_requirements
from envplatform.tree import File
from tests.swe.made_suites import CALC, candidate_of, repository_of

TESTS = """
import sys
import threading
import unittest

import pytest

from calc import add


def test_version():
    assert "%d.%d" % sys.version_info[:2] == "VERSION"


@pytest.mark.parametrize("a", [1, 2], ids=["a b[c]", "é"])
def test_add(a):
    assert add(a, 1) == a + 1


class TestOld(unittest.TestCase):
    def test_sub(self):
        for a in (0, 1):
            with self.subTest(a=a):
                self.assertEqual(add(a, 0), a)


@pytest.mark.xfail(strict=True)
def test_known():
    assert add(1, 1) == 3
"""


@pytest.mark.slow
@pytest.mark.parametrize("version", KNOWN)
async def test_a_suite_is_measured_and_a_bug_is_proved(
    version: str, bubblewrap: SandboxProvider, cache_folder: Path
) -> None:
    """Collection, odd ids, subtests, coverage and verdict are the same on all."""
    try:
        find_interpreter(version)
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    pins = default_requirements(version)
    image = build_image("pytest", version, pins, cache_folder / "images")
    assert image.requirements == pins
    repository = repository_of(image, TESTS.replace("VERSION", version))
    baseline = await measure_baseline(bubblewrap, repository)
    tests = "tests/test_it.py"
    odd = (f"{tests}::test_add[\\xe9]", f"{tests}::test_add[a b[c]]")
    assert baseline.stable == (
        f"{tests}::TestOld::test_sub",
        *odd,
        f"{tests}::test_version",
    )
    assert baseline.covered_lines("calc.py") >= {2, 3, 4, 5}
    bug = File(CALC.replace("a + b", "a - b").encode())
    patch = diff_trees(repository.tree, {**repository.tree, "calc.py": bug})
    verdict = await verify_candidate(
        *(bubblewrap, repository, baseline, candidate_of(repository, patch)),
        VerificationSettings(repeats=2),
    )
    assert verdict.fail_to_pass == odd


def test_the_highest_patch_level_is_taken(tmp_path: Path) -> None:
    """Not the last by the alphabet."""
    names = ["3.11.9", "3.11.10", "3.11.0rc1"]
    paths = [tmp_path / name / "bin" / "python3.11" for name in names]
    assert max(paths, key=patch_level).parts[-3] == "3.11.10"
    assert min(paths, key=patch_level).parts[-3] == "3.11.0rc1"
