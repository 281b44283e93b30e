"""The failure report: what an issue writer may see of a proven bug.

Built from what the plugin says of the tests, which leaves out the code under test.
Cleaned of what differs between runs and sandboxes, so that equal bugs report equally.
"""

import re
from collections.abc import Iterable, Mapping

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_TEMPORARY = re.compile(r"/tmp/[\w./-]+")  # noqa: S108  a pattern, no file
_SITE = re.compile(r"/opt/site/|/workspace/")
_STDLIB = re.compile(r"/(?:opt/python|usr/local|usr)/lib/python3\.\d+/")
"""Where the interpreter lies differs between sandboxes."""
_UNPRINTABLE = re.compile(r"[^\n\t\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]")
_LONGEST_LINE = 400


def failure_report(
    tests: Iterable[str], reports: Mapping[str, str], *, max_chars: int
) -> str:
    """Return the failures of `tests`, in order, cut at `max_chars`.

    Tests that no longer fit are counted in the last line. Empty for no tests.
    """
    shown: list[str] = []
    left = list(tests)
    size = 0
    while left:
        text = f"{left[0]}\n{clean_report(reports.get(left[0], ''))}".rstrip() + "\n"
        if shown and size + len(text) > max_chars:
            break
        shown.append(text[:max_chars])
        size += len(text) + 1
        left.pop(0)
    more = [f"... and {len(left)} more failing tests\n"] if left else []
    return "\n".join([*shown, *more])


def reason_of(report: str) -> str:
    """Return the one line that says most: the first that pytest marks as the error."""
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    errors = [line[2:].strip() for line in lines if line.startswith("E ")]
    return clean_report([*errors[:1], *lines[-1:], ""][0])[:300]


def clean_report(text: str) -> str:
    """Take out addresses, temporary paths, sandbox paths and control characters."""
    text = _ADDRESS.sub("0x...", text)
    text = _TEMPORARY.sub("/tmp/...", text)  # noqa: S108  text, no file
    text = _SITE.sub("", _STDLIB.sub("", text))
    text = _UNPRINTABLE.sub("?", text)
    lines = [line[:_LONGEST_LINE] for line in text.splitlines()]
    return "\n".join(line.rstrip() for line in lines).strip("\n")
