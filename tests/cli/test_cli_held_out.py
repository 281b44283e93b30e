"""`envplatform held-out`: what goes into the file, and what it keeps out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envplatform.configuration import load_configuration
from envplatform.store import Store
from envplatform.swe.fixes.corpus import gather
from envplatform.swe.fixes.curation.curate import curate
from envplatform.swe.fixes.curation.held_out import load_held_out, read_held_out
from envplatform.swe.fixes.places import Histories
from envplatform.swe.fixes.reverse import reverse
from envplatform.swe.fixes.reverse_patch import CuratedPatch, ReverseFacts
from envplatform.swe.fixes.sources.opening import open_sources
from tests.cli.conftest import Call
from tests.made_fixes import make_fixes, published

SHARE = """\
def share(basket, customer, discount, season):
    price = sum(item.price for item in basket.items)
    return price
"""
SHARE_FIXED = SHARE.replace(
    "    return price\n",
    "    rebate = customer.rebate(season) + discount.current(basket.shop, price)\n"
    "    return max(price - rebate.amount, basket.minimum)\n",
)


def publish(folder: Path, repository: str) -> Path:
    """A file of one fix, in that repository; its history is beside it."""
    folder.mkdir()
    versions = (SHARE, SHARE_FIXED)
    rows = published(folder / "histories", repository, "share.py", versions)
    file = folder / "benchmark.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def edit(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change every row of a file."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        change(row)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def curated(toml: Path, home: Path, repository: str) -> list[CuratedPatch]:
    """Verdicts under a configuration, as its assets come to them."""
    settings = load_configuration(toml).fixes
    cache = Store(home).cache_folder("fixes")
    with gather(open_sources(settings.sources, cache=cache), folder=cache) as corpus:
        fixes = list(corpus.rows())
    with Histories(repository, settings, cache) as history:
        rows = list(reverse(fixes, history, Store(home).results("fix_analysis")))
    facts = [
        ReverseFacts(**{name: getattr(row, name) for name in ReverseFacts.__slots__})
        for row in rows
    ]
    curation = settings.curation
    return list(curate(lambda: facts, curation, load_held_out(curation)))


def test_a_fix_held_out_is_rejected_under_another_repository_name(
    call: Call, tmp_path: Path
) -> None:
    benchmark = publish(tmp_path / "benchmark", "made__shop")
    answer = call("held-out", benchmark, "--to", tmp_path / "held.json")
    assert answer.code == 0
    assert "1 instances of 1 repositories" in answer.out
    assert "[fixes.curation] held_out_files" in answer.out

    fork = publish(tmp_path / "fork", "someone__fork")
    toml = tmp_path / "envplatform.toml"
    source = (
        f"[fixes]\nclone_url = '{fork.parent}/histories/{{repository}}'\n"
        f"[[fixes.sources]]\npath = '{fork}'\nlicence = 'MIT'\n"
    )
    toml.write_text(source)
    (row,) = curated(toml, tmp_path / "home", "someone__fork")
    assert row.rejection == ""
    toml.write_text(f"{source}[fixes.curation]\nheld_out_files = ['held.json']\n")
    (row,) = curated(toml, tmp_path / "home", "someone__fork")
    assert row.rejection == "held_out_lines"
    assert row.detail.startswith("benchmark, ")


def test_the_object_counts_what_went_in(call: Call, tmp_path: Path) -> None:
    made = make_fixes(tmp_path, with_gone=False)
    to = tmp_path / "held.json"
    found = call("held-out", made.file, "--to", to, "--name", "mine", "--json").json
    held = read_held_out(to)
    assert found == {
        "file": str(to),
        "name": "mine",
        "instances": 3,
        "quarantined": {"no_base_commit": 1},
        "unread": [],
        "repositories": 2,
        "blobs": 0,
        "ngrams": len(held.ngrams),
    }
    assert (held.name, len(held.repositories)) == ("mine", 2)


def test_rows_that_are_not_held_out_are_told(call: Call, tmp_path: Path) -> None:
    made = make_fixes(tmp_path, with_gone=False)
    answer = call("held-out", made.file, "--to", tmp_path / "held.json")
    assert answer.code == 0
    assert "1 rows are not held out: no_base_commit" in answer.out


def test_a_patch_that_is_no_diff_costs_its_lines_and_no_other_row(
    call: Call, tmp_path: Path
) -> None:
    made = make_fixes(tmp_path, with_gone=False)
    row = json.loads(made.file.read_text().splitlines()[0])
    row |= {"instance_id": "bad-1", "repo": "made/bad"}
    row["patch"] = (
        "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"
    )
    with made.file.open("a") as file:
        file.write(json.dumps(row) + "\n")
    to = tmp_path / "held.json"
    answer = call("held-out", made.file, "--to", to)
    assert answer.code == 0
    assert "lines of 1 are not held out, no diff: bad-1" in answer.out
    assert len(read_held_out(to).repositories) == 3


def test_rows_that_carry_their_files_are_held_out_by_file_and_lines(
    call: Call, tmp_path: Path
) -> None:
    content = {
        "file_diffs": [
            {
                "header": {"file": {"path": "share.py"}},
                "old_file_content": SHARE,
                "new_file_content": SHARE_FIXED,
            }
        ]
    }
    row = {
        "repo_name": "made/shop",
        "commit_hash": "a" * 40,
        "parsed_commit_content": json.dumps(content),
    }
    file = tmp_path / "inline.jsonl"
    file.write_text(json.dumps(row) + "\n")
    found = call("held-out", file, "--to", tmp_path / "held.json", "--json")
    assert found.code == 0, found.out
    assert found.json["blobs"] == 1  # the other one is too short to tell anything
    assert found.json["ngrams"] > 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.jsonl", None, "gone.jsonl does not exist"),
        ("notes.txt", "hello", "no data file by its name"),
        ("rows.jsonl", "", "rows"),
        ("rows.jsonl", "{]\n", "rows"),
        ("rows.jsonl", '{"a": 1}\n', "of no layout that is known"),
        ("rows.parquet", "PAR1", "rows.parquet"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_file_that_cannot_be_read_is_named(
    call: Call,
    tmp_path: Path,
    name: str,
    content: str | None,
    message: str,
    *,
    as_json: bool,
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    to = tmp_path / "held.json"
    answer = call(
        "held-out", tmp_path / name, "--to", to, *(["--json"] if as_json else [])
    )
    assert answer.code == 1
    assert message in (answer.json["message"] if as_json else answer.err)
    assert not to.exists()


def test_a_benchmark_is_never_written_over(call: Call, tmp_path: Path) -> None:
    file = make_fixes(tmp_path, with_gone=False).file
    before = file.read_bytes()
    answer = call("held-out", file, "--to", file)
    assert (answer.code, file.read_bytes()) == (1, before)
    assert "name another file" in answer.err


@pytest.mark.parametrize("to", ["missing/held.json", "."])
def test_where_nothing_can_be_written_is_said(
    call: Call, tmp_path: Path, to: str
) -> None:
    file = make_fixes(tmp_path, with_gone=False).file
    answer = call("held-out", file, "--to", tmp_path / to)
    assert answer.code == 1
    assert "name a file in a folder that exists" in answer.err


def test_a_name_that_may_not_stand_in_a_file_is_refused(
    call: Call, tmp_path: Path
) -> None:
    file = make_fixes(tmp_path, with_gone=False).file
    to = tmp_path / "held.json"
    answer = call("held-out", file, "--to", to, "--name", "../x")
    assert answer.code == 1
    assert "field name is '../x'" in answer.err
    assert not to.exists()


def test_a_file_of_any_name_makes_a_set(call: Call, tmp_path: Path) -> None:
    file = make_fixes(tmp_path, with_gone=False).file
    odd = file.rename(file.with_name("_my set (2).jsonl"))
    answer = call("held-out", odd, "--to", tmp_path / "held.json", "--json")
    assert answer.json["name"] == "my-set-2"
