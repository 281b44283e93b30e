"""Files that are broken as a whole, and rows that are broken on their own."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.sources.files import FileSource
from envplatform.swe.fixes.sources.parquet_rows import batch_rows
from envplatform.swe.fixes.sources.rows import (
    MAX_FIELD_BYTES,
    MAX_ROW_BYTES,
    RowRefused,
)
from tests.swe.fixes.sources.made_rows import PATCH, issue_row, read_all, write_lines


def _write_parquet(path: Path, *rows: dict[str, object]) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def test_a_truncated_parquet_file_is_named_with_the_remedy(tmp_path: Path) -> None:
    path = _write_parquet(tmp_path / "fixes.parquet", issue_row())
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FixSourceError, match=r"fixes\.parquet .*download it again"):
        read_all(path)


def test_a_truncated_last_shard_is_found_before_any_row_is_given(
    tmp_path: Path,
) -> None:
    good = _write_parquet(tmp_path / "a.parquet", issue_row())
    bad = tmp_path / "b.parquet"
    bad.write_bytes(good.read_bytes()[:-20])
    with pytest.raises(FixSourceError, match=r"b\.parquet"):
        next(FileSource(name="made", paths=(good, bad)).read())


def test_a_damaged_page_names_the_row_from_which_nothing_can_be_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "fixes.parquet"
    rows = [issue_row(i, patch=f"{i}" * 400) for i in range(1, 9)]
    pq.write_table(
        pa.Table.from_pylist(rows), path, compression="zstd", write_page_checksum=True
    )
    data = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(0).column(3).dictionary_page_offset
    assert start
    data[start + 40 : start + 60] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(FixSourceError, match="beyond row 0"):
        read_all(path)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_missing_columns_are_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"fixes.{suffix}"
    row = issue_row()
    del row["base_commit"]
    if suffix == "parquet":
        _write_parquet(path, row)
    else:
        write_lines(path, row)
    source = FileSource(name="made", paths=(path,), layout="swe-gym")
    with pytest.raises(FixSourceError, match=r"no column base_commit.*swe-gym"):
        list(source.read())


def test_an_unknown_layout_lists_those_there_are(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "fixes.jsonl", {"what": 1})
    with pytest.raises(FixSourceError) as caught:
        read_all(path)
    assert "it has what." in str(caught.value)
    assert "swe-smith: instance_id, repo, patch" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"not json\n", b"[1, 2]\n"])
def test_a_file_without_any_object_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fixes.jsonl"
    path.write_bytes(content)
    with pytest.raises(FixSourceError, match=r"fixes\.jsonl has no rows"):
        read_all(path)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FixSourceError, match=r"none\.jsonl can't be opened"):
        read_all(tmp_path / "none.jsonl")


BROKEN = {
    "no JSON": (b'{"repo": ', "unreadable"),
    "no UTF-8": (json.dumps(issue_row(7)).encode().replace(b"one", b"\xff"), "unreadable"),
    "no object": (b"[1]", "unreadable"),
    "too deep": (b"[" * 100_000, "unreadable"),
    "a huge number": (b'{"repo": ' + b"9" * 5_000 + b"}", "unreadable"),
    "no repo": (json.dumps(issue_row(7, repo=None)).encode(), "missing_field"),
    "patch a number": (json.dumps(issue_row(7, patch=3)).encode(), "wrong_type"),
    "no base commit": (json.dumps(issue_row(7, base_commit="")).encode(), "no_base_commit"),
    "base commit null": (json.dumps(issue_row(7, base_commit=None)).encode(), "no_base_commit"),
    "base commit a branch": (json.dumps(issue_row(7, base_commit="HEAD^")).encode(), "wrong_type"),
    "other language": (json.dumps(issue_row(7, language="rust")).encode(), "not_python"),
    "lone surrogate": (json.dumps(issue_row(7, patch="\ud800")).encode(), "wrong_type"),
    "too large": (json.dumps(issue_row(7, patch="x" * MAX_FIELD_BYTES + "y")).encode(), "too_large"),
    "far too large": (b"x" * (MAX_ROW_BYTES + 1), "too_large"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "suffix"),
    # An array can't go on behind a bracket that is never closed.
    [(kind, "jsonl") for kind in BROKEN]
    + [(kind, "json") for kind in BROKEN if kind not in {"no JSON", "too deep"}],
)
def test_one_bad_row_costs_no_other(tmp_path: Path, kind: str, suffix: str) -> None:
    row, reason = BROKEN[kind]
    rows = [json.dumps(issue_row(1)).encode(), row, json.dumps(issue_row(2)).encode()]
    path = tmp_path / f"fixes.{suffix}"
    if suffix == "jsonl":
        path.write_bytes(b"\n".join(rows) + b"\n")
    else:
        path.write_bytes(b"[\n" + b",\n".join(rows) + b"\n]\n")
    instances, bad = read_all(path)
    assert [instance.instance_id for instance in instances] == ["o__r-1", "o__r-2"]
    assert [row.reason for row in bad] == [reason]
    assert bad[0].row in {"fixes.jsonl, line 2", "fixes.json, row 2"}


def test_a_parquet_row_that_is_no_utf8_costs_no_other(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([issue_row(i) for i in range(1, 6)])
    raw = pa.array([b"x\xff" if i == 2 else b"fine" for i in range(5)])
    text = pa.Array.from_buffers(pa.string(), 5, raw.buffers())
    path = tmp_path / "fixes.parquet"
    position = table.schema.get_field_index("problem_statement")
    pq.write_table(table.set_column(position, "problem_statement", text), path)
    instances, bad = read_all(path)
    assert len(instances) == 4
    assert [(row.row, row.reason, row.detail) for row in bad] == [
        ("fixes.parquet, row 3", "unreadable", "no valid text or date in problem_statement")
    ]  # fmt: skip


def test_bytes_in_a_patch_survive_as_surrogates(tmp_path: Path) -> None:
    path = tmp_path / "fixes.parquet"
    _write_parquet(path, issue_row(1, patch=b"caf\xe9\r\n\x0c\xe2\x80\xa8"))
    instances, _ = read_all(path)
    patch = instances[0].patch.encode("utf-8", "surrogateescape")
    assert patch == b"caf\xe9\r\n\x0c\xe2\x80\xa8"


def test_lines_that_break_off_are_set_aside_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    path = write_lines(tmp_path / "fixes.jsonl", issue_row(1), issue_row(2))
    path.write_bytes(path.read_bytes()[:-40])
    instances, bad = read_all(path)
    assert [instance.instance_id for instance in instances] == ["o__r-1"]
    assert bad[0].row == "fixes.jsonl, line 2"
    assert bad[0].detail.startswith("the file breaks off here")


def test_a_last_line_without_an_end_is_a_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "fixes.jsonl", issue_row(1), issue_row(2))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert len(read_all(path)[0]) == 2


def test_packed_lines_are_read_and_may_break_off(tmp_path: Path) -> None:
    lines = b"".join(json.dumps(issue_row(i)).encode() + b"\n" for i in range(1, 500))
    path = tmp_path / "fixes.jsonl.gz"
    path.write_bytes(gzip.compress(lines))
    assert len(read_all(path)[0]) == 499
    path.write_bytes(gzip.compress(lines)[:-50])
    instances, bad = read_all(path)
    assert 0 < len(instances) < 499
    assert "the file breaks off" in bad[-1].detail


@pytest.mark.parametrize(
    ("cut", "detail"), [(-4, "the file breaks off here"), (-1, "the array is never")]
)
def test_an_array_that_breaks_off_keeps_what_came_before(
    tmp_path: Path, cut: int, detail: str
) -> None:
    path = tmp_path / "fixes.json"
    path.write_bytes(json.dumps([issue_row(1), issue_row(2)]).encode()[:cut])
    instances, bad = read_all(path)
    assert len(instances) + len(bad) == 2 + (cut == -1)
    assert bad[0].detail.startswith(detail)


def test_a_json_file_may_hold_objects_one_after_the_other(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "fixes.json", issue_row(1), issue_row(2))
    assert len(read_all(path)[0]) == 2


def test_braces_quotes_and_commas_in_texts_do_not_cut_an_array(
    tmp_path: Path,
) -> None:
    nasty = '"},{"\\" ]} \\\\'
    rows = [issue_row(i, patch=nasty * i) for i in range(1, 40)]
    path = tmp_path / "fixes.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(rows, indent=1).encode())
    instances, bad = read_all(path)
    assert [instance.patch for instance in instances] == [row["patch"] for row in rows]
    assert not bad


def test_an_array_may_be_cut_anywhere_by_the_size_of_a_read(tmp_path: Path) -> None:
    """Texts of backslashes and quotes, long enough to meet the border of a read."""
    rows = [issue_row(i, patch='\\"' * (100_000 + i)) for i in range(1, 12)]
    path = tmp_path / "fixes.json"
    path.write_text(json.dumps(rows))
    instances, bad = read_all(path)
    assert [instance.patch for instance in instances] == [row["patch"] for row in rows]
    assert not bad


def test_an_array_with_other_things_loses_only_those(tmp_path: Path) -> None:
    path = tmp_path / "fixes.json"
    rows: list[object] = [1, "a,b", None, [], issue_row(1), {}, True, issue_row(2)]
    path.write_text(json.dumps(rows))
    instances, bad = read_all(path)
    assert len(instances) == 2
    assert [row.reason for row in bad] == ["unreadable"] * 4 + [
        "missing_field",
        "unreadable",
    ]


def test_an_id_twice_with_other_content_is_refused_and_with_the_same_counted(
    tmp_path: Path,
) -> None:
    path = write_lines(
        tmp_path / "fixes.jsonl",
        issue_row(1),
        issue_row(1, patch="other"),
        issue_row(1),
        issue_row(2),
    )
    instances, bad = read_all(path)
    assert [instance.instance_id for instance in instances] == ["o__r-1", "o__r-2"]
    assert [row.reason for row in bad] == ["duplicate_id", "repeated_row"]


def test_an_id_twice_across_shards_is_found(tmp_path: Path) -> None:
    one = write_lines(tmp_path / "a.jsonl", issue_row(1))
    two = write_lines(tmp_path / "b.jsonl", issue_row(1))
    _, bad = read_all(one, two)
    assert [(row.row, row.reason) for row in bad] == [
        ("b.jsonl, line 1", "repeated_row")
    ]


def test_a_stray_bracket_costs_one_row(tmp_path: Path) -> None:
    path = tmp_path / "fixes.json"
    one, two = (json.dumps(issue_row(i)) for i in (1, 2))
    path.write_text(f"[{one}, oops ], {two}]")
    instances, bad = read_all(path)
    assert [instance.instance_id for instance in instances] == ["o__r-1"]
    assert [row.reason for row in bad] == ["unreadable"]


def test_a_packed_array_may_break_off(tmp_path: Path) -> None:
    rows = [issue_row(i) for i in range(1, 500)]
    path = tmp_path / "fixes.json.gz"
    path.write_bytes(gzip.compress(json.dumps(rows).encode())[:-50])
    instances, bad = read_all(path)
    assert 0 < len(instances) < 499
    assert [row.reason for row in bad] == ["unreadable"]


def test_what_is_not_packed_though_it_says_so_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fixes.jsonl.gz"
    path.write_text(json.dumps(issue_row()))
    with pytest.raises(FixSourceError, match="Not a gzipped file"):
        read_all(path)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "json"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, suffix: str) -> None:
    """Fifteen megabytes of rows, in Parquet as one row group, take less than six."""
    rows = [issue_row(i, patch=f"{i} " * 2_500) for i in range(1, 1_250)]
    path = tmp_path / f"fixes.{suffix}"
    match suffix:
        case "parquet":
            _write_parquet(path, *rows)
        case "jsonl":
            write_lines(path, *rows)
        case _:
            path.write_text(json.dumps(rows))
    count = len(rows)
    rows.clear()
    tracemalloc.start()
    try:
        read = sum(1 for _ in FileSource(name="made", paths=(path,)).read())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read == count
    assert peak < 6 * 2**20


def test_a_number_that_no_float_holds_costs_its_own_row(tmp_path: Path) -> None:
    huge = {**issue_row(1), "created_at": 10**400}
    taken, aside = read_all(write_lines(tmp_path / "a.jsonl", huge, issue_row(2)))
    assert [row.instance_id for row in taken] == ["o__r-2"]
    assert [row.reason for row in aside] == ["wrong_type"]


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_a_file_may_begin_with_many_broken_rows(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"fixes.{suffix}"
    broken = [b'{"repo": nonsense},'] * 40
    path.write_bytes(b"\n".join([*broken, json.dumps(issue_row(1)).encode()]))
    taken, aside = read_all(path)
    assert (len(taken), len(aside)) == (1, 40)


def test_one_large_row_is_held_at_a_time(tmp_path: Path) -> None:
    large = 2_000_000
    rows = (issue_row(number, junk="x" * large) for number in range(1, 21))
    path = write_lines(tmp_path / "fixes.jsonl", *rows)
    tracemalloc.start()
    try:
        taken, _ = read_all(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(taken) == 20
    assert peak < 6 * large  # sixteen rows were kept to tell the layout by


def test_a_row_of_very_many_values_is_too_large(tmp_path: Path) -> None:
    """A list of two bytes takes seventy in memory: 64 MB of them would take 1.5 GB."""
    many = b'{"junk": [' + b"[]," * 600_000 + b"[]]}"
    path = write_lines(tmp_path / "fixes.jsonl", issue_row(1), many, issue_row(2))
    taken, aside = read_all(path)
    assert len(taken) == 2
    assert [row.reason for row in aside] == ["too_large"]


def test_commas_and_brackets_within_a_text_are_no_values(tmp_path: Path) -> None:
    patch = PATCH + '"[{,\\' * 400_000
    path = write_lines(tmp_path / "fixes.jsonl", issue_row(1, patch=patch))
    taken, _ = read_all(path)
    assert taken[0].patch == patch


def test_what_a_message_quotes_of_a_row_is_short() -> None:
    refused = RowRefused(reason="unreadable", detail="x" * 10**6)
    assert len(refused.detail) < 2_000
    assert len(str(refused)) < 2_000


def test_a_value_that_stands_once_for_all_rows_is_not_unpacked_for_all_at_once(
    tmp_path: Path,
) -> None:
    """Six kilobytes of Parquet were 2.5 GB in memory."""
    path, count, size = tmp_path / "fixes.parquet", 100, 10_000_000
    same = pa.DictionaryArray.from_arrays(
        pa.array([0] * count, pa.int32()), pa.array(["x" * size])
    )
    ids = [f"o__r-{number}" for number in range(count)]
    commits, repos = ["1" * 40] * count, ["o/r"] * count
    table = pa.table(
        {"repo": repos, "instance_id": ids, "base_commit": commits, "patch": same}
    )
    pq.write_table(table, path, compression="zstd")
    assert path.stat().st_size < 10_000
    rows = _largest_batch(path, table.schema.names)
    assert rows * size <= 256 * 2**20


def _largest_batch(path: Path, columns: list[str]) -> int:
    with pq.ParquetFile(path) as file:
        return batch_rows(path, file, frozenset(columns))


def test_small_dictionaries_leave_batches_large(tmp_path: Path) -> None:
    rows = [issue_row(number, patch=f"{number % 9}") for number in range(1, 2_000)]
    path = _write_parquet(tmp_path / "fixes.parquet", *rows)
    assert _largest_batch(path, list(rows[0])) == 256
