"""Which lines of the code run in which test, by coverage.py.

Three kinds of time are kept apart: the tests, `import` (start and collection) and
`shared` (fixtures of a class or wider, which run inside whichever test comes first).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

IMPORT, SHARED, TEST = "import", "shared", "test:"
_RECORD = 500_000
"""Characters of contexts and lines in one record, about."""


class NoLines:
    """Stands where no coverage was asked for."""

    def start(self) -> None:
        """Begin with what runs at import."""

    def enter(self, context: str) -> None:
        """Count what runs from here on for `context`."""

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Count what runs inside for no single test."""
        yield

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield what was found, one record a file."""
        return iter(())


class Lines(NoLines):
    """Records lines of the files below the code's roots."""

    def __init__(self, root: str, include: list[str], omit: list[str]) -> None:
        os.environ.setdefault("COVERAGE_CORE", "ctrace")
        import coverage  # noqa: PLC0415  only images of targets have it

        self._unreadable = (coverage.CoverageException, OSError)

        self._root = root.rstrip("/") + "/"
        self._coverage = coverage.Coverage(
            data_file=None,
            config_file=False,
            include=include,
            omit=omit,
            messages=False,
        )
        self._context = IMPORT
        self._tracer: object = None
        self._tracing = sys.gettrace

    def start(self) -> None:
        """Begin with what runs at import."""
        self._coverage.start()
        self._tracer = self._tracing()
        self.enter(IMPORT)

    def enter(self, context: str) -> None:
        """Count what runs from here on for `context`."""
        if self._tracing() is not self._tracer:  # a test took the tracing for itself
            self._coverage.stop()
            self._coverage.start()
            self._tracer = self._tracing()
        self._context = context
        self._coverage.switch_context(context)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Count what runs inside for no single test."""
        before = self._context
        self.enter(SHARED)
        try:
            yield
        finally:
            self.enter(before)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield what was found: path, statements, lines by context.

        One record a file, or more where its contexts are too many for one.
        """
        self._coverage.stop()
        data = self._coverage.get_data()
        for name in sorted(data.measured_files()):
            if not name.startswith(self._root):
                continue
            by_context: dict[str, list[int]] = {}
            by_line = data.contexts_by_lineno(name)
            for line, contexts in sorted(by_line.items()):
                for context in contexts:
                    by_context.setdefault(context, []).append(line)
            statements = self._statements(name, sorted(by_line))
            for part in parts_of(by_context):
                yield {
                    "kind": "lines",
                    "path": name[len(self._root) :],
                    "statements": statements,
                    "contexts": part,
                }

    def _statements(self, name: str, seen: list[int]) -> list[int]:
        """Return where statements start; what was seen if a test took the file away."""
        try:
            statements: list[int] = self._coverage.analysis2(name)[1]
        except self._unreadable:
            return seen
        return statements


def parts_of(by_context: dict[str, list[int]]) -> Iterator[dict[str, list[int]]]:
    """Yield all of it, in pieces that fit a record."""
    part: dict[str, list[int]] = {}
    size = 0
    for context, lines in by_context.items():
        part[context] = lines
        size += len(context) + 6 * len(lines)
        if size > _RECORD:
            yield part
            part, size = {}, 0
    if part or not by_context:
        yield part
