"""Rows of supervision, from tables that may hold more than was chosen."""

from envplatform.swe.fixes.curation.chosen import Chosen
from envplatform.swe.fixes.reverse_patch import Analysis, ReversePatch
from envplatform.swe.fixes.training import training_rows


def turned(repository: str) -> ReversePatch:
    return ReversePatch(
        instance_id="a-1",
        source="made",
        repository=repository,
        licence="MIT",
        created_at="",
        refusal="",
        detail="",
        rung="strict",
        bug_patch="",
        code=(),
        analysis=Analysis(),
    )


def test_an_instance_left_behind_under_another_repository_gives_no_second_row() -> None:
    chosen = Chosen(
        instance_id="a-1",
        repository="made__spans",
        split="train",
        bug_type="other",
        length="<2k",
    )
    tables = [turned("Made__Spans"), turned("made__spans")]
    (row,) = training_rows(tables, {"a-1": chosen})
    assert row.repository == "made__spans"
