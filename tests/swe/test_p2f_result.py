"""The result line is parsed as if an enemy had written it."""

import copy
import json
from typing import Any

import pytest

from envplatform.swe.p2f.result import ForgedResultError, parse_result

NONCE = "a" * 32
GOOD: dict[str, Any] = {
    "format": 1,
    "nonce": NONCE,
    "hidden": True,
    "ending": "completed",
    "detail": "",
    "running": None,
    "rounds": 2,
    "collected": ["t1", "t2"],
    "executions": [
        {
            "id": "t1",
            "round": number,
            "outcome": outcome,
            "cause": None,
            "seconds": 0.5,
            "report": "why" if number == 0 else "",
        }
        for number, outcome in enumerate(["failed", "passed"])
    ],
    "broken": [{"id": "tests/x.py", "report": "no such module"}],
    "lines": [
        {
            "path": "calc.py",
            "statements": [1, 2],
            "contexts": {"import": [1], "test:t1": [2]},
        }
    ],
    "output": "...",
    "output_bytes": 3,
    "seconds": 1.0,
}


def line_of(**changes: object) -> bytes:
    """A result line with some fields replaced; `...` takes one out."""
    result = {**copy.deepcopy(GOOD), **changes}
    kept = {key: value for key, value in result.items() if value is not ...}
    return json.dumps(kept).encode() + b"\n"


def test_a_good_line() -> None:
    """Rounds, missing tests, lines."""
    run = parse_result(line_of(), nonce=NONCE, wanted=("t1", "t3")).run
    assert run.outcomes == {"t1": "failed", "t2": "missing", "t3": "missing"}
    assert run.repeats == ({"t1": "passed", "t2": "missing", "t3": "missing"},)
    assert run.reports == {"t1": "why"}
    assert run.broken == {"tests/x.py": "no such module"}
    assert run.coverage is not None
    assert run.coverage.by_test == {"t1": {"calc.py": (2,)}}
    assert run.coverage.imported == {"calc.py": (1,)}


def execution(**changes: object) -> list[dict[str, object]]:
    """One execution with fields replaced."""
    return [{**GOOD["executions"][0], **changes}]


BAD = {
    "nothing": b"",
    "no end": line_of()[:-1],
    "two lines": line_of() + line_of(),
    "a line before": b"PASSED\n" + line_of(),
    "no JSON": b"PASSED t1\n",
    "a list": b"[]\n",
    "no UTF-8": b"\xff" + line_of(),
    "another nonce": line_of(nonce="b" * 32),
    "no nonce": line_of(nonce=...),
    "another format": line_of(format=2),
    "an unknown field": line_of(verdict="passed"),
    "a missing field": line_of(executions=...),
    "an unknown ending": line_of(ending="fine"),
    "an unknown outcome": line_of(executions=execution(outcome="PASSED")),
    "an unknown cause": line_of(executions=execution(cause="weather")),
    "a number as text": line_of(executions=execution(seconds="1")),
    "a negative time": line_of(executions=execution(seconds=-1)),
    "not a number": line_of(seconds=float("nan")),
    "a negative round": line_of(executions=execution(round=-1)),
    "a long id": line_of(executions=execution(id="x" * 5000)),
    "an empty id": line_of(collected=[""]),
    "a long report": line_of(executions=execution(report="x" * 200_000)),
    "many rounds": line_of(rounds=10**9),
    "a path outside": line_of(lines=[{**GOOD["lines"][0], "path": "../calc.py"}]),
    "an absolute path": line_of(lines=[{**GOOD["lines"][0], "path": "/calc.py"}]),
    "a negative line": line_of(lines=[{**GOOD["lines"][0], "statements": [-1]}]),
}


@pytest.mark.parametrize("name", BAD)
def test_anything_else_is_forged(name: str) -> None:
    """Refused whole, with a reason."""
    with pytest.raises(ForgedResultError) as caught:
        parse_result(BAD[name], nonce=NONCE, wanted=None)
    assert str(caught.value)
