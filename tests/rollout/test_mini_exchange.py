"""What the agent's program may say: strictly read, and never more than a row can hold."""

import json

import pytest
from pydantic import ValidationError

from envplatform.rollout.mini.exchange import Asked

NOTE = {"exit_code": 0, "bytes": 1, "shortened": False, "seconds": 1.0}


def said(**changes: object) -> bytes:
    note = {**NOTE, **changes}
    return json.dumps({"fresh": [], "ran": [note], "misread": False}).encode()


def test_an_ordinary_note_is_read() -> None:
    (note,) = Asked.model_validate_json(said(exit_code=None, bytes=10**12)).ran
    assert note.exit_code is None
    assert note.bytes * 1_000_000 < 2**63  # as many in one rollout fit into its sums


@pytest.mark.parametrize(
    "changes",
    [
        {"bytes": 2**63},
        {"bytes": 10**30},
        {"bytes": -1},
        {"bytes": 1.5},
        {"seconds": 1e300},
        {"seconds": -1.0},
        {"exit_code": 10**30},
        {"exit_code": True},
        {"more": 1},
    ],
)
def test_a_note_that_no_row_can_hold_is_none(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Asked.model_validate_json(said(**changes))
