"""The pytest plugin: selects, shuffles, repeats, watches and reports tests.

Classes of outcomes are worked out in `reports.py`, time in `alarm.py`, lines in
`lines.py`. Old-style hook wrappers, since targets may need an old pytest.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
from collections.abc import Callable, Generator
from typing import Any

import pytest

from .alarm import Alarm
from .lines import SHARED, TEST, NoLines
from .reports import cause_of, outcome_of, text_of, text_of_error

_MAX_TESTS = 100_000
_MAX_ID = 4096


class Plugin:
    """One run of one suite. The order of records: collected, then begin and end."""

    def __init__(
        self,
        job: dict[str, Any],
        open_stream: Callable[[int], Callable[[dict[str, Any]], None]],
        lines: NoLines,
    ) -> None:
        self._job = job
        self._open_stream = open_stream
        self._send = open_stream(0)
        self._lines = lines
        self._alarm = Alarm(job["test_timeout_s"])
        self._round = 0
        self._reports: list[pytest.TestReport] = []
        self._cause: str | None = None
        self._raised = False
        self._text = self._test_file = ""
        # Bound now: tests patch modules.
        self._seed_random = random.seed  # noqa: TID251  what tests draw from is global
        self._fork = os.fork
        self._exit, self._waitpid = os._exit, os.waitpid

    # -- collection

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Report what could not be collected."""
        if report.failed:
            text = _printable(report.longrepr)[-self._job["report_chars"] :]
            self._send(
                {"kind": "broken", "id": _printable(report.nodeid), "report": text}
            )

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Select and order, after every other plugin had its way."""
        yield
        wanted = None if self._job["ids"] is None else set(self._job["ids"])
        unwanted = set(self._job["without"])
        kept: dict[str, pytest.Item] = {}
        for item in items:
            name = _printable(item.nodeid)
            is_chosen = wanted is None or name in wanted
            if is_chosen and name not in unwanted and len(name) <= _MAX_ID:
                kept.setdefault(name, item)
        chosen = list(kept.values())[:_MAX_TESTS]
        ids = {id(item) for item in chosen}
        config.hook.pytest_deselected(items=[i for i in items if id(i) not in ids])
        items[:] = self._shuffled(chosen) if self._job["shuffle"] else chosen

    def _shuffled(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Shuffle files, then classes in a file, then tests in a class."""
        draw = random.Random(self._job["seed"])  # noqa: S311  no secret
        for depth in (3, 2, 1):
            order: dict[str, list[pytest.Item]] = {}
            for item in items:
                order.setdefault("::".join(item.nodeid.split("::")[:depth]), []).append(
                    item
                )
            groups = list(order.values())
            draw.shuffle(groups)
            items = [item for group in groups for item in group]
        return items

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Report what will run, in order."""
        ids = [_printable(item.nodeid) for item in session.items]
        for start in range(0, len(ids), 1000):
            self._send({"kind": "collected", "ids": ids[start : start + 1000]})
        self._send({"kind": "ready", "count": len(ids)})

    # -- running

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Repeat the tests, each time in a fork that saw nothing but the imports."""
        if self._job["rounds"] == 1 or session.testsfailed:
            return None
        # A fork would lose these threads; the host then asks again for the rest.
        rounds = 1 if threading.active_count() > 1 else self._job["rounds"]
        for number in range(rounds):
            status = self._run_round(session, number)
            self._send({"kind": "round", "number": number, "status": status})
            if status:
                break
        return True

    def _run_round(self, session: pytest.Session, number: int) -> int:
        sys.stdout.flush()
        sys.stderr.flush()
        child = self._fork()
        if child:
            return self._waitpid(child, 0)[1]
        try:
            self._round = number
            self._send = self._open_stream(number + 1)
            rest: list[pytest.Item | None] = [*session.items[1:], None]
            for place, item in enumerate(session.items):
                following = rest[place]
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.shouldstop or session.shouldfail:
                    self._exit(2)
            self._exit(0)
        finally:
            self._exit(3)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        """Run one test between its two records."""
        name = _printable(item.nodeid)
        self._reports, self._cause, self._raised = [], None, False
        self._text, self._test_file = "", _file_of(item)
        self._seed(name)
        self._alarm.reset()
        self._send({"kind": "begin", "id": name})
        self._lines.enter(TEST + name)
        yield
        self._lines.enter(SHARED)
        self._send(self._result(name))
        if self._alarm.fired and self._job["stop_on_timeout"]:
            item.session.shouldstop = "a test timed out"

    def _seed(self, name: str) -> None:
        """Seed what tests draw from: per test, so that selection changes nothing."""
        self._seed_random(f"{self._job['seed']}:{self._round}:{name}")
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:
            with contextlib.suppress(AttributeError):  # half imported, or a stand-in
                numpy.seed(random.getrandbits(32))

    def _result(self, name: str) -> dict[str, Any]:
        failed = [r for r in self._reports if r.failed]
        text = ""
        if failed:
            text = self._text or text_of(failed[0].longrepr, self._test_file)
        outcome = outcome_of(self._reports, self._cause)
        if outcome == "passed" and self._raised:  # a hook hid the failure
            outcome = "failed"
        return {
            **self._ended(name, "timeout" if self._alarm.fired else outcome),
            "cause": self._cause if failed else None,
            "report": _printable(text)[: self._job["report_chars"]],
        }

    def _ended(self, name: str, outcome: str) -> dict[str, Any]:
        """Return the record of a test that ended so, without a reason."""
        return {
            "kind": "end",
            "id": _printable(name),
            "outcome": outcome,
            "cause": None,
            "seconds": round(sum(r.duration for r in self._reports), 6),
            "report": "",
        }

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        """Let the alarm's time run during set-up."""
        self._alarm.arm()
        yield
        self._alarm.disarm()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Let the alarm's time run during the call."""
        self._alarm.arm()
        yield
        self._alarm.disarm()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, None, None]:
        """Let the alarm's time run during tear-down."""
        self._alarm.arm()
        yield
        self._alarm.disarm()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, None, None]:
        """Keep lines of wider fixtures apart from those of the test they start in."""
        if fixturedef.scope == "function":
            yield
            return
        with self._lines.shared():
            yield

    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> None:
        """Note what kind of error it was, while the error is there."""
        if call.excinfo is None:
            return
        error = call.excinfo.value
        self._raised = self._raised or call.when == "call"
        self._cause = self._cause or cause_of(error)
        if isinstance(item, pytest.Function) and not hasattr(error, "formatrepr"):
            self._text = self._text or text_of_error(error, self._test_file)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the report as every other plugin left it."""
        self._reports.append(report)

    def pytest_internalerror(self, excrepr: object) -> None:
        """Report that pytest, or a plugin in it, broke."""
        self._send({"kind": "internal_error", "report": _printable(excrepr)[-2000:]})

    def finish(self, status: int) -> None:
        """Close the account: lines, then pytest's own exit status."""
        for record in self._lines.records():
            self._send(record)
        self._send({"kind": "finish", "status": status})


def _file_of(item: pytest.Item) -> str:
    """Return the file whose lines may be shown; none for a doctest: it is code too."""
    return item.nodeid.split("::")[0] if isinstance(item, pytest.Function) else ""


def _printable(text: object) -> str:
    """Make an id or a report storable: what is no UTF-8 in it is escaped."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")
