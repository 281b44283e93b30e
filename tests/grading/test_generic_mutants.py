"""Blind damage: what each kind does, that it is seeded, and that it is damage."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.grading.checks.generic_mutants import (
    KINDS,
    MOST_MUTANTS,
    Mutant,
    generic_mutants,
    grade_mutants,
)
from envplatform.grading.mutants import DAMAGES, damaged, part_of
from envplatform.grading.pieces import Piece, pieces_of
from envplatform.tree import File
from tests.bundle.sample import WORKSPACE, sample_environment
from tests.grading.made import evidence_of, grading
from tests.grading.states import bench_of

TABLE = b"id,cents\na,10\nb,20\nc,30\n"
OBJECT = b'{"names": ["x", "y", "z"], "total": 12, "text": "abc"}'


def chance(seed: int = 1) -> random.Random:
    return random.Random(seed)  # noqa: S311  no secret


def test_there_are_ten_kinds_at_least() -> None:
    assert len(KINDS) >= 10


@pytest.mark.parametrize("kind", sorted(DAMAGES))
@given(data=st.one_of(st.binary(max_size=80), st.sampled_from([TABLE, OBJECT])))
def test_damage_is_seeded_and_never_the_same_content(kind: str, data: bytes) -> None:
    once, again = (damaged(kind, data, chance(7)) for _ in range(2))
    assert once == again
    assert once != data


@pytest.mark.parametrize("kind", sorted(DAMAGES))
def test_another_spelling_of_the_same_json_is_no_damage(kind: str) -> None:
    after = damaged(kind, OBJECT, chance())
    assert after is not None
    try:
        value = json.loads(after)
    except ValueError:
        return
    assert value != json.loads(OBJECT)


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("dropped_row", {b"id,cents\nb,20\nc,30\n", b"id,cents\na,10\nc,30\n"}),
        ("reordered_rows", {b"id,cents\nc,30\nb,20\na,10\n"}),
        ("swapped_field", {b"id,cents\n10,a\nb,20\nc,30\n"}),
        ("missing_field", {b"cents\n10\n20\n30\n", b"id\na\nb\nc\n"}),
        ("empty_file", {b""}),
    ],
)
def test_a_table_keeps_its_head_and_its_form(kind: str, after: set[bytes]) -> None:
    found = {damaged(kind, TABLE, chance(seed)) for seed in range(40)}
    assert after <= found


def test_json_is_damaged_in_its_values() -> None:
    kinds = ("dropped_row", "swapped_field", "missing_field", "wrong_type")
    for kind in kinds:
        data = damaged(kind, OBJECT, chance())
        assert data is not None
        assert json.loads(data) != json.loads(OBJECT)


def test_part_of_an_answer_is_its_first_rows_or_the_first_of_every_list() -> None:
    assert part_of(TABLE, 2 / 3) == b"id,cents\na,10\nb,20\n"
    part = part_of(OBJECT, 2 / 3)
    assert part is not None
    assert json.loads(part) == {"names": ["x", "y"], "total": 12, "text": "abc"}
    assert part_of(b"42\n", 1 / 3) is None
    assert part_of(b'{"a": 1}', 1 / 3) is None


def test_what_the_oracle_made_changed_and_deleted_are_its_pieces() -> None:
    solved = {"answer.txt": File(b"42\n"), "new/x": File(b"1")}
    found = pieces_of(evidence_of(sample_environment(), solved))
    assert [(str(one), one.before, one.after) for one in found] == [
        ("answer.txt", WORKSPACE["answer.txt"], File(b"42\n")),
        ("bin/run", WORKSPACE["bin/run"], None),
        ("new/x", None, File(b"1")),
    ]


async def test_every_mutant_is_graded_and_a_sleeping_grader_is_refused() -> None:
    files = {f"t{n}.csv": File(TABLE) for n in range(9)}
    evidence = evidence_of(sample_environment(), {**WORKSPACE, **files})
    asleep = bench_of(evidence, lambda _: 1.0)
    mutants = await grade_mutants(evidence, asleep, seed=3)
    assert len(mutants) == MOST_MUTANTS
    assert len({one.kind for one in mutants}) > 8
    result = generic_mutants(evidence, mutants)
    assert result.status == "failed"
    assert "kill_rate_generic 0.0000: 0 of 48 mutants" in result.evidence
    again = await grade_mutants(evidence, asleep, seed=3)
    assert [one.final for one in again] == [one.final for one in mutants]


@pytest.mark.parametrize(
    ("killed", "mute", "status", "rate"),
    [
        (6, 0, "passed", "0.6000"),
        (5, 0, "failed", "0.5000"),
        (5, 5, "failed", "0.5000"),
    ],
)
def test_a_mutant_without_a_verdict_is_no_killed_one(
    killed: int, mute: int, status: str, rate: str
) -> None:
    evidence = evidence_of(sample_environment(), {"answer.txt": File(b"42\n")})
    piece = Piece(where="workspace", path="answer.txt", before=None, after=None)
    final = evidence.untouched
    assert final is not None
    rewards = [0.5] * killed + [None] * mute + [1.0] * (10 - killed - mute)
    mutants = tuple(
        Mutant(kind="empty_file", piece=piece, final=final, grading=grading(reward))
        for reward in rewards
    )
    result = generic_mutants(evidence, mutants)
    assert (result.status, rate in result.evidence) == (status, True)
    assert ("without a verdict" in result.evidence) == bool(mute)


async def test_evidence_is_one_line_whatever_files_are_called() -> None:
    solved = {**WORKSPACE, "a\nb\x1b.csv": File(TABLE)}
    evidence = evidence_of(sample_environment(), solved)
    mutants = await grade_mutants(evidence, bench_of(evidence, lambda _: 1.0), seed=0)
    result = generic_mutants(evidence, mutants)
    assert result.evidence.isprintable()


async def test_without_a_good_answer_nothing_is_damaged() -> None:
    good = {"answer.txt": File(b"42\n")}
    for evidence, why in (
        (evidence_of(sample_environment(), good, exit_code=1), "no final state"),
        (evidence_of(sample_environment(), good, oracle=0.5), "not graded 1"),
        (evidence_of(sample_environment(), WORKSPACE), "changes no file"),
    ):
        result = generic_mutants(evidence, ())
        assert (result.status, why in result.evidence) == ("not_run", True)
