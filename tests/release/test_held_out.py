"""What the user holds out is not released: texts, patches and repositories, by hash."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from envplatform.configuration import ReleaseSettings
from envplatform.errors import ConfigError, FixSourceError
from envplatform.release.hashing import as_set, hash_texts
from envplatform.release.manifest import read_left_out
from envplatform.store import Store
from envplatform.swe.fixes.curation.hash_file import read_held_out, write_held_out
from envplatform.tree import File
from tests.bundle.sample import WORKSPACE
from tests.release.made_release import GOAL, environment, keep, released, write_rows

CODE = (
    "    rebate = customer.rebate(season) + discount.current(basket.shop, price)\n"
    "    return max(price - rebate.amount, basket.minimum)\n"
)
PATCH = (
    "diff --git a/share.py b/share.py\n--- a/share.py\n+++ b/share.py\n"
    "@@ -1,1 +1,2 @@\n-    return price\n"
    + "".join(f"+{line}\n" for line in CODE.splitlines())
)
ROW = {"instance_id": "theirs-1", "repo": "O/R", "problem_statement": "Short."}


def held_out(folder: Path, *rows: dict[str, object]) -> str:
    source, to = folder / "mine.jsonl", folder / "mine.json"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_held_out(as_set(hash_texts(source), "mine"), to)
    return str(to)


def why_left_out(folder: Path, file: str, *, most: int = 1) -> dict[str, str]:
    """Release one environment that shares nothing and three that might."""
    store = Store(folder / "home")
    solution = {
        "solve.sh": File(b"#!/bin/sh\n", executable=True),
        "fixed/share.py": File(b"def share(price):\n" + CODE.encode()),
    }
    workspace = {
        **WORKSPACE,
        "share.py": File(b"def share(price):\n    return price\n"),
    }
    told = environment("told", instruction=f"Please help us.\n{GOAL.upper()}\n")
    write_rows(
        store,
        [
            keep(store, environment("free")),
            keep(store, told),
            keep(store, environment("fixed", solution=solution, workspace=workspace)),
            keep(store, environment("bug"), repository="o__r"),
        ],
    )
    settings = ReleaseSettings(held_out_files=(file,), held_out_grams=most)
    made = released(store, settings)
    return {one.id: one.detail for one in read_left_out(made.folder)}


def test_a_shared_text_is_seen_in_any_case_and_layout(tmp_path: Path) -> None:
    file = held_out(tmp_path, {"prompt": GOAL.replace(" ", "\n  ")})
    found = why_left_out(tmp_path, file)
    assert list(found) == ["told"]
    assert found["told"].endswith("runs of 13 words are in mine")
    assert why_left_out(tmp_path / "more", file, most=500) == {}


def test_texts_in_conversations_and_parquet_count_as_well(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": [{"type": "text", "text": GOAL}]}]
    assert list(why_left_out(tmp_path, held_out(tmp_path, {"messages": talk}))) == [
        "told"
    ]
    pq.write_table(pa.table({"question": [GOAL]}), tmp_path / "mine.parquet")
    grams = hash_texts(tmp_path / "mine.parquet").grams
    assert grams == hash_texts(tmp_path / "mine.jsonl").grams != set()


def test_a_gold_patch_is_seen_in_a_solution_and_a_repository_by_name(
    tmp_path: Path,
) -> None:
    found = why_left_out(tmp_path, held_out(tmp_path, {**ROW, "patch": PATCH}))
    assert sorted(found) == ["bug", "fixed"]
    assert found["bug"] == "its repository o__r is in mine"


def test_a_patch_that_is_none_is_named_and_hashed_as_text(tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    rows = [{**ROW, "patch": f"not a diff: {GOAL}"}, {**ROW, "instance_id": "fine"}]
    lines = [json.dumps(row) for row in rows] + ["{broken", "[1]"]
    source.write_text("\n".join(lines))
    found = hash_texts(source)
    assert (found.rows, found.unread) == (2, ["theirs-1"])
    assert len(found.broken) == 2
    assert found.grams, "its words are held out all the same"


def test_no_row_however_odd_costs_another(tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    lines = [
        b'{"id": "half", "prompt": "\\ud800"}',
        b'{"id": "nan", "score": NaN, "patch": 5}',
        b'{"n": ' + b"9" * 5_000 + b"}",
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"a": ' + b"[" * 500 + b"]" * 500 + b"}",
        json.dumps({"id": "good", "prompt": GOAL}).encode(),
    ]
    source.write_bytes(b"\n".join(lines))
    found = hash_texts(source)
    assert found.rows + len(found.broken) == len(lines)
    assert found.rows >= 3, "those that JSON can hold"
    write_held_out(as_set(found, "mine"), tmp_path / "mine.json")
    assert list(why_left_out(tmp_path, str(tmp_path / "mine.json"))) == ["told"]


def test_a_folder_of_texts_and_diffs(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "one.md").write_text(GOAL)
    (folder / "two.patch").write_text(PATCH)
    (folder / "three.diff").write_text("no diff")
    (folder / "picture.png").write_bytes(b"\0")
    (folder / "link.md").symlink_to("/etc/passwd")
    found = hash_texts(folder)
    assert found.rows == 3
    assert found.unread == [str(folder / "three.diff")]
    to = tmp_path / "set.json"
    write_held_out(as_set(found, "mine"), to)
    assert read_held_out(to).ngrams == frozenset(found.grams)


def test_bad_sources_and_hash_files_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere does not exist"):
        hash_texts(tmp_path / "nowhere")
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(ConfigError, match=r"empty\.jsonl holds no row"):
        hash_texts(empty)
    odd = tmp_path / "odd.exe"
    odd.write_bytes(b"x")
    with pytest.raises(FixSourceError, match=r"odd\.exe: expected a \.parquet"):
        hash_texts(odd)
    with pytest.raises(ConfigError, match=r"empty\.jsonl is no valid JSON"):
        why_left_out(tmp_path, str(empty))
    with pytest.raises(ConfigError, match=r"\[release\] held_out_files"):
        why_left_out(tmp_path, str(tmp_path / "absent.json"))
