"""`python -m benchmarks.rollouts`, made small: none is lost among faults and a SIGKILL."""

from benchmarks.rollouts import among_faults, measure
from benchmarks.rollouts_server import FAULTS
from envplatform.sandbox.bubblewrap import BubblewrapProvider


def test_nothing_is_lost_among_faults(bubblewrap: BubblewrapProvider) -> None:
    """One at a time, so that which request goes wrong is the same in each run."""
    del bubblewrap  # needed: skips where there is none
    lost, injected = among_faults(1, 10)
    assert lost == 0
    assert set(injected) == {*FAULTS, "sigkill"}


def test_every_call_is_counted(bubblewrap: BubblewrapProvider) -> None:
    del bubblewrap
    figures = measure(3, 3, 0.0)
    assert (figures["ended"], figures["lost"], figures["calls"]) == (3, 0, 12)
    assert figures["full_marks_or_none"]
    assert figures["platform_ms"] > 0
