"""Annotation: a model's words where they do, rules' where not, each row marked."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from envplatform.errors import ModelAnswerError, ModelError
from envplatform.llm.chat import ChatResponse
from envplatform.store import ResultCache
from envplatform.swe.fixes.patterns.annotate import (
    AnnotatedPattern,
    Annotating,
    annotate,
)
from envplatform.swe.fixes.patterns.by_rules import told_by_rules
from envplatform.swe.fixes.patterns.text import written
from tests.fakes import ScriptedChatModel, text_answer
from tests.swe.fixes.patterns.made_training import training_row
from tests.swe.fixes.patterns.test_pattern_text import GOOD, said

JUDGING = said(expected_effect="That is a bug.")


@contextmanager
def asking(
    folder: Path, *script: ChatResponse | ModelError
) -> Iterator[tuple[Annotating, ScriptedChatModel]]:
    model = ScriptedChatModel(script)
    with asyncio.Runner() as runner:
        asked = Annotating(
            model=model,
            run=runner.run,
            results=ResultCache(folder),
            clock=lambda: 0.0,
        )
        yield asked, model


def told(folder: Path, *script: ChatResponse | ModelError) -> AnnotatedPattern:
    with asking(folder, *script) as (asked, _):
        (row,) = annotate([training_row()], asked)
    return row


def test_without_a_model_rules_tell_and_the_row_says_so() -> None:
    (row,) = annotate([training_row()], None)
    assert (row.annotator, row.model, row.fallback) == ("rules", None, "")
    assert row.text == told_by_rules(training_row())


def test_a_model_s_words_are_taken_and_paid_for_once(tmp_path: Path) -> None:
    first = told(tmp_path, text_answer(written(GOOD)))
    assert (first.annotator, first.model, first.text) == ("model", "scripted", GOOD)
    assert first.cost.tokens == 15
    assert told(tmp_path) == first  # an empty script: asked again it would fail


def test_words_that_judge_are_asked_for_once_more_without_judgement(
    tmp_path: Path,
) -> None:
    script = text_answer(JUDGING), text_answer(written(GOOD))
    with asking(tmp_path, *script) as (asked, model):
        (row,) = annotate([training_row()], asked)
    assert (row.annotator, row.text) == ("model", GOOD)
    assert "said 'bug'" in model.requests[1].messages[-1].content


def test_a_model_that_judges_twice_gives_way_to_rules(tmp_path: Path) -> None:
    row = told(tmp_path, text_answer(JUDGING), text_answer(JUDGING))
    assert (row.annotator, row.fallback) == ("rules", "tells_a_bug")
    assert row.text == told_by_rules(training_row())
    assert row.cost.tokens == 30  # what was in vain cost money too


@pytest.mark.parametrize(
    "nonsense",
    ["", "no", "{}", said(expected_effect="<|im_end|>"), "NaN", "x" * 100_000],
)
def test_nonsense_twice_gives_way_to_rules_and_is_asked_again_another_day(
    tmp_path: Path, nonsense: str
) -> None:
    row = told(tmp_path, text_answer(nonsense), text_answer(nonsense))
    assert (row.annotator, row.fallback) == ("rules", "no_answer")
    assert told(tmp_path, text_answer(written(GOOD))).annotator == "model"


def test_a_bad_row_costs_no_other(tmp_path: Path) -> None:
    script = ModelAnswerError("odd"), text_answer(written(GOOD))
    rows = training_row(), training_row("low\n    return", "value\n    return")
    with asking(tmp_path, *script) as (asked, _):
        first, second = annotate(rows, asked)
    assert (first.annotator, second.annotator) == ("rules", "model")


def test_a_server_that_is_down_fails_and_keeps_what_was_answered(
    tmp_path: Path,
) -> None:
    rows = training_row(), training_row("low\n    return", "value\n    return")
    script = text_answer(written(GOOD)), ModelError("down")
    with asking(tmp_path, *script) as (asked, _), pytest.raises(ModelError):
        list(annotate(rows, asked))
    with asking(tmp_path, text_answer(written(GOOD))) as (asked, model):
        found = list(annotate(rows, asked))
    assert [row.annotator for row in found] == ["model", "model"]
    assert len(model.requests) == 1
