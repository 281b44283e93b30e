"""The part of a proof that an environment can be graded by.

A doctest in the code itself proves a bug and grades nothing: hiding it would hide the
code, and who mends the code may rewrite it.
"""

from collections.abc import Mapping
from dataclasses import replace

from envplatform.swe.candidate import Verdict
from envplatform.swe.issue.report import split_report
from envplatform.swe.targets import HealthyRepository
from envplatform.swe.targets.testfiles import files_of_tests


def gradable(repository: HealthyRepository, verdict: Verdict) -> Verdict:
    """Return `verdict` with those failing tests alone that lie in test files.

    Their reports alone, too: an issue must not speak of what does not count. Where no
    failing test lies in a test file it is returned as it is: the proof stands, and
    nothing can be made of it.
    """
    tests = verdict.fail_to_pass
    places = files_of_tests(repository.target, repository.tree, tests)
    kept = tuple(test for test in tests if places[test])
    if not kept or kept == tests:
        return verdict
    report = _joined(split_report(verdict.failure_report, tests), kept)
    return replace(verdict, fail_to_pass=kept, failure_report=report)


def _joined(reports: Mapping[str, str], tests: tuple[str, ...]) -> str:
    """Put reports together as `p2f.report.failure_report` does."""
    shown = [test for test in tests if test in reports]
    return "\n".join(f"{test}\n{reports[test]}".rstrip() + "\n" for test in shown)
