"""Files of strangers: what is kept of them, and why others are not. Nothing crashes."""

import gzip
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.cowork.library.reading import Kept, read_file
from envplatform.cowork.library.resource import Refusal
from envplatform.cowork.library.specification import FileRule, Limits
from envplatform.cowork.library.text import Fault

LIMITS = Limits(rows=8, file_bytes=10_000, columns=6)


def kept(path: str, data: bytes, limits: Limits = LIMITS) -> Kept:
    found = read_file(path, data, None, limits)
    assert isinstance(found, Kept), found
    return found


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


REFUSED: dict[str, tuple[str, bytes, Refusal]] = {
    "nothing": ("a.csv", b"", "empty"),
    "blanks": ("a.csv", b" \r\n\n", "empty"),
    "a mark alone": ("a.csv", b"\xef\xbb\xbf", "empty"),
    "a header alone": ("a.csv", b"a,b\n", "empty"),
    "a list of nothing": ("a.json", b"[]", "empty"),
    "a picture": ("a.csv", b"\x89PNG\0\1", "binary"),
    "no text at all": ("a.txt", bytes(range(128, 256)), "binary"),
    "two encodings": ("a.csv", b"a\nZ\xc3\xbcrich\nZ\xfcrich\n", "mixed_encodings"),
    "half a UTF-16": ("a.csv", b"\xff\xfea", "malformed"),
    "an escape": ("a.csv", b"a\n\x1b[2Jx\n", "control_characters"),
    "text turned around": (
        "a.py",
        "x = 1  # \u202e hidden".encode(),
        "control_characters",
    ),
    "an escape spelled": ("a.json", rb'[{"a": "\u001b[2J"}]', "control_characters"),
    "half a character": ("a.json", rb'[{"a": "\ud800"}]', "control_characters"),
    "a name with one": ("a.json", rb'[{"\u0000": "x"}]', "control_characters"),
    "ragged": ("a.csv", b"a,b\n1,2\n3\n", "malformed"),
    "an open quote": ("a.csv", b'a,b\n1,"2\n', "malformed"),
    "wide": ("a.csv", b"a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n", "too_wide"),
    "large": ("a.txt", b"x" * 10_001, "too_large"),
    "a bomb": ("a.csv.gz", gzip.compress(bytes(10_000_000)), "too_large"),
    "a zipped bomb": ("a.csv.zip", zipped(a=bytes(10_000_000)), "too_large"),
    "two in one": ("a.csv.zip", zipped(a=b"x", b=b"y"), "unsound"),
    "no gzip": ("a.csv.gz", b"a,b\n1,2\n", "unsound"),
    "half a gzip": ("a.csv.gz", gzip.compress(b"a\n1\n")[:-9], "unsound"),
    "no zip": ("a.csv.zip", b"PK", "unsound"),
    "no JSON": ("a.json", b"[{]", "malformed"),
    "deep JSON": ("a.json", b"[" * 9_000, "malformed"),
    "one object": ("a.json", b'{"a": 1}', "not_a_table"),
    "numbers": ("a.json", b"[1, 2]", "not_a_table"),
    "values in values": ("a.json", b'[{"a": [1]}]', "nested"),
    "a map": ("a.json", b'{"type": "FeatureCollection"}', "geographic"),
    "of no kind": ("a.xyz", b"text", "no_such_kind"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    path, data, reason = REFUSED[name]
    found = read_file(path, data, None, LIMITS)
    assert isinstance(found, Fault)
    assert found.reason == reason
    assert found.detail


def test_a_cell_that_no_spreadsheet_takes() -> None:
    data = b"a,b\n1," + b"x" * 40_000 + b"\n"
    found = read_file("a.csv", data, None, Limits())
    assert found == Fault("malformed", "line 2: a cell of over 32,767 characters")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("a,b\r\nü,\r\n".encode("utf-8-sig"), "utf-8 with mark"),
        ("a,b\r\nü,\r\n".encode("utf-16"), "utf-16"),
        ("a,b\r\nü,\r\n".encode("cp1252"), "windows-1252"),
        ("a,b\rü,\r".encode(), "utf-8"),
        ("\n\na;b\n ü ;\n\n".encode(), "utf-8"),
    ],
)
def test_every_way_to_write_a_table_is_kept_alike(data: bytes, encoding: str) -> None:
    found = kept("a.csv", data)
    assert found.content.decode() == "a,b\nü,\n"
    assert found.encoding == encoding


def test_packed_tables_are_unpacked() -> None:
    plain = kept("a.csv", b"a\n1\n")
    assert kept("a.csv.gz", gzip.compress(b"a\n1\n")).digest == plain.digest
    assert kept("a.csv.zip", zipped(**{"x/a.csv": b"a\n1\n"})).digest == plain.digest


