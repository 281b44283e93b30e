"""What oracle_max, nop_floor and determinism conclude from given gradings."""

from collections.abc import Callable

import pytest

from envplatform.bundle import CheckResult, all_passed
from envplatform.grading import Grading
from envplatform.grading.checks import determinism, nop_floor, oracle_max
from envplatform.grading.evidence import Evidence
from envplatform.sandbox.base import ExecResult
from tests.bundle.sample import WORKSPACE, sample_environment


def _grading(reward: float | None, part: float | None = None) -> Grading:
    given = {} if reward is None else {"reward": reward, "part": part or reward}
    return Grading(
        environment_digest="0" * 64,
        reward=reward,
        components=given,
        failure="reward_missing" if reward is None else None,
        log="",
        seconds=0.1,
        sandbox="bubblewrap 0",
    )


def _evidence(
    oracle: tuple[Grading, ...], nop: tuple[Grading, ...], exit_code: int = 0
) -> Evidence:
    solve = ExecResult(
        ending="exited",
        exit_code=exit_code,
        stdout=b"",
        stderr=b"boom",
        truncated=False,
        seconds=0.1,
    )
    return Evidence(
        environment=sample_environment(),
        solved=WORKSPACE,
        solved_served=None,
        solve=solve,
        oracle=oracle,
        nop=nop,
    )


ONES, ZEROS, NONES = (_grading(1.0),) * 3, (_grading(0.0),) * 3, (_grading(None),) * 3


@pytest.mark.parametrize(
    ("check", "evidence", "status"),
    [
        (oracle_max, _evidence(ONES, ZEROS), "passed"),
        (oracle_max, _evidence(ZEROS, ZEROS), "failed"),
        (oracle_max, _evidence((*ONES, _grading(1.0, 0.9)), ZEROS), "failed"),
        (oracle_max, _evidence(NONES, ZEROS), "failed"),
        (oracle_max, _evidence((), ZEROS, exit_code=1), "failed"),
        (oracle_max, _evidence((), ZEROS), "not_run"),
        (nop_floor, _evidence(ONES, ZEROS), "passed"),
        (nop_floor, _evidence(ONES, (*ZEROS, _grading(0.1))), "failed"),
        (nop_floor, _evidence(ONES, NONES), "failed"),
        (nop_floor, _evidence(ONES, ()), "not_run"),
        (determinism, _evidence(ONES, ZEROS), "passed"),
        (determinism, _evidence((*ONES, _grading(0.5)), ZEROS), "failed"),
        (determinism, _evidence(ONES, (*ZEROS, _grading(0.5))), "failed"),
        (determinism, _evidence((*ONES, _grading(1.0, 0.5)), ZEROS), "failed"),
        (determinism, _evidence(NONES, ZEROS), "failed"),
        (determinism, _evidence(ONES[:2], ZEROS), "not_run"),
        (determinism, _evidence((), ZEROS, exit_code=1), "not_run"),
    ],
)
def test_verdicts(
    check: Callable[[Evidence], CheckResult], evidence: Evidence, status: str
) -> None:
    result = check(evidence)
    assert result.status == status
    assert result.evidence


def test_not_run_is_never_shown_as_passed() -> None:
    passed = CheckResult(name="reset", status="passed", evidence="equal")
    assert all_passed((passed,))
    assert not all_passed(())
    for status in ("not_run", "failed"):
        other = CheckResult(name="x", status=status, evidence="why")
        assert not all_passed((passed, other))
