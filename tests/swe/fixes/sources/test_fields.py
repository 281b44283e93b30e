"""Fields in the forms in which they are published, and in forms that are attacks."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.sources.base import instance_digest
from envplatform.swe.fixes.sources.instants import read_instant
from envplatform.swe.fixes.sources.licence_names import spdx_identifier
from envplatform.swe.fixes.sources.named_tests import read_tests
from envplatform.swe.fixes.sources.names import (
    checked_id,
    owner_and_name,
    repository_identity,
    repository_key,
)
from envplatform.swe.fixes.sources.rows import Row, RowRefused
from tests.swe.fixes.sources.made_rows import issue_row, read_all


def _row(value: object) -> Row:
    return Row(where="here", fields={"field": value})


TEST_LISTS: dict[str, tuple[object, tuple[str, ...]]] = {
    "JSON text": ('["a::b", "c"]', ("a::b", "c")),
    "list": (["a", "c"], ("a", "c")),
    "tuple": (("a",), ("a",)),
    "null": (None, ()),
    "NaN": (float("nan"), ()),
    "empty text": (" ", ()),
    "empty list": ([], ()),
    "JSON null": ("[]", ()),
    "Python text": ("['a', \"it's\", 'x\\'y']", ("a", "it's", "x'y")),
    "numpy text": ("['a' 'b'\n 'c']", ("a", "b", "c")),
    "bytes": (b'["caf\xc3\xa9"]', ("caf\u00e9",)),
}


@pytest.mark.parametrize("kind", TEST_LISTS)
def test_test_lists_are_read_in_every_form(kind: str) -> None:
    value, expected = TEST_LISTS[kind]
    assert read_tests(_row(value), "field") == expected


@pytest.mark.parametrize(
    "value", [3, "a::b", "[a, b]", "['a'", '{"a": 1}', [1], ["a", None], True, "['\n']"]
)
def test_what_is_no_list_of_tests_is_refused(value: object) -> None:
    with pytest.raises(RowRefused, match="expected a list of test names") as caught:
        read_tests(_row(value), "field")
    assert caught.value.reason == "wrong_type"


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=6))
def test_a_printed_list_gives_back_its_strings(tests: list[str]) -> None:
    assert read_tests(_row(repr(tests)), "field") == tuple(tests)


INSTANTS = {
    "2024-03-04T20:18:38Z": "2024-03-04T20:18:38Z",
    "2024-03-04T20:18:38+02:00": "2024-03-04T18:18:38Z",
    "2024-03-04T20:18:38.999999": "2024-03-04T20:18:38Z",
    "2024-03-04 20:18:38": "2024-03-04T20:18:38Z",
    "2024-03-04 20:18:38 UTC": "2024-03-04T20:18:38Z",
    "2024-03-04": "2024-03-04T00:00:00Z",
    "Mon Mar 4 20:18:38 2024 +0200": "2024-03-04T18:18:38Z",
    "Mon, 04 Mar 2024 20:18:38 +0000": "2024-03-04T20:18:38Z",
    "1709583518": "2024-03-04T20:18:38Z",
    1709583518: "2024-03-04T20:18:38Z",
    1709583518000: "2024-03-04T20:18:38Z",
    1709583518000000000: "2024-03-04T20:18:38Z",
    1709583518.7: "2024-03-04T20:18:38Z",
    datetime(2024, 3, 4, 20, 18, 38, tzinfo=UTC): "2024-03-04T20:18:38Z",
    datetime(2024, 3, 4, 20, 18, 38): "2024-03-04T20:18:38Z",  # noqa: DTZ001
    date(2024, 3, 4): "2024-03-04T00:00:00Z",
    None: "",
    "": "",
    float("nan"): "",
}


@pytest.mark.parametrize("value", INSTANTS)
def test_points_in_time_are_read_in_every_form(value: object) -> None:
    assert read_instant(_row(value), "field") == INSTANTS[value]


@pytest.mark.parametrize(
    "value",
    ["yesterday", True, [], "0001-01-01T00:00:00+14:00", "9" * 19, 1e300, -(10**20), "١٢٣٤٥٦٧٨٩"],
)  # fmt: skip
def test_what_is_no_point_in_time_is_refused(value: object) -> None:
    with pytest.raises(RowRefused, match="expected a date and time"):
        read_instant(_row(value), "field")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_timestamp_column_is_read(
    tmp_path: Path, unit: Literal["s", "ms", "us", "ns"]
) -> None:
    rows = [issue_row(1, created_at=datetime(2024, 3, 4, 20, 18, 38, tzinfo=UTC))]
    table = pa.Table.from_pylist(rows)
    position = table.schema.get_field_index("created_at")
    column = table["created_at"].cast(pa.timestamp(unit, tz="UTC"))
    path = tmp_path / "fixes.parquet"
    pq.write_table(table.set_column(position, "created_at", column), path)
    assert read_all(path)[0][0].created_at == "2024-03-04T20:18:38Z"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1_709_583_518_000_000_123, "2024-03-04T20:18:38Z"), (2**62, None), (None, "")],
)
def test_a_timestamp_is_read_to_the_nanosecond_in_any_zone(
    tmp_path: Path, value: int | None, expected: str | None
) -> None:
    """A zone that nobody knows is none of our business: the number is in UTC."""
    table = pa.Table.from_pylist([issue_row(1)])
    column = pa.array([value], pa.int64()).cast(pa.timestamp("ns", tz="No/Where"))
    position = table.schema.get_field_index("created_at")
    path = tmp_path / "fixes.parquet"
    pq.write_table(table.set_column(position, "created_at", column), path)
    instances, bad = read_all(path)
    assert (
        [each.created_at for each in instances] == []
        if expected is None
        else [expected]
    )
    assert len(bad) == (expected is None)


REPOSITORIES = {
    "psf/black": "psf__black",
    "cool-RR/PySnooper": "cool-RR__PySnooper",
    "https://github.com/psf/black": "psf__black",
    "https://github.com/psf/black.git": "psf__black",
    "https://www.github.com/psf/black/": "psf__black",
    "git@github.com:psf/black.git": "psf__black",
    "ssh://git@github.com/psf/black.git": "psf__black",
    "o/_private": "o___private",
    "o/a__b": "o__a__b",
}


@pytest.mark.parametrize("text", REPOSITORIES)
def test_repositories_are_read_as_names_and_urls(text: str) -> None:
    key = repository_key(text)
    assert key == REPOSITORIES[text]
    assert "/".join(owner_and_name(key)) in text


@pytest.mark.parametrize(
    "text",
    ["", "a", "a/b/c", "../../x", "a/..", "a/.", "../b", "a/b\0", "a\n/b", "a\\b/c",
     "a/b c", "https://gitlab.com/a/b", "/a/b", "a/", "a__b/c", "a_/b", "-a/b",
     "a/\u202eb", "o/" + "x" * 101, "file:///etc/passwd", "caf\u00e9/b"],
)  # fmt: skip
def test_hostile_repository_names_are_refused(text: str) -> None:
    with pytest.raises(RowRefused) as caught:
        repository_key(text)
    assert caught.value.reason == "bad_identifier"
    assert caught.value.detail.isprintable()


def test_a_repository_is_one_in_any_case() -> None:
    assert repository_identity("Psf__Black") == repository_identity("psf__black")


@pytest.mark.parametrize(
    "text",
    ["", ".", "..", "../../x", "a/b", "a\0b", "a\nb", "-rf", ".hidden", "a b", "x" * 201,
     "a\\b", "a:b", "caf\u00e9", "a\u2028"],
)  # fmt: skip
def test_hostile_instance_ids_are_refused(text: str) -> None:
    with pytest.raises(RowRefused) as caught:
        checked_id(text)
    assert caught.value.reason == "bad_identifier"
    assert caught.value.detail.isprintable()


@pytest.mark.parametrize(
    "text", ["django__django-1", "oauthlib__oauthlib.1fd52536.lm_rewrite__q9", "a@b+c"]
)
def test_published_instance_ids_are_taken(text: str) -> None:
    assert checked_id(text) == text


LICENCES = {
    "MIT License": "MIT",
    "mit": "MIT",
    "The MIT License": "MIT",
    "apache-2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "BSD-3": "BSD-3-Clause",
    'BSD 3-Clause "New" or "Revised" License': "BSD-3-Clause",
    "BSD 2-Clause Simplified License": "BSD-2-Clause",
    "GPLv3+": "GPL-3.0-or-later",
    "GNU General Public License v3.0": "GPL-3.0-only",
    "MPL 2.0": "MPL-2.0",
    "ISC License (ISCL)": "ISC",
    "The Unlicense": "Unlicense",
    "BSD": "",
    "NOASSERTION": "",
    "Other": "",
    "": "",
    "MIT\0": "MIT",
    "x" * 1_000_000: "",
}


@pytest.mark.parametrize("name", LICENCES, ids=lambda name: name[:20])
def test_licences_are_spelt_as_spdx_spells_them(name: str) -> None:
    assert spdx_identifier(name) == LICENCES[name]


def test_the_digest_of_a_fix_knows_neither_id_nor_source_nor_case() -> None:
    def fix(**more: str) -> str:
        return instance_digest(
            FixInstance(
                **{
                    "instance_id": "a",
                    "source": "s",
                    "repository": "o__r",
                    "origin": "git",
                    "base_commit": "1" * 40,
                    "patch": "p",
                    **more,
                }  # type: ignore[arg-type]
            )
        )

    assert fix() == fix(instance_id="b", source="t", repository="O__R", licence="MIT")
    assert (
        len({fix(), fix(patch="q"), fix(base_commit="2" * 40), fix(patch_makes="bug")})
        == 4
    )