def test_quoted_line_ends_stay_in_their_cell() -> None:
    found = kept("a.csv", b'a,b\n"one\r\ntwo","say ""x"""\n')
    assert found.rows == 1
    assert found.content == b'a,b\n"one\r\ntwo","say ""x"""\n'


@pytest.mark.parametrize(
    "cell", ["=cmd|'/C calc'!A0", "=1+1", "@SUM(1)", "+cmd|'x'!A", "-2+3+cmd(1)"]
)
def test_a_formula_is_disarmed_and_counted(cell: str) -> None:
    found = kept("a.csv", f"a,b\n{cell},1\n".encode())
    assert f"\n'{cell}".encode() in found.content.replace(b'"', b"")
    assert found.notes == ("1 formulas have an apostrophe before them",)


@pytest.mark.parametrize("cell", ["-5", "+3.2", "-", "+49 30 1234", "@", "a=b"])
def test_what_only_looks_like_one_stays(cell: str) -> None:
    assert kept("a.csv", f"a,b\n{cell},x\n".encode()).notes in (
        (),
        ("1 cells that say there is no value were emptied",),
    )


def test_a_long_table_is_thinned_out_evenly() -> None:
    """A million rows; each kept row's number times the stride is its own in the file."""
    lines = "".join(f"{number}\n" for number in range(1_000_000))
    found = kept("a.csv", f"n\n{lines}".encode(), Limits(rows=1_000))
    numbers = [int(line) for line in found.content.split()[1:]]
    assert numbers == [number * found.stride for number in range(found.rows)]
    assert (found.rows_read, found.stride, found.rows) == (1_000_000, 1024, 977)
    assert "one row in 1024 is kept" in found.notes


@given(st.integers(1, 300), st.integers(1, 40))
def test_thinning_never_keeps_more_nor_less_than_half(rows: int, limit: int) -> None:
    lines = "".join(f"{number}\n" for number in range(rows))
    found = kept("a.csv", f"n\n{lines}".encode(), Limits(rows=limit))
    numbers = [int(line) for line in found.content.split()[1:]]
    assert numbers == list(range(0, rows, found.stride))
    assert found.rows == len(numbers) <= limit
    assert found.rows >= min(rows, limit) / 2


def test_a_list_of_objects_is_a_table() -> None:
    """Numbers keep their digits; what one entry lacks has no value."""
    entries = '[{"a": 1.10, "b": null}, {"b": true, "c": 12345678901234567890}]'
    found = kept("a.json", entries.encode())
    assert found.content == b"a,b,c\n1.10,,\n,true,12345678901234567890\n"


def test_columns_without_a_name_of_their_own() -> None:
    found = kept("a.csv", b",x,'x', x ,\n1,2,3,4,5\n")
    assert [column.name for column in found.columns] == [
        "column 1",
        "x",
        "x (3)",
        "x (4)",
        "column 5",
    ]


def test_columns_are_measured() -> None:
    data = b"n,m,when,who,code\n10,1.5,2024-02-29,Ada,007\n9,NA,2024-01-31,NA,010\n"
    columns = {column.name: column for column in kept("a.csv", data).columns}
    assert {name: column.type for name, column in columns.items()} == {
        "n": "int",
        "m": "decimal",
        "when": "date",
        "who": "text",
        "code": "text",
    }
    assert (columns["n"].minimum, columns["n"].maximum) == ("9", "10")
    assert (columns["m"].null_share, columns["m"].distinct) == (0.5, 1)
    assert columns["who"].distinct == 2  # NA is a name where names are


@pytest.mark.parametrize("day", ["2024-02-30", "2024-13-01", "01/02/2024", "2024"])
def test_what_is_no_date(day: str) -> None:
    (column,) = kept("a.csv", f"d\n{day}\n".encode()).columns
    assert column.type != "date"


def test_a_text_within_json() -> None:
    rule = FileRule(
        files=("*",), licence="MIT", licence_source="-", kind="document", text_field="t"
    )
    data = json.dumps({"t": "one\r\ntwo"}).encode()
    found = read_file("a.json", data, rule, LIMITS)
    assert isinstance(found, Kept)
    assert (found.content, found.rows) == (b"one\ntwo", 2)
    assert found.notes == ("line ends were made those of Unix",)
    for bad in (b"[]", b"{}", b'{"t": 1}', b'{"t": "\\u001b"}'):
        assert isinstance(read_file("a.json", bad, rule, LIMITS), Fault)


@given(st.binary(max_size=300), st.sampled_from([".csv", ".json", ".txt", ".csv.gz"]))
def test_any_bytes_are_kept_or_refused(data: bytes, suffix: str) -> None:
    found = read_file(f"a{suffix}", data, None, LIMITS)
    assert isinstance(found, Kept | Fault)
    if isinstance(found, Kept) and found.kind == "table":
        again = read_file("a.csv", found.content, None, LIMITS)
        assert isinstance(again, Kept)
        assert again.rows == found.rows
