"""What an issue writer may know. No field here can hold a patch or its path."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingTest:
    """One test that the bug makes fail."""

    test_id: str
    """`tests/test_a.py::TestB::test_c[1-x]`; hidden from whoever reads the issue."""
    source: str
    """The whole test file, healthy; empty if it could not be read."""
    report: str
    """Its part of the failure report: lines of the test, and pytest's `E` lines.

    Written by code under test: hostile until proven otherwise.
    """

    @property
    def path(self) -> str:
        """The test file."""
        return self.test_id.split("::")[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Class names, outermost first, then the function's."""
        head = self.test_id.split("[")[0]
        return tuple(head.split("::")[1:])

    @property
    def parameters(self) -> str:
        """What stands in the brackets, pytest's name of the parameters; else empty."""
        _, _, rest = self.test_id.partition("[")
        return rest.removesuffix("]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiDoc:
    """What the healthy package says of one public function or class."""

    name: str
    """`pluralize`, `Version`, `Version.parse`."""
    summary: str
    """First paragraph of its docstring on one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueFacts:
    """Everything a writer is given."""

    package: str
    version: str
    """As published; empty if unknown."""
    python: str
    modules: frozenset[str]
    """Names under which the package's own code is imported, `inflection`."""
    tests: tuple[FailingTest, ...]
    """Sorted by id; never empty."""
    docs: tuple[ApiDoc, ...]
    """Of what the failing tests name, sorted."""

    def seen(self) -> str:
        """All of it as one text: what is in here can't be a leak."""
        parts = [self.package, self.version, *sorted(self.modules)]
        for test in self.tests:
            parts += [test.test_id, test.source, test.report]
        for doc in self.docs:
            parts += [doc.name, doc.summary]
        return "\n".join(parts)
