"""The scoring process: torch stays in it, and its failures are told."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs envplatform[learning]")

from envplatform.errors import ModelError, StudentError
from envplatform.learning.protocol import ScoringOrder
from envplatform.learning.scorer import score_trajectories
from envplatform.learning.scoring import score_conversations
from envplatform.learning.student import Student
from envplatform.llm.embedded import embedded_gguf
from tests.learning.chat_templates import CHATML_TOOLS
from tests.learning.made_students import (
    ASK,
    CALL,
    DONE,
    FOUND,
    RESULT,
    save_student,
    talk,
)


def test_rows_are_those_of_the_library(tmp_path: Path) -> None:
    order = ScoringOrder(model=save_student(tmp_path, CHATML_TOOLS))
    talks = (talk(ASK, FOUND, trajectory_id="a"), talk(ASK, trajectory_id="b"))
    with score_trajectories(talks, order) as scoring:
        rows = list(scoring.scores)
    student = Student.load(order)
    assert scoring.student == student.record
    assert rows == list(score_conversations(student, talks, order))
    assert [row.skipped for row in rows] == [None, "no_agent_tokens"]


def test_a_student_that_can_not_be_used_is_told(tmp_path: Path) -> None:
    order = ScoringOrder(model=tmp_path / "nowhere")
    with (
        pytest.raises(StudentError, match="nowhere is neither"),
        score_trajectories((talk(ASK, DONE),), order),
    ):
        pass


def test_a_student_without_a_chat_template_is_refused(tmp_path: Path) -> None:
    order = ScoringOrder(model=save_student(tmp_path / "bare", None))
    with (
        pytest.raises(StudentError, match="bare has no chat template"),
        score_trajectories((talk(ASK, DONE),), order),
    ):
        pass


def test_a_process_that_dies_is_an_error_and_no_short_answer(tmp_path: Path) -> None:
    order = ScoringOrder(model=save_student(tmp_path, CHATML_TOOLS), chunk_rows=0)
    with (
        pytest.raises(StudentError, match="exit code 1"),
        score_trajectories((talk(ASK, DONE),), order) as scoring,
    ):
        list(scoring.scores)


def test_asking_for_scores_loads_no_torch() -> None:
    code = (
        "import sys, envplatform.learning.scorer as s; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_the_embedded_model_scores_text_and_owns_up_to_lost_calls() -> None:
    try:
        gguf = embedded_gguf()
    except ModelError as error:
        pytest.skip(str(error))
    talks = (talk(ASK, FOUND), talk(ASK, CALL, RESULT, DONE))
    with score_trajectories(talks, ScoringOrder(model=gguf)) as scoring:
        text, calls = scoring.scores
    assert scoring.student.max_length == 8192
    assert text.tokens > 5
    assert 0.5 < text.sum_surprisal / text.tokens < 12  # of 49152 words, ln is 10.8
    assert calls.skipped == "drops_tool_calls"
