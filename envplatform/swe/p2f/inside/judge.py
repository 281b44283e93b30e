"""From what the runner saw to one ending: the exit status must agree with the records.

Pure: no processes, no pipes, no pytest.
"""

from __future__ import annotations

import re
from typing import Any

from .child import UNUSABLE

_OK, _FAILED, _INTERRUPTED, _INTERNAL, _USAGE, _NO_TESTS = range(6)
"""Exit statuses of pytest."""


class Account:
    """What one child reported, in order, and how it ended."""

    def __init__(self) -> None:
        self.rounds: dict[int, dict[str, dict[str, Any]]] = {}
        """By round, by test id: the `end` record."""
        self.broken: list[dict[str, Any]] = []
        self.collected: list[str] = []
        self.lines: list[dict[str, Any]] = []
        self.is_ready = False
        self.status: int | None = None
        """What the plugin says pytest's exit status is."""
        self.finished_rounds: dict[int, int] = {}
        self.internal_error = ""
        self.running: str | None = None
        self.running_round = 0
        self.late = ""
        """Why the runner killed the child; empty if it did not."""
        self.breach = ""
        """What came on the pipe that the plugin can't have written."""
        self._takers = {
            "collected": lambda _, record: self.collected.extend(record["ids"]),
            "ready": self._take_ready,
            "begin": self._take_begin,
            "end": self._take_end,
            "broken": lambda _, record: self.broken.append(record),
            "lines": lambda _, record: self.lines.append(record),
            "round": self._take_round,
            "internal_error": self._take_internal_error,
            "finish": self._take_finish,
        }

    def take(self, stream: int, record: dict[str, Any]) -> None:
        """Enter one genuine record. Stream 0 is the session, others are repetitions."""
        self._takers[record.pop("kind")](stream, record)

    def _take_ready(self, _stream: int, record: dict[str, Any]) -> None:
        self.is_ready = record["count"] == len(self.collected)

    def _take_begin(self, stream: int, record: dict[str, Any]) -> None:
        self.running, self.running_round = record["id"], max(stream - 1, 0)

    def _take_end(self, stream: int, record: dict[str, Any]) -> None:
        done = self.rounds.setdefault(max(stream - 1, 0), {})
        if self.running != record["id"] or record["id"] in done:
            self.breach = self.breach or "a test ended that had not begun"
        done[record["id"]] = record
        self.running = None

    def _take_round(self, _stream: int, record: dict[str, Any]) -> None:
        self.finished_rounds[record["number"]] = record["status"]

    def _take_internal_error(self, _stream: int, record: dict[str, Any]) -> None:
        self.internal_error = record["report"]

    def _take_finish(self, _stream: int, record: dict[str, Any]) -> None:
        self.status = record["status"]

    def outcomes(self) -> set[str]:
        """Return every class of outcome that occurred."""
        return {r["outcome"] for done in self.rounds.values() for r in done.values()}

    def tests_with(self, outcome: str) -> list[str]:
        """Return the tests that ended so, in order."""
        everything = [r for done in self.rounds.values() for r in done.values()]
        return [r["id"] for r in everything if r["outcome"] == outcome]

    def is_complete(self) -> bool:
        """Whether each collected test was reported in each round."""
        everything = set(self.collected)
        rounds = list(self.rounds.values()) or [{}]
        return self.is_ready and all(set(done) == everything for done in rounds)


def judge(account: Account, returncode: int) -> tuple[str, str]:
    """Return the ending and one line that explains it.

    `returncode` is as in `subprocess`: negative for a signal.
    """
    where = f" in {account.running}" if account.running else ""
    if account.late:
        return "timeout", account.late + where
    if account.breach:
        return "inconsistent", account.breach + where
    if account.status is None:
        return _unfinished(returncode, where)
    if returncode != account.status:
        said = f"pytest's status was {account.status}, the process ended {returncode}"
        return "inconsistent", said
    return _broken_off(account) or _finished(account)


def _unfinished(returncode: int, where: str) -> tuple[str, str]:
    if returncode == UNUSABLE and not where:
        return "unusable", "the image lacks pytest or coverage"
    if returncode < 0:
        return "crashed", f"the interpreter was ended by signal {-returncode}{where}"
    said = f"the interpreter ended with status {returncode} before pytest did{where}"
    return "crashed", said


def _broken_off(account: Account) -> tuple[str, str] | None:
    """Judge a suite that pytest itself did not carry through."""
    status = account.status
    late = account.tests_with("timeout")
    if status == _INTERRUPTED and late:
        return "timeout", f"{late[0]} took too long"
    if status in {_INTERRUPTED, _USAGE} and account.broken:
        first = account.broken[0]
        lines = first["report"].strip().splitlines() or [""]
        why = re.sub(r"^E\s+", "", lines[-1])[:200]
        return "collection_error", f"{first['id']} can't be collected: {why}"
    if status == _NO_TESTS and not account.collected:
        return "no_tests", "no test was selected"
    simple = {
        _USAGE: ("collection_error", "pytest could not start"),
        _INTERNAL: ("crashed", "pytest broke: " + account.internal_error[-300:]),
        _INTERRUPTED: ("crashed", "something interrupted pytest"),
    }
    return simple.get(status) if status is not None else None


def _finished(account: Account) -> tuple[str, str]:
    status, outcomes = account.status, account.outcomes()
    if account.finished_rounds:
        if any(account.finished_rounds.values()):
            return "crashed", "the interpreter ended in a repetition"
        agrees = status == _OK and set(account.rounds) == set(account.finished_rounds)
    else:
        bad = bool(outcomes & {"failed", "error", "timeout"} or account.broken)
        is_strict = "xpassed" in outcomes  # strict ones fail the suite, others do not
        agrees = (status == _FAILED and (bad or is_strict)) or (
            status == _OK and not bad
        )
    if not agrees or not account.is_complete():
        return "inconsistent", f"exit status {status} does not fit the records"
    return "completed", ""
