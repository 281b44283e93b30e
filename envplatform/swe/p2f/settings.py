"""How thoroughly candidates are verified."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationSettings:
    """Repetitions, patience and width of the cold verification."""

    runs: int = 2
    """Runs of all stable tests on the defective tree, each in a fresh sandbox."""
    repeats: int = 10
    """Times that a test must fail before it counts, the runs above included."""
    concurrency: int = 2
    """Candidates under way at once."""
    patience: float = 10.0
    """A defective suite may take this many times the healthy one's time."""
    least_suite_s: float = 30.0
    least_test_s: float = 5.0
    """Time that a suite, and a test, is given at the least: machines are busy."""
    report_chars: int = 6_000
    """Length of a failure report."""

    def __post_init__(self) -> None:
        """Refuse what would prove nothing."""
        if self.runs < 2 or self.repeats < self.runs or self.concurrency < 1:  # noqa: PLR2004
            msg = (
                "verification needs at least 2 runs, as many repeats, 1 at a time; "
                f"got {self.runs}, {self.repeats}, {self.concurrency}"
            )
            raise ValueError(msg)
