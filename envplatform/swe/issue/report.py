"""A failing test's report taken apart: which line failed, and what pytest said.

Reports come from runs of untrusted code. Nothing is executed or evaluated here; what
does not look as expected yields less, never an error.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from envplatform.swe.issue.safe import clean

_ERROR = re.compile(r"E(?:\s+|$)")
_EXCEPTION = re.compile(r"((?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*))(?::\s*(.*))?")
_NOT_RAISED = re.compile(
    r"(?:Failed: )?DID NOT RAISE |AssertionError: [\w.]+ not raised"
)
_CALL = re.compile(r"\+\s+where ")
_CARETS = re.compile(r"[\s^~]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What one report says."""

    lines: tuple[str, ...]
    """Lines of the test that were shown, stripped, in order."""
    errors: tuple[str, ...]
    """Pytest's `E` lines without the E."""
    marked: str = ""
    """Part of the last shown line that Python underlines; empty if it does not."""

    @property
    def exception(self) -> tuple[str, str] | None:
        """Short class name and message of an exception that is no failed assertion."""
        match = _EXCEPTION.fullmatch(self.errors[0]) if self.errors else None
        if match is None or match[2] in {"AssertionError", "Failed", "assert"}:
            return None
        looks_like_class = match[2][:1].isupper() or "." in match[1]
        return (match[2], match[3] or "") if looks_like_class else None

    @property
    def difference(self) -> str:
        """Pytest's comparison line by line; empty if it shows none."""
        lines = [line for line in self.errors[1:] if not _CALL.match(line)]
        return "\n".join(lines).strip("\n")

    @property
    def not_raised(self) -> bool:
        """Whether an exception was expected and none came."""
        return any(_NOT_RAISED.match(line) for line in self.errors[:3])

    @property
    def assertion(self) -> str | None:
        """The failed condition with values put in, `'a' == 'b'`."""
        for line in self.errors:
            text = line.removeprefix("AssertionError: ")
            if text.startswith("assert "):
                return text.removeprefix("assert ")
        return None


def split_report(report: str, test_ids: Iterable[str]) -> Mapping[str, str]:
    """Cut a verdict's report into the tests' parts; tests that were cut off are absent."""
    wanted = set(test_ids)
    parts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in report.split("\n"):
        if line in wanted and line not in parts:
            current = parts.setdefault(line, [])
        else:
            current.append(line)
    return {test: "\n".join(lines).strip("\n") for test, lines in parts.items()}


def read_failure(report: str) -> Failure:
    """Sort a report's lines into code of the test and error lines.

    Of chained exceptions the last one counts: it is the one that came out.
    """
    lines: list[str] = []
    errors: list[str] = []
    shown = marked = ""
    for line in clean(report).split("\n"):
        match = _ERROR.match(line)
        if match:
            errors.append(line[match.end() :].rstrip())
        elif _CARETS.fullmatch(line):
            marked = _underlined(shown, line) or marked
        else:
            errors, marked, shown = [], "", line
            lines.append(line.lstrip("> ").strip())
    return Failure(lines=tuple(lines), errors=tuple(errors), marked=marked)


def _underlined(line: str, carets: str) -> str:
    start, end = len(carets) - len(carets.lstrip()), len(carets.rstrip())
    return line[start:end].strip()


def compared_values(assertion: str, operator: str) -> tuple[str, str] | None:
    """Both sides of a failed comparison as pytest shows them; None if unclear."""
    try:
        tree = ast.parse(assertion.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        sides = [
            ast.get_source_segment(assertion.strip(), side)
            for side in (tree.left, tree.comparators[0])
        ]
        if sides[0] is not None and sides[1] is not None:
            return sides[0], sides[1]
    left, sign, right = assertion.partition(f" {operator} ")
    clear = sign and f" {operator} " not in right
    return (left.strip(), right.strip()) if clear else None
