"""other_spellings: right work has full marks however it is spelt.

What the oracle delivered is written in other ways that say the same, as people and tools
do: with a byte order mark and CRLF, whole numbers as `3.0`, large ones as `1,200`. What
is held is left alone, for there an agent edits what somebody else has spelt.
"""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from envplatform.bundle import CheckResult
from envplatform.grading.batch import Bench
from envplatform.grading.evidence import Evidence
from envplatform.tree import File

NAME = "other_spellings"
_TEXTS = (".csv", ".json", ".md", ".txt")
_WHOLE = re.compile(r"0|[1-9]\d*")
_LARGE = 1000


async def other_spellings(evidence: Evidence, bench: Bench) -> CheckResult:
    """Passed if each spelling of the oracle's deliverables gets full marks.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    given = _delivered(evidence)
    if evidence.untouched is None or evidence.solve.exit_code != 0 or not given:
        what = "without texts that the oracle delivered nothing can be spelt otherwise"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    base = replace(
        evidence.untouched, workspace=evidence.solved, served=evidence.solved_served
    )
    spelt = {
        name: files
        for name, spelling in _SPELLINGS.items()
        for files in [{path: spelling(path, text) for path, text in given.items()}]
        if files != given
    }
    gradings = await bench.grade(
        [
            replace(base, workspace={**base.workspace, **_files(files)})
            for files in spelt.values()
        ]
    )
    lost = {
        name: ", ".join(
            f"{criterion} {score:g}"
            for criterion, score in found.components.items()
            if score < 1
        )
        or str(found.failure)
        for name, found in zip(spelt, gradings, strict=True)
        if found.reward != 1
    }
    if lost:
        told = "; ".join(f"{name}: {scores}" for name, scores in lost.items())
        what = f"right work loses marks by how it is spelt: {told}"
        return CheckResult(name=NAME, status="failed", evidence=what)
    what = f"full marks in each of {len(spelt)} other spellings"
    return CheckResult(name=NAME, status="passed", evidence=what)


def _delivered(evidence: Evidence) -> dict[str, str]:
    """Return the texts below /workspace that the oracle wrote, by path."""
    before, found = evidence.environment.workspace, dict[str, str]()
    for path, file in sorted(evidence.solved.items()):
        is_theirs = path in before and before[path].data == file.data
        if is_theirs or PurePosixPath(path).suffix not in _TEXTS:
            continue
        try:
            found[path] = file.data.decode()
        except UnicodeDecodeError:
            continue
    return found


def _files(texts: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in texts.items()}


def _as_on_windows(path: str, text: str) -> str:
    del path
    return "\ufeff" + text.replace("\n", "\r\n")


def _with_decimals(path: str, text: str) -> str:
    if path.endswith(".json"):
        return _document(text)
    return _cells(path, text, lambda cell: f"{cell}.0")


def _with_thousands(path: str, text: str) -> str:
    return _cells(
        path, text, lambda cell: f"{int(cell):,}" if int(cell) >= _LARGE else cell
    )


_SPELLINGS: dict[str, Callable[[str, str], str]] = {
    "with byte order mark and CRLF": _as_on_windows,
    "with 3.0 for 3": _with_decimals,
    "with 1,200 for 1200": _with_thousands,
}


def _cells(path: str, text: str, spelling: Callable[[str], str]) -> str:
    """Return a table with its whole numbers spelt otherwise; all else as it came."""
    if not path.endswith(".csv"):
        return text
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return text
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(
        [spelling(cell) if _WHOLE.fullmatch(cell) else cell for cell in row]
        for row in rows
    )
    return written.getvalue()


def _document(text: str) -> str:
    """Return JSON with its whole numbers as `3.0`; as it came where it is none."""
    try:
        return json.dumps(json.loads(text, parse_int=float))
    except (ValueError, RecursionError):
        return text
