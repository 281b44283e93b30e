"""One fork of the warm worker: what it reported, how it ended, and what follows.

Pure but for the clock: no processes, no pipes, no pytest.
"""

from __future__ import annotations

import time
from typing import Any

from .channel import ChannelError, Reader
from .judge import Account, judge

_PATIENCE = 10.0
"""Times the healthy duration."""
_LEAST_TEST_S = 0.5
_LEAST_RUN_S = 3.0
COMPILER_STREAM = 999_999
"""Where a fork says that a changed file does not compile."""


class Patience:
    """How long a candidate may take before it is left to confirmation.

    Tight, since what runs without end is the dearest of all. It decides no verdict:
    whoever is only slow passes confirmation.
    """

    def __init__(self, seconds_by_test: dict[str, float], whole_s: float) -> None:
        self._seconds_by_test = seconds_by_test
        self.run_s = _LEAST_RUN_S + _PATIENCE * whole_s
        """For a fork, with its collection."""

    def test_s(self, test: str) -> float:
        """Return the seconds for one test."""
        return max(_LEAST_TEST_S, _PATIENCE * self._seconds_by_test.get(test, 0.0))


class Attempt:
    """One fork: what it reported, how it ended, and what follows."""

    def __init__(
        self, job: dict[str, Any], key: bytes, patience: Patience | None
    ) -> None:
        self.account = Account()
        self.reply: dict[str, Any] = {}
        self.is_dead: bool = False
        """Whether it was ended by us for want of time."""
        self._patience = patience
        self._reader = Reader(key, job["max_record_bytes"])
        self._broken_file = ""
        self._failed = ""
        self._test_s: float = job["test_timeout_s"] + job["grace_s"]
        self._test_deadline = 0.0
        run_s: float = job["run_timeout_s"]
        if patience is not None:
            run_s = min(run_s, patience.run_s)
        self._deadline = time.monotonic() + run_s

    @property
    def status(self) -> int | None:
        """As in `subprocess`; None until it has ended."""
        status: int | None = self.reply.get("status")
        return status

    def take(self, data: bytes) -> None:
        """Enter what came on the pipe."""
        if self.account.breach:
            return
        try:
            for stream, record in self._reader.feed(data):
                self._enter(stream, record)
        except ChannelError as error:
            self.account.breach = str(error)

    def _enter(self, stream: int, record: dict[str, Any]) -> None:
        if stream == COMPILER_STREAM:
            self._broken_file = record["detail"]
            return
        if record["kind"] == "begin":
            self._test_deadline = time.monotonic() + self._limit(record["id"])
        elif record["kind"] == "end":
            self._test_deadline = 0.0
            if record["outcome"] == "failed":
                self._failed = self._failed or record["id"]
        self.account.take(stream, record)

    def _limit(self, test: str) -> float:
        if self._patience is None:
            return self._test_s
        return min(self._test_s, self._patience.test_s(test))

    def close(self) -> None:
        """Say that nothing more will come."""
        if self._failed or self.is_dead:
            return  # killed in the middle of whatever it wrote
        try:
            self._reader.close()
        except ChannelError as error:
            self.account.breach = self.account.breach or str(error)

    def is_over(self) -> bool:
        """Whether the fork has ended."""
        return self.status is not None

    def is_decided(self) -> bool:
        """Whether a trial has shown enough."""
        is_trial = self._patience is not None
        return bool(is_trial and (self._failed or self._timed_out()))

    def wants_end(self) -> bool:
        """Whether there is nothing more to learn from it; notes lateness."""
        now = time.monotonic()
        if self._test_deadline and now > self._test_deadline:
            self.account.late = self.account.late or "a test ran too long"
            self.is_dead = True
        elif now > self._deadline:
            self.is_dead = True
        return bool(self.is_dead or self.account.breach or self.is_decided())

    def is_stuck(self) -> bool:
        """Whether even killing it did not help."""
        return time.monotonic() > self._deadline + 2 * self._test_s

    def _timed_out(self) -> str:
        late: list[str] = self.account.tests_with("timeout")
        if late:
            return late[0]
        return (self.account.running or "") if self.account.late else ""

    def seconds_by_test(self) -> dict[str, float]:
        """Return seconds by test."""
        done = self.account.rounds.get(0, {})
        return {test: record["seconds"] for test, record in done.items()}

    def outcomes(self) -> dict[str, str]:
        """Return outcome by test."""
        done = self.account.rounds.get(0, {})
        return {test: record["outcome"] for test, record in done.items()}

    def answer(self, ids: list[str]) -> dict[str, Any]:
        """Return what is to become of the candidate; all that is odd goes cold."""
        account, late = self.account, self._timed_out()
        ending, detail = judge(account, self.status or 0)
        is_slow = self.is_dead and not late
        for said, why in (
            ("does_not_compile", self._broken_file),
            ("survives", self._failed),
            ("cold", account.breach),
            ("survives", late and f"{late} takes long"),
            ("survives", "the selected tests take long" if is_slow else ""),
            ("cold", "" if ending == "completed" else f"{ending}: {detail}"),
        ):
            if why:
                return {"said": said, "detail": why}
        return self._without_failure(ids)

    def _without_failure(self, ids: list[str]) -> dict[str, Any]:
        outcomes = self.outcomes()
        if set(outcomes) != set(ids):
            return {"said": "cold", "detail": "not every selected test was found"}
        broken = [test for test in ids if outcomes[test] != "passed"]
        if not broken:
            return {"said": "no_failure", "detail": "no selected test fails"}
        done = self.account.rounds[0]
        if any(done[test]["cause"] not in {None, "import"} for test in broken):
            return {"said": "cold", "detail": f"{broken[0]} lacked room to run"}
        shown = ", ".join(f"{test} ({outcomes[test]})" for test in broken[:3])
        detail = f"{len(broken)} tests break without judging: {shown}"
        return {"said": "only_errors", "detail": detail}
