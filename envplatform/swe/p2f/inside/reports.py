"""From pytest's phase reports of one test to one outcome and a text that says why.

The text is what an issue writer may see: it keeps lines of the test's own file and
the error, and leaves out the code under test, which may hold the very defect.
"""

# ruff: noqa: ANN401  reports differ from release to release of pytest

from __future__ import annotations

import errno
import linecache
import re
import traceback
from collections.abc import Iterable, Iterator
from typing import Any

BROKEN_IMPORT = (
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "IndentationError",
)
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_MAX_CHAIN = 4
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line \d+')


def outcome_of(reports: Iterable[Any], cause: str | None) -> str:
    """Return the one outcome of a test's set-up, call and tear-down reports.

    `reports` are pytest's, those of subtests among them; a failed one fails the test.
    """
    phases = [_phase(report) for report in reports]
    if "failed" in phases:
        return "error" if cause else "failed"
    for outcome in ("error", "xfailed", "skipped", "xpassed", "passed"):
        if outcome in phases:
            return outcome
    return "missing"


def _phase(report: Any) -> str:
    is_expected_to_fail = hasattr(report, "wasxfail")
    if report.failed:
        if str(report.longrepr).startswith("[XPASS(strict)]"):
            return "xpassed"
        return "failed" if report.when == "call" else "error"
    if report.skipped:
        return "xfailed" if is_expected_to_fail else "skipped"
    if report.when == "call" and not hasattr(report, "context"):
        return "xpassed" if is_expected_to_fail else "passed"
    return ""


def cause_of(error: BaseException) -> str | None:
    """Name what made a test break before it could judge anything, if it is such."""
    error = _raised_in_doctest(error)
    if type(error).__name__ in BROKEN_IMPORT:
        return "import"
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError) and error.errno in NO_SPACE:
        return "disk"
    if isinstance(error, BlockingIOError) and error.errno == errno.EAGAIN:
        return "processes"
    if type(error) is RuntimeError and "start new thread" in str(error):
        return "processes"
    return None


def _raised_in_doctest(error: BaseException) -> BaseException:
    """Return what an example of a doctest raised; `error` itself if it is no such."""
    first = error
    if type(first).__name__ == "MultipleDoctestFailures":
        first = next(iter(getattr(first, "failures", ())), first)
    if type(first).__name__ == "UnexpectedException":
        raised: BaseException = getattr(first, "exc_info", (None, error))[1]
        return raised
    return error


def text_of_error(error: BaseException, test_file: str) -> str:
    """Return the lines of the test that led to `error`, and what it says.

    Our own, since pytest's reads and parses whole files for each failure: with many
    failures that takes longer than the tests.
    """
    lines: list[str] = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if _is_file(name, test_file):
            lines.append(f"{test_file}:{line}: in {frame.f_code.co_name}")
            lines.append("    " + linecache.getline(name, line).strip())
    chain: list[BaseException] = [error]
    while len(chain) < _MAX_CHAIN and _cause(chain[-1]) is not None:
        chain.append(_cause(chain[-1]) or error)
    for number, link in enumerate(chain):
        said = "".join(traceback.format_exception_only(type(link), link))
        if said.startswith("AssertionError: assert "):
            said = said[len("AssertionError: ") :]
        mark = "E   " if number == 0 else "E   caused by "
        lines += [mark + said_line for said_line in said.rstrip().split("\n")]
    return "\n".join(lines)


def _cause(error: BaseException) -> BaseException | None:
    hidden = error.__suppress_context__
    return error.__cause__ or (None if hidden else error.__context__)


def text_of(longrepr: object, test_file: str) -> str:
    """Return pytest's own account, for what fails in other ways than functions do."""
    return "\n".join(_without_frames(str(longrepr).splitlines(), test_file))


def _without_frames(lines: list[str], test_file: str) -> Iterator[str]:
    """Drop each `File "...", line` of another file, and the code that follows it."""
    dropping, depth = False, 0
    for line in lines:
        frame = _FRAME.match(line)
        if frame:
            dropping = not _is_file(frame["file"], test_file)
            depth = len(line) - len(line.lstrip())
        elif dropping and len(line) - len(line.lstrip()) <= depth:
            dropping = False
        if not dropping:
            yield line


def _is_file(path: str, test_file: str) -> bool:
    return path == test_file or path.endswith("/" + test_file)
