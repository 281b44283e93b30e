"""Votes: appended, never changed; each that does not count says why."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from envplatform.errors import StoreError
from envplatform.evaluation.realism.exchange import LABELLING, exported, vote_lines
from envplatform.evaluation.realism.votes import Vote, VoteFile, read_vote, utc_time
from tests.evaluation.realism.made_pairs import AT, BALLOT, PAIRS, vote

GOOD = vote(0, "ann", "left")


@pytest.fixture
def file(tmp_path: Path) -> VoteFile:
    """Of no vote yet."""
    return VoteFile(tmp_path / "realism" / "votes.jsonl")


def test_votes_are_appended(file: VoteFile) -> None:
    cast = [GOOD, vote(1, "ann", "unsure"), vote(0, "bob", "right")]
    assert file.read(BALLOT).counted == ()
    for number, one in enumerate(cast):
        before = file.path.read_bytes() if number else b""
        file.cast(one, BALLOT)
        assert file.path.read_bytes().startswith(before)
    assert file.read(BALLOT).counted == tuple(cast)
    assert file.read(BALLOT).refused == ()


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (replace(GOOD, choice="right"), "'ann' has voted on pair 'p0' before"),
        (replace(GOOD, reviewer="eve"), "unknown reviewer 'eve'"),
        (replace(GOOD, pair_id="p9"), "unknown pair 'p9'"),
    ],
)
def test_what_may_not_be_cast_leaves_the_file_as_it_was(
    file: VoteFile, bad: Vote, told: str
) -> None:
    file.cast(GOOD, BALLOT)
    before = file.path.read_bytes()
    with pytest.raises(StoreError, match=told):
        file.cast(bad, BALLOT)
    assert file.path.read_bytes() == before


def line(**changes: object) -> bytes:
    return json.dumps({**asdict(GOOD), **changes}).encode()


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (b"{half", "Expecting property name"),
        (b"\xff\xfe", "codec can't decode"),
        (b"[]", "a vote is a JSON object"),
        (b"[" * 100_000, "nested too deep"),
        (line(choice="ours"), "choice must be one of left, right, unsure, not 'ours'"),
        (line(choice=["left"]), "choice must be a text"),
        (line(at="yesterday"), "no ISO 8601 time"),
        (line(at="2026-01-31T12:00:00"), "not in UTC"),
        (line(at="2026-01-31T12:00:00+01:00"), "not in UTC"),
        (line(weight=2), "unknown or missing field 'weight'"),
        (b'{"pair_id": "p0"}', "unknown or missing field"),
        (b'{"pair_id": "p0", "pair_id": "p1"}', "a key occurs twice"),
        (line(reviewer="eve"), "unknown reviewer 'eve'"),
        (line(pair_id="p9"), "unknown pair 'p9'"),
        (line(), "'ann' has voted on pair 'p0' before"),
    ],
)
def test_a_line_that_does_not_count_is_named_and_costs_no_other(
    file: VoteFile, broken: bytes, told: str
) -> None:
    file.cast(GOOD, BALLOT)
    with file.path.open("ab") as stream:
        stream.write(b"\n" + broken)
    file.cast(vote(1, "bob", "left"), BALLOT)
    found = file.read(BALLOT)
    assert found.counted == (GOOD, vote(1, "bob", "left"))
    (refused,) = found.refused
    assert refused.startswith(f"{file.path}:")
    assert told in refused


def test_times_are_kept_in_one_form() -> None:
    assert utc_time("2026-01-31T12:00:00Z") == AT == utc_time(AT)
    assert read_vote(line(at="2026-01-31T12:00:00Z")) == GOOD


def test_what_goes_out_is_blind() -> None:
    for form in ("jsonl", "label-studio"):
        text = exported(PAIRS, form).decode()
        for one in PAIRS:
            assert one.pair_id in text
            assert one.ours not in text
            assert one.real not in text
        assert "mined" not in text
        assert "ours" not in text
    assert "$left" in LABELLING


def test_lines_come_back(file: VoteFile) -> None:
    data = b"\n".join([line(), b"{half", line(pair_id="p1", choice="unsure"), line()])
    found = file.take_over(vote_lines(data, "jsonl", name="back.jsonl"), BALLOT)
    assert [one.pair_id for one in found.counted] == ["p0", "p1"]
    assert ["back.jsonl:2" in found.refused[0], "before" in found.refused[1]] == [
        True
    ] * 2
    again = file.take_over(vote_lines(data, "jsonl", name="back.jsonl"), BALLOT)
    assert again.counted == ()
    assert len(file.read(BALLOT).counted) == 2


def annotation(choice: object, by: object, at: object = AT) -> dict[str, object]:
    result = {"from_name": "choice", "type": "choices", "value": {"choices": [choice]}}
    return {"completed_by": by, "created_at": at, "result": [result]}


def test_label_studio_comes_back(file: VoteFile) -> None:
    tasks = [
        {
            "data": {"pair_id": "p0", "left": "l", "right": "r"},
            "annotations": [
                annotation("left", {"id": 1, "email": "ann"}),
                annotation("right", "bob", "2026-01-31T12:00:00Z"),
                annotation("right", 7),
                annotation("both", "cat"),
                {"completed_by": "cat", "created_at": AT, "result": []},
                None,
            ],
        },
        {"data": {"pair_id": "p1"}},
        17,
    ]
    data = json.dumps(tasks).encode()
    found = file.take_over(vote_lines(data, "label-studio", name="ls.json"), BALLOT)
    assert [(one.reviewer, one.choice) for one in found.counted] == [
        ("ann", "left"),
        ("bob", "right"),
    ]
    assert len(found.refused) == 6
    assert found.refused[0].startswith(
        "ls.json: task 0, annotation 2: unknown reviewer '7'"
    )


@pytest.mark.parametrize("data", [b"{", b"{}", b"\xff", b"[" * 100_000])
def test_what_is_no_export_says_so(data: bytes) -> None:
    with pytest.raises(StoreError, match=r"x\.json is no JSON export"):
        list(vote_lines(data, "label-studio", name="x.json"))
