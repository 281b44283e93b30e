"""Read JUnit XML that code under test may have written: strictly, and within limits.

What is wrong with a report is said with the name of its file.

Knows no document types and no entities, so that a small report stays small. Pure:
no files, no processes.
"""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from .reports import BROKEN_IMPORT

MAX_BYTES = 32_000_000
"""Of all files of one report together."""
_MAX_CASES = 100_000
_MANY = f"holds more than {_MAX_CASES} test cases"
_MAX_DEPTH = 40
_MAX_ID = 4000
_CHUNK = 1 << 16
_SUITES = ("testsuites", "testsuite")
_NOT_RUN = ("notrun", "disabled")
_BAD = {"failure": "failed", "error": "error", "skipped": "skipped"}
_RANK = ("passed", "skipped", "failed", "error")
"""Of several outcomes in one case the last counts: an error judged nothing."""


class ReportError(Exception):
    """It is no JUnit report, or contradicts itself."""


def read_report(
    files: list[tuple[str, bytes]], *, report_chars: int, unique_ids: bool
) -> list[dict[str, Any]]:
    """Return one execution a test case, in order.

    `files` are names and contents. Equal ids are refused if `unique_ids`, else
    numbered.

    Raises:
        ReportError: says which file is wrong, and how.
    """
    cases: list[dict[str, Any]] = []
    taken: set[str] = set()
    for file, content in files:
        try:
            found = _Reader(report_chars).read(content)
            for case in found:
                _distinguish(case, taken, unique_ids)
        except ReportError as error:
            msg = f"{file} {error}"
            raise ReportError(msg) from error
        cases += found
    return cases


def _distinguish(case: dict[str, Any], taken: set[str], unique_ids: bool) -> None:  # noqa: FBT001
    """Give `case` an id that is not taken, or refuse it."""
    name, number = case["id"], 2
    if unique_ids and name in taken:
        msg = f"has a second test case {name[:200]}: results can't be told apart"
        raise ReportError(msg)
    if len(taken) >= _MAX_CASES:
        raise ReportError(_MANY)
    while case["id"] in taken:
        case["id"] = f"{name}#{number}"
        number += 1
    taken.add(case["id"])


class _Suite:
    """A test suite that is open, and what it says of its cases."""

    def __init__(self, attributes: dict[str, str]) -> None:
        self.name = attributes.get("name", "")
        self.claimed_tests = _count(attributes, "tests")
        failures, errors = _count(attributes, "failures"), _count(attributes, "errors")
        self.claimed_bad = None if failures is None else failures + (errors or 0)
        self.tests = self.bad = 0

    def check(self) -> None:
        """Raise if what it says is not what it holds.

        Raises:
            ReportError: as said.
        """
        if self.claimed_tests and not self.tests:
            msg = f"a suite says {self.claimed_tests} tests, holds none"
            raise ReportError(msg)
        if self.claimed_bad is not None and bool(self.claimed_bad) != bool(self.bad):
            said = f"{self.claimed_bad} failures and errors"
            msg = f"a suite says {said}, holds {self.bad}"
            raise ReportError(msg)


