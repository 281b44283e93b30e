"""What stands in the failing tests and must not stand in an issue: they are hidden."""

from collections.abc import Iterable
from dataclasses import dataclass

from envplatform.grading.secrets import passages_of
from envplatform.grading.shingles import Shingle
from envplatform.swe.issue.facts import FailingTest


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTests:
    """Passages of the tests' files, as `grading` defines them, and ids of the tests."""

    passages: frozenset[Shingle]
    ids: frozenset[str]

    @classmethod
    def of(cls, tests: Iterable[FailingTest]) -> "HiddenTests":
        """Take them from the failing tests."""
        tests = tuple(tests)
        sources = {test.path: test.source for test in tests}
        passages = [passages_of(source.encode()) for source in sources.values()]
        return cls(
            passages=frozenset().union(*passages),
            ids=frozenset(test.test_id for test in tests),
        )

    def are_in(self, text: str) -> bool:
        """Whether `text` holds any of them."""
        return self.are_quoted_in(text) or any(name in text for name in self.ids)

    def are_quoted_in(self, text: str) -> bool:
        """Whether `text` holds a passage."""
        return not self.passages.isdisjoint(passages_of(text.encode()))
