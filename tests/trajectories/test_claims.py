"""Claims are read strictly and compared with what is there, whatever is there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.trajectories import compared, read_claims

FILES = {
    "a.json": b'{"total": {"cents": 12}, "rows": [1, true], "x/y": null}',
    "b.csv": b"id,status\nPO-1, paid \nPO-2\n",
    "note.txt": b"all is well",
    "broken.json": b"{",
    "binary.json": b"\xff\xfe",
}


def holds(path: str, field: str, value: object) -> tuple[bool, str | None]:
    said = json.dumps([{"path": path, "field": field, "value": value}])
    (claim,) = compared(read_claims(said), FILES)
    return claim.holds, claim.found


@pytest.mark.parametrize(
    ("path", "field", "value", "expected"),
    [
        ("a.json", "/total/cents", 12, (True, "12")),
        ("/workspace/a.json", "/total/cents", 12, (True, "12")),
        ("a.json", "/total/cents", 13, (False, "12")),
        ("a.json", "/total/cents", "12", (False, "12")),
        ("a.json", "/rows/1", 1, (False, "true")),
        ("a.json", "/rows/1", True, (True, "true")),
        ("a.json", "/rows/2", 1, (False, None)),
        ("a.json", "/x~1y", None, (True, "null")),
        ("a.json", "/total", {"cents": 12}, (True, '{"cents": 12}')),
        ("b.csv", "PO-1/status", "paid", (True, '"paid"')),
        ("b.csv", "PO-2/status", "", (False, None)),
        ("b.csv", "PO-1/colour", "", (False, None)),
        ("note.txt", "contains", "well", (True, '"well"')),
        ("note.txt", "contains", "ill", (False, None)),
        ("note.txt", "exists", True, (True, "true")),
        ("gone.txt", "exists", True, (False, "false")),
        ("gone.json", "/a", 1, (False, None)),
        ("broken.json", "/a", 1, (False, None)),
        ("binary.json", "/a", 1, (False, None)),
    ],
)
def test_a_claim_holds_or_not(
    path: str, field: str, value: object, expected: tuple[bool, str | None]
) -> None:
    assert holds(path, field, value) == expected


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("{}", "claims: Input should be a valid array"),
        ("no", "Invalid JSON"),
        ('[{"path": "a", "field": "b"}]', "claims.0.value: Field required"),
        ('[{"path": "a", "field": "b", "value": 1, "odd": 1}]', "claims.0.odd: Extra"),
        ('[{"path": 1, "field": "b", "value": 1}]', "claims.0.path: Input"),
        (
            json.dumps([{"path": "a", "field": "b", "value": 1}] * 101),
            "make 100 at most",
        ),
        (
            json.dumps([{"path": "a", "field": "b", "value": "x" * 10_001}]),
            "over 10000 characters",
        ),
    ],
)
def test_what_is_no_list_of_claims_is_told(said: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_claims(said)


@given(
    content=st.binary(max_size=60) | st.text(max_size=60).map(str.encode),
    path=st.sampled_from(["f.json", "f.csv", "f.txt"]),
    field=st.text(min_size=1, max_size=10),
)
def test_any_file_can_be_claimed_about(content: bytes, path: str, field: str) -> None:
    said = json.dumps([{"path": path, "field": field, "value": 1}])
    (claim,) = compared(read_claims(said), {path: content})
    assert not claim.holds or claim.found is not None
