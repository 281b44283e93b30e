"""What checks over altered answers conclude, a rule standing in for the grader."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from envplatform.bundle import CheckResult
from envplatform.grading import Final
from envplatform.grading.batch import Bench
from envplatform.grading.broker import Served
from envplatform.grading.checks import (
    criterion_mutants,
    grade_mutants,
    monotone_credit,
    portability,
    stuffing,
    unrelated_files,
)
from envplatform.grading.checks.stuffing import literals_of
from envplatform.grading.evidence import Evidence
from envplatform.tree import File
from envplatform.workspace import Fault
from tests.bundle.sample import sample_environment
from tests.fakes import DeadProvider
from tests.grading.made import evidence_of
from tests.grading.states import Rule, Scores, bench_of

TABLE = b"id,cents\na,10\nb,20\nc,30\nd,40\ne,50\nf,60\n"
WORDS = ("gravel", "sediment", "culvert")
GRADER = {
    "test.sh": File(f"for w in {' '.join(map(repr, WORDS))}; do :; done".encode())
}
START = {"README": File(b"read me")}


def evidence(**more: bytes) -> Evidence:
    """Of a task whose oracle wrote table.csv and report.txt."""
    base = replace(
        sample_environment(workspace=START, tests=GRADER),
        criteria=("reward", "rows", "report"),
    )
    made = {"table.csv": TABLE, "report.txt": b"rain washed gravel away\n", **more}
    solved = {**START, **{path: File(data) for path, data in made.items()}}
    return evidence_of(base, solved)


def text(final: Final, path: str) -> str:
    file = final.workspace.get(path)
    return "" if file is None else file.data.decode()


def honest(final: Final) -> Scores:
    """Share of right rows; the report must be the sentence."""
    rows = text(final, "table.csv").splitlines()[1:]
    wanted = TABLE.decode().splitlines()[1:]
    right = len([row for row in rows if row in wanted]) / len(wanted)
    rows_score = right if len(rows) <= len(wanted) else 0.0
    report = float(text(final, "report.txt") == "rain washed gravel away\n")
    return {
        "reward": (rows_score + report) / 2,
        "rows": rows_score,
        "report": report,
    }


def blind_to_rows(final: Final) -> Scores:
    """Looks at the report alone."""
    report = honest(final)["report"]
    return {"reward": report, "rows": 1.0, "report": report}


def keywords(final: Final) -> float:
    """Looks for words in the report: the grader that stuffing is meant for."""
    return float(any(word in text(final, "report.txt") for word in WORDS))


def all_or_less(final: Final) -> float:
    """Holds work that is not finished against who did it."""
    rows = len(text(final, "table.csv").splitlines())
    started = 0.5 if text(final, "report.txt") else 0.0
    return {0: started, 7: 1.0}.get(rows, 0.25)


def tidy(final: Final) -> float:
    """Wants nothing else in the workspace."""
    return float(set(final.workspace) == {"README", "table.csv", "report.txt"})


async def _criteria(given: Evidence, bench: Bench) -> CheckResult:
    mutants = await grade_mutants(given, bench, seed=0)
    return await criterion_mutants(given, bench, mutants=mutants)


async def _unrelated(given: Evidence, bench: Bench) -> CheckResult:
    first = (await bench.grade([Final(workspace=given.solved, served=None)]))[0]
    assert given.untouched is not None
    floor = (await bench.grade([given.untouched]))[0]
    given = replace(given, oracle=(first,), nop=(floor,))
    return await unrelated_files(given, bench, seed=0)


@pytest.mark.parametrize(
    ("check", "rule", "status", "said"),
    [
        (_criteria, honest, "passed", "kill_rate_criteria 1.0000"),
        (_criteria, blind_to_rows, "failed", "0.5000: no faults are written down"),
        (stuffing, honest, "passed", "3 literals of the grader"),
        (stuffing, keywords, "failed", "3 literals as words: reward 1"),
        (stuffing, lambda _: None, "failed", "no verdict"),
        (monotone_credit, honest, "passed", "never falls: 0 <= 0.5"),
        (
            monotone_credit,
            all_or_less,
            "failed",
            "report.txt: reward 0.5; with part of",
        ),
        (monotone_credit, lambda _: None, "failed", "with nothing: no verdict"),
        (_unrelated, honest, "passed", "3 files more change no score of 2 states"),
        (_unrelated, tidy, "failed", "the oracle: reward 1; with other files reward 0"),
    ],
)
async def test_a_broken_grader_is_refused_and_an_honest_one_is_not(
    check: Callable[[Evidence, Bench], Awaitable[CheckResult]],
    rule: Rule,
    status: str,
    said: str,
) -> None:
    given = evidence()
    result = await check(given, bench_of(given, rule))
    assert (result.status, said in result.evidence) == (status, True), result


ROWS = Fault(
    criterion="rows", where="workspace", path="table.csv", old="a,10", new="a,11"
)
REPORT = Fault(
    criterion="report", where="workspace", path="report.txt", action="delete"
)


@pytest.mark.parametrize(
    ("faults", "rule", "status", "said"),
    [
        ((ROWS, REPORT), honest, "passed", "1.0000: 2 faults of 2 criteria"),
        ((ROWS, REPORT), blind_to_rows, "failed", "0.5000: 2 faults of 2 criteria"),
        ((ROWS, REPORT), lambda _: None, "failed", "not noticed: rows, report"),
        ((ROWS,), honest, "failed", "without a fault: report"),
        (
            (REPORT.model_copy(update={"path": "gone"}),),
            honest,
            "failed",
            "the oracle leaves no gone",
        ),
        (
            (ROWS.model_copy(update={"where": "held"}),),
            honest,
            "failed",
            "nothing is held",
        ),
    ],
)
async def test_each_written_fault_must_lower_its_own_criterion(
    faults: tuple[Fault, ...], rule: Rule, status: str, said: str
) -> None:
    given = evidence()
    result = await criterion_mutants(given, bench_of(given, rule), faults=faults)
    assert (result.status, said in result.evidence) == (status, True), result


async def test_faults_reach_what_the_broker_holds() -> None:
    served = Served(held={"t.csv": File(TABLE)}, log=b"", state=b"{}\n")
    given = replace(evidence(), solved_served=served)

    def rule(final: Final) -> Scores:
        assert final.served is not None
        rows = float(final.served.held["t.csv"].data == TABLE)
        return {"reward": rows, "rows": rows, "report": rows}

    faults = [
        ROWS.model_copy(update={"where": "held", "path": "t.csv", "criterion": name})
        for name in ("rows", "report")
    ]
    result = await criterion_mutants(given, bench_of(given, rule), faults=faults)
    assert result.status == "passed", result


def test_literals_are_texts_numbers_and_lines_of_data() -> None:
    tests = {
        "grade.py": File(b"if row['status'] == \"paid late\" and n > 12.5: x1 = 'it'"),
        "wanted.txt": File(b"one line\nother\n"),
        "blob": File(b"\xff\x00"),
    }
    found = literals_of(tests)
    assert set(found) == {"status", "paid late", "12.5", "it", "one line", "other"}


async def test_portability_without_a_second_sandbox_did_not_run() -> None:
    given = evidence()
    bench = bench_of(given, honest)
    for other in (None, DeadProvider()):
        result = await portability(given, bench, other=other, seed=0)
        assert result.status == "not_run"
        assert "no second kind of sandbox" in result.evidence


@pytest.mark.parametrize("check", [stuffing, monotone_credit, _criteria])
async def test_checks_without_an_answer_did_not_run(
    check: Callable[[Evidence, Bench], Awaitable[CheckResult]],
) -> None:
    given = replace(evidence(), solved=START)
    result = await check(given, bench_of(given, honest))
    assert (result.status, "changes no file" in result.evidence) == ("not_run", True)
