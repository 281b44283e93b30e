"""The soft limit of one test: a signal that raises inside it.

It ends loops in Python and calls that wait, and lets the suite go on. Code that
swallows the exception, hangs in C, or replaces the signal is left to the runner,
which kills the whole child a little later. Knows nothing of pytest.
"""

from __future__ import annotations

import signal
from types import FrameType


class DeadlineReached(BaseException):
    """The test used up its time. No `Exception`, so that few handlers catch it."""


class Alarm:
    """A countdown over the phases of one test; only the main thread can use it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._left = seconds
        self.fired = False
        """Whether the present test ran out of time, even if it hid the exception."""
        # Bound now: tests patch the module.
        self._setitimer = signal.setitimer
        self._signal = signal.signal

    def reset(self) -> None:
        """Start the countdown of the next test."""
        self._left = self._seconds
        self.fired = False

    def arm(self) -> None:
        """Let time run."""
        self._signal(signal.SIGALRM, self._on_signal)
        self._setitimer(signal.ITIMER_REAL, max(self._left, 0.001))

    def disarm(self) -> None:
        """Stop time; what is left counts for the next phase."""
        self._left, _ = self._setitimer(signal.ITIMER_REAL, 0.0)
        self._signal(signal.SIGALRM, signal.SIG_IGN)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.fired = True
        msg = f"the test ran for more than {self._seconds:g} s"
        raise DeadlineReached(msg)