class _Reader:
    """One document."""

    def __init__(self, report_chars: int) -> None:
        self._chars = report_chars
        self._open: list[str] = []
        self._suites: list[_Suite] = []
        self._case: dict[str, Any] | None = None
        self._cases: list[dict[str, Any]] = []
        self._text: list[str] | None = None
        self._room = 0

    def read(self, content: bytes) -> list[dict[str, Any]]:
        """Return the cases of a whole document.

        Raises:
            ReportError: as `read_report`.
        """
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartDoctypeDeclHandler = _refuse
        parser.EntityDeclHandler = _refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        try:
            for start in range(0, len(content), _CHUNK):
                parser.Parse(content[start : start + _CHUNK], False)  # noqa: FBT003
            parser.Parse(b"", True)  # noqa: FBT003  its only signature
        except expat.ExpatError as error:
            msg = f"is no sound XML: {error}"
            raise ReportError(msg) from error
        except (LookupError, ValueError) as error:  # encodings that nobody has
            msg = f"can't be read: {error}"
            raise ReportError(msg) from error
        return self._cases

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else ""
        if len(self._open) >= _MAX_DEPTH:
            msg = f"is nested more than {_MAX_DEPTH} deep"
            raise ReportError(msg)
        if not parent and name not in _SUITES:
            msg = f"begins with <{name[:50]}>, not <testsuites>"
            raise ReportError(msg)
        self._open.append(name)
        if name in _SUITES:
            if parent and parent not in _SUITES:
                msg = f"has a suite inside of <{parent[:50]}>"
                raise ReportError(msg)
            self._suites.append(_Suite(attributes))
        elif name == "testcase":
            if parent not in _SUITES:
                msg = f"has a test case inside of <{parent[:50]}>"
                raise ReportError(msg)
            self._begin(attributes)
        elif name in _BAD and self._case is not None and parent == "testcase":
            self._judge(_BAD[name], attributes)

    def _begin(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name", "")
        if not name:
            msg = "has a test case without a name"
            raise ReportError(msg)
        if len(self._cases) >= _MAX_CASES:
            raise ReportError(_MANY)
        group = attributes.get("classname") or self._suites[-1].name
        skipped = attributes.get("status") in _NOT_RUN
        self._case = {
            "id": _one_line(f"{group}::{name}" if group else name)[:_MAX_ID],
            "round": 0,
            "outcome": "skipped" if skipped else "passed",
            "cause": None,
            "seconds": _seconds(attributes.get("time", "")),
            "report": "",
        }

    def _judge(self, outcome: str, attributes: dict[str, str]) -> None:
        case: dict[str, Any] = self._case or {}
        kind = attributes.get("type", "").rpartition(".")[2]
        message = attributes.get("message", "").strip()
        if outcome == "failed" and _breaks_import(kind, message):
            outcome, case["cause"] = "error", "import"
        if _RANK.index(outcome) < _RANK.index(case["outcome"]):
            return
        case["outcome"] = outcome
        if outcome != "skipped":
            named = kind and not message.startswith(kind)
            text = f"{kind}: {message}" if named else message
            case["report"] = _marked(text)[: self._chars] if text else ""
            self._text, self._room = [], self._chars

    def _characters(self, data: str) -> None:
        if self._text is not None and self._room > 0:
            self._text.append(data[: self._room])
            self._room -= len(data)

    def _end(self, name: str) -> None:
        self._open.pop()
        if name in _SUITES:
            suite = self._suites.pop()
            suite.check()
            if self._suites:
                self._suites[-1].tests += suite.tests
                self._suites[-1].bad += suite.bad
        elif name == "testcase" and self._case is not None:
            self._cases.append(self._case)
            self._suites[-1].tests += 1
            self._suites[-1].bad += self._case["outcome"] in {"failed", "error"}
            self._case = None
        elif name in _BAD and self._text is not None and self._case is not None:
            said = "".join(self._text).strip().splitlines()
            # Other frames show the code under test; the last line is the error.
            told = self._case["report"] or _marked("".join(said[-1:]).strip())
            line = _line_of(self._case["id"], said) if told else ""
            self._case["report"] = f"{line}{told}"[: self._chars]
            self._text = None


def _line_of(test: str, frames: list[str]) -> str:
    """Return the line at which a test itself stood, from Python's own traceback."""
    name = re.escape(test.rpartition("::")[2].partition("[")[0])
    place = re.compile(rf'^\s*File ".*", line [0-9]+, in {name}$')
    found = [after for at, after in zip(frames, frames[1:]) if place.match(at)]  # noqa: B905, RUF007  Python 3.7
    return f"    {found[-1].strip()}\n" if found else ""


def _refuse(*_: object) -> None:
    msg = "declares a document type or entities"
    raise ReportError(msg)


def _count(attributes: dict[str, str], name: str) -> int | None:
    text = attributes.get(name)
    if text is None:
        return None
    if not re.match(r"^[0-9]{1,9}$", text):
        msg = f"says {name}={text[:50]!r}, which is no number"
        raise ReportError(msg)
    return int(text)


def _seconds(text: str) -> float:
    """What a case says it took; nothing where that is no such number."""
    if not re.match(r"^[0-9]{1,6}(\.[0-9]{1,20})?$", text):
        return 0.0
    return round(float(text), 6)


def _one_line(text: str) -> str:
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def _marked(text: str) -> str:
    return "\n".join("E   " + line for line in text.splitlines())


def _breaks_import(kind: str, message: str) -> bool:
    return (kind or re.split(r"\W", message, maxsplit=1)[0]) in BROKEN_IMPORT
