"""Pairs: drawn once, alike in size, blind; one bad line costs no other."""

from pathlib import Path

import pytest

from envplatform.errors import StoreError
from envplatform.evaluation.realism.pairs import (
    MAX_LINES,
    Bug,
    blinded,
    changed_lines,
    draw_pairs,
    keep_pairs,
    read_pairs,
)
from tests.evaluation.realism.made_pairs import PAIRS


def bug(name: str, lines: int, kind: str = "mutation") -> Bug:
    body = "".join(f"-a{n}\n+b{n}\n" for n in range(lines))
    patch = f"--- a/{name}.py\n+++ b/{name}.py\n@@ -1,{lines} +1,{lines} @@\n{body}"
    return Bug(bug_id=name, kind=kind, patch=patch)


OURS = [
    bug(f"o{n}", 1 + n % 4, "mined" if n % 5 == 0 else "mutation") for n in range(20)
]
REAL = [bug(f"r{n}", 1 + n % 7, "history") for n in range(30)]


def test_pairs_are_alike_in_size_and_each_bug_is_in_one() -> None:
    pairs = draw_pairs(OURS, REAL, count=8, seed=1)
    assert len(pairs) == len({one.ours for one in pairs}) == 8
    assert len({one.real for one in pairs}) == 8
    assert {one.inducer for one in pairs} == {"mutation", "mined"}
    assert all(changed_lines(o.left) == changed_lines(o.right) for o in pairs)
    assert {one.left_is_ours for one in draw_pairs(OURS, REAL, count=20, seed=1)} == {
        True,
        False,
    }
    for one in pairs:
        mine = one.left if one.left_is_ours else one.right
        assert f"a/{one.ours}.py" in mine
        assert one.ours not in one.pair_id


def test_the_same_seed_draws_the_same_whatever_the_order() -> None:
    first = draw_pairs(OURS, REAL, count=9, seed=3)
    assert draw_pairs(OURS[::-1], REAL[::-1], count=9, seed=3) == first
    assert draw_pairs(OURS, REAL, count=9, seed=4) != first


def test_there_are_no_more_than_there_are() -> None:
    assert len(draw_pairs(OURS, REAL[:2], count=9, seed=0)) == 2
    assert draw_pairs(OURS, [], count=9, seed=0) == []
    assert draw_pairs([], REAL, count=9, seed=0) == []
    long = bug("long", MAX_LINES)
    assert (
        draw_pairs(
            [long, Bug(bug_id="e", kind="k", patch=" \n")], REAL, count=9, seed=0
        )
        == []
    )


def test_nothing_tells_which_tool_wrote_a_patch() -> None:
    patch = (
        "diff --git a/x.py b/x.py\nindex 12..34 100644\n"
        "--- a/x.py\t2026-01-01 00:00:00\n+++ b/x.py\t2026\n@@ -1 +1 @@\n-a\n+b\n"
    )
    assert blinded(patch) == "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b"


def test_pairs_are_kept_once_and_for_all(tmp_path: Path) -> None:
    path = tmp_path / "realism" / "pairs.jsonl"
    assert read_pairs(path) == ([], [])
    keep_pairs(path, PAIRS)
    assert read_pairs(path) == (PAIRS, [])
    with pytest.raises(StoreError, match="votes are about its pairs"):
        keep_pairs(path, PAIRS[:1])
    assert read_pairs(path) == (PAIRS, [])


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[1]",
        b'{"pair_id": "x"}',
        b'{"pair_id": "x", "pair_id": "y"}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_broken_line_costs_no_other(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "pairs.jsonl"
    keep_pairs(path, PAIRS)
    path.write_bytes(line + b"\n" + path.read_bytes())
    pairs, bad = read_pairs(path)
    assert pairs == PAIRS
    assert len(bad) == 1
    assert bad[0].startswith(f"{path}:1: ")


def test_a_pair_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    keep_pairs(path, [PAIRS[0], PAIRS[0], PAIRS[1]])
    pairs, bad = read_pairs(path)
    assert pairs == PAIRS[:2]
    assert "is there already" in bad[0]
