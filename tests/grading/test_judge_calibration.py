"""A judge is held to states of which code knows the worth, and to a person's scores."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import ConfigError
from envplatform.grading.audit_sample import audit_lines, read_audit
from envplatform.grading.batch import Bench
from envplatform.grading.calibration import (
    Calibration,
    ControlledState,
    JudgedState,
    calibrate,
    controlled_states,
    goal_as_rubric,
    sum_up,
)
from envplatform.grading.evidence import collect_evidence
from envplatform.grading.judge import Rubric
from envplatform.grading.tasks import task_of
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.workspace.catalogue import SeedPlace
from tests.llm.serving import model_for
from tests.model_server import Reply, Request, answer, model_server

RUBRIC = Rubric(text="The memo names the cause.", paths=("memo.md",), votes=1)
STATES = tuple(
    ControlledState(name=name, work=work, code=code)
    for name, work, code in (
        ("oracle", {"memo.md": b"The pump failed."}, 1.0),
        ("fault 1 of cause", {"memo.md": b"=cmd() The valve failed."}, 0.5),
        ("untouched", {}, 0.0),
    )
)


def judged(*scores: tuple[float, float]) -> tuple[JudgedState, ...]:
    return tuple(
        JudgedState(name=str(number), code=code, judge=score, spread=0.1)
        for number, (code, score) in enumerate(scores)
    )


def vote(score: float) -> Reply:
    return answer(json.dumps({"score": score, "reason": "because"}))


def test_the_figures() -> None:
    found = sum_up("m", judged((1, 0.8), (0.5, 0.95), (0.5, 0.2), (0, 0.2)))
    assert found.concordance == 0.7  # of five pairs three are right, one is a tie
    assert found.kill_rate == 0.6667
    assert found.faultless == 0.8
    assert found.bias == 0.0375
    assert found.spread == 0.1


def test_where_code_tells_nothing_apart_there_is_no_figure() -> None:
    found = sum_up("m", judged((1, 0.2), (1, 0.9)))
    assert found.concordance is None
    assert found.kill_rate is None
    assert found.faultless == 0.55


async def test_no_states_are_no_calibration() -> None:
    with model_server([]) as server:
        async with model_for(server) as model:
            with pytest.raises(ConfigError, match="there are none"):
                await calibrate(model, RUBRIC, [])


async def calibrated(
    answers: dict[bytes, float], rubric: Rubric, states: tuple[ControlledState, ...]
) -> Calibration:
    """By a judge that scores by a text which the work holds, else the score of b""."""

    def script(request: Request) -> Reply:
        said = request["messages"][1]["content"].encode()
        best = max((text for text in answers if text in said), key=len)
        return vote(answers[best])

    with model_server(script) as server:
        async with model_for(server) as model:
            return await calibrate(model, rubric, states)


async def test_a_seeds_faults_tell_a_judge_that_looks_from_one_that_does_not(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    place = SeedPlace(name="contract_clauses", folder=None)
    task = task_of(place, python=None, cache=tmp_path)
    evidence = await collect_evidence(
        bubblewrap, task.environment, image=task.image, repeats=1
    )
    bench = Bench(provider=bubblewrap, environment=task.environment, image=task.image)
    states = await controlled_states(evidence, bench, task.faults)
    assert [state.name for state in states[:2]] == ["oracle", "untouched"]
    assert [state.code for state in states[:2]] == [1.0, 0.0]
    assert len(states) == 2 + len(task.faults)
    assert all(state.code < 1 for state in states[2:])

    rubric = replace(goal_as_rubric(evidence), votes=1)
    assert rubric.text == task.environment.instruction
    generous = await calibrated({b"": 1.0}, rubric, states)
    assert (generous.concordance, generous.kill_rate) == (0.5, 0.0)
    assert generous.judged_by == "scripted"
    # One that reads the first of two files: the fault in the other escapes it.
    assert rubric.paths == ("clauses.json", "stale.json")
    whole = states[0].work["clauses.json"] + b"\nWORK-"
    keen = await calibrated({b"": 0.4, whole: 1.0}, rubric, states)
    assert (keen.kill_rate, keen.faultless) == (0.8571, 1.0)
    assert keen.concordance is not None
    assert keen.concordance > 0.5


async def test_a_person_scores_blind_and_a_bad_line_costs_no_other(
    tmp_path: Path,
) -> None:
    twin = ControlledState(name="twin", work=STATES[0].work, code=0.9)
    text = audit_lines((*STATES, twin), RUBRIC, size=10)
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) == 3, "two that look alike are one"
    assert all(line["human_score"] is None for line in lines)
    for word in ("oracle", "fault", "untouched", "code"):
        assert word not in text
    scores = {"The pump failed.": 0.8, "=cmd() The valve failed.": 0.5}
    for line in lines:
        line["human_score"] = scores.get(line["work"]["memo.md"])
    file = tmp_path / "audit.jsonl"
    scored = next(line for line in lines if line["human_score"])
    bad = [
        "{",
        json.dumps({**scored, "human_score": 7}),
        json.dumps({**scored, "state_id": "of another rubric"}),
        json.dumps(scored),
    ]
    rows = [json.dumps(line) for line in lines]
    file.write_text("\n".join([*rows, *bad, ""]))

    calibration = await calibrated({b"": 0.0, b"pump": 1.0}, RUBRIC, STATES)
    audit = read_audit(file, calibration, STATES, RUBRIC)
    assert (audit.scored, audit.left_open) == (2, 1)
    assert audit.judge_error == 0.35  # |1 - 0.8| and |0 - 0.5|
    assert audit.code_error == 0.1  # |1 - 0.8| and |0.5 - 0.5|
    numbers = [problem.partition("audit.jsonl:")[2] for problem in audit.problems]
    assert [number.partition(":")[0] for number in numbers] == ["4", "5", "6", "7"]
    assert "human_score" in numbers[1]
    assert "none of this calibration's" in numbers[2]
    assert "scored further up" in numbers[3]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    calibration = sum_up("m", judged((1, 1)))
    with pytest.raises(ConfigError, match=r"none\.jsonl"):
        read_audit(tmp_path / "none.jsonl", calibration, (), RUBRIC)
