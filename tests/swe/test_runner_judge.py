"""Endings: the exit status, the signal and the records must tell one story."""

import pytest

from envplatform.swe.p2f.inside.child import UNUSABLE
from envplatform.swe.p2f.inside.judge import Account, judge


def account_of(*outcomes: str, status: int | None = 0, ready: bool = True) -> Account:
    """A session that reported `outcomes` in order and finished with `status`."""
    account = Account()
    ids = [f"t{place}" for place in range(len(outcomes))]
    account.take(0, {"kind": "collected", "ids": ids})
    if ready:
        account.take(0, {"kind": "ready", "count": len(ids)})
    for test, outcome in zip(ids, outcomes, strict=True):
        account.take(0, {"kind": "begin", "id": test})
        account.take(0, {"kind": "end", "id": test, "outcome": outcome, "report": ""})
    if status is not None:
        account.take(0, {"kind": "finish", "status": status})
    return account


@pytest.mark.parametrize(
    ("outcomes", "status", "returncode", "ending"),
    [
        (["passed"], 0, 0, "completed"),
        (["passed", "skipped", "xfailed"], 0, 0, "completed"),
        (["failed"], 1, 1, "completed"),
        (["error"], 1, 1, "completed"),
        (["timeout"], 1, 1, "completed"),
        (["xpassed"], 1, 1, "completed"),  # strict
        (["xpassed"], 0, 0, "completed"),
        (["failed"], 0, 0, "inconsistent"),
        (["passed"], 1, 1, "inconsistent"),
        (["passed"], 0, 1, "inconsistent"),
        (["failed"], 1, 0, "inconsistent"),
        (["passed"], None, 0, "crashed"),
        (["passed"], None, -9, "crashed"),
        (["passed"], 0, -11, "inconsistent"),
        (["passed"], 2, 2, "crashed"),
        (["timeout"], 2, 2, "timeout"),
        (["passed"], 3, 3, "crashed"),
        ([], 4, 4, "collection_error"),
        ([], 5, 5, "no_tests"),
        (["passed"], 5, 5, "inconsistent"),
        (["passed"], 77, 77, "inconsistent"),
        ([], None, UNUSABLE, "unusable"),
    ],
)
def test_what_ends_how(
    outcomes: list[str], status: int | None, returncode: int, ending: str
) -> None:
    """One row a story."""
    assert judge(account_of(*outcomes, status=status), returncode)[0] == ending


def test_a_collected_test_without_a_report_is_inconsistent() -> None:
    """Left out, or removed from the session."""
    account = account_of("passed", status=None)
    account.take(0, {"kind": "collected", "ids": ["t9"]})
    account.take(0, {"kind": "ready", "count": 2})
    account.take(0, {"kind": "finish", "status": 0})
    assert judge(account, 0)[0] == "inconsistent"


def test_a_session_that_never_was_ready_is_inconsistent() -> None:
    """The list of tests may be cut off."""
    assert judge(account_of("passed", ready=False), 0)[0] == "inconsistent"


def test_an_end_without_a_begin_is_inconsistent() -> None:
    """And so is a second end."""
    account = account_of("passed", status=None)
    account.take(0, {"kind": "end", "id": "t0", "outcome": "failed", "report": ""})
    account.take(0, {"kind": "finish", "status": 1})
    assert judge(account, 1)[0] == "inconsistent"


def test_a_breach_outweighs_a_clean_end_and_a_late_kill_both() -> None:
    """What the runner itself saw comes first."""
    account = account_of("passed")
    account.breach = "garbage"
    assert judge(account, 0) == ("inconsistent", "garbage")
    account.late = "too long"
    assert judge(account, -9) == ("timeout", "too long")


def test_the_detail_names_the_running_test() -> None:
    """A person wants to know where."""
    account = account_of("passed", status=None)
    account.take(0, {"kind": "begin", "id": "t7"})
    assert judge(account, -6)[1].endswith("signal 6 in t7")


def repeated(*statuses: int, rounds: int, status: int = 0) -> Account:
    """A session of repetitions: fork statuses, and rounds that reported."""
    account = Account()
    account.take(0, {"kind": "collected", "ids": ["t"]})
    account.take(0, {"kind": "ready", "count": 1})
    for number in range(rounds):
        account.take(number + 1, {"kind": "begin", "id": "t"})
        end = {"kind": "end", "id": "t", "outcome": "failed", "report": ""}
        account.take(number + 1, end)
    for number, ended in enumerate(statuses):
        account.take(0, {"kind": "round", "number": number, "status": ended})
    account.take(0, {"kind": "finish", "status": status})
    return account


@pytest.mark.parametrize(
    ("account", "ending"),
    [
        (repeated(0, 0, rounds=2), "completed"),
        (repeated(0, 9, rounds=2), "crashed"),
        (repeated(0, 0, rounds=1), "inconsistent"),
        (repeated(0, rounds=2), "inconsistent"),
        (repeated(0, 0, rounds=2, status=1), "inconsistent"),
    ],
)
def test_repetitions(account: Account, ending: str) -> None:
    """Each fork must end well and report every test."""
    status = account.status
    assert status is not None
    assert judge(account, status)[0] == ending
