"""A suite of twenty thousand tests, each asked for by its id."""

from dataclasses import replace

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f.changes import apply_change
from tests.swe.made_suites import edited, repository_of, request_of, run_tests

COUNT = 20_000
TESTS = f"""
import pytest
from calc import add
@pytest.mark.parametrize("n", range({COUNT}))
def test_sum(n): assert add(n, 1) == n + 1
"""


async def test_of_twenty_thousand_tests_the_one_that_fails_is_found(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """None is lost on the way there or back, and none is taken for another."""
    repository = repository_of(suite_image, TESTS)
    bug = edited(repository, "a == 0", "a == 17_171")
    change = apply_change(repository.tree, bug.bug_patch)
    ids = tuple(f"tests/test_it.py::test_sum[{n}]" for n in range(COUNT))
    request = request_of(ids=ids, test_s=120, suite_s=1800)
    run = await run_tests(bubblewrap, replace(repository, tree=change.tree), request)
    assert (run.ending, run.detail) == ("completed", "")
    assert run.outcomes.keys() == set(ids)
    failed = [test for test, outcome in run.outcomes.items() if outcome != "passed"]
    assert failed == [ids[17_171]]
    assert "test_sum" in run.reports[failed[0]]
