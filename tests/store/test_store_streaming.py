"""Tables larger than memory: written as they come, read in part."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyarrow.parquet as pq
import pytest

from envplatform.errors import StoreError
from envplatform.store import Manifest, Origin, Store
from tests.store.rows import ORIGIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A nested value."""

    a: int
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """A row with a text that may be large."""

    SCHEMA_VERSION: ClassVar[int] = 3

    key: str
    text: str
    inner: Inner


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """Some fields of `Long`."""

    VIEW_OF: ClassVar[type] = Long

    inner: Inner
    key: str


def long(key: str, size: int = 10) -> Long:
    return Long(key=key, text="x" * size, inner=Inner(a=1, b="y"))


def groups(store: Store, asset: str) -> int:
    manifest = store.manifest(asset)
    assert manifest is not None
    path = store.home / "tables" / asset
    (file,) = path.rglob("*.parquet")
    return pq.ParquetFile(file).num_row_groups


def test_a_generator_is_written_in_portions_and_read_back(store: Store) -> None:
    alive: list[int] = []

    def rows() -> Iterator[Long]:
        for number in range(40):
            alive.append(number)
            yield long(f"{number:03}", 1_000_000)

    manifest = store.write_rows("a", rows(), row_type=Long, origin=ORIGIN)
    assert manifest.rows == len(alive) == 40
    assert groups(store, "a") > 1
    assert [row.key for row in store.scan(Long, "a")] == [f"{n:03}" for n in range(40)]


def test_the_digest_does_not_depend_on_portions(store: Store) -> None:
    rows = [long(str(number), 900_000) for number in range(40)]
    first = store.write_rows("a", rows, row_type=Long, origin=ORIGIN)
    small = [long(str(number), 900_000) for number in range(40)]
    second = store.write_rows("b", iter(small), row_type=Long, origin=ORIGIN)
    assert first.digest == second.digest


def test_the_origin_may_be_told_after_the_last_row(store: Store) -> None:
    seen: list[str] = []

    def rows() -> Iterator[Long]:
        for key in ("a", "b"):
            seen.append(key)
            yield long(key)

    def origin() -> Origin:
        return Origin(created=ORIGIN.created, facts={"seen": len(seen)})

    manifest = store.write_rows("a", rows(), row_type=Long, origin=origin)
    assert manifest.facts == {"seen": 2}


def test_a_generator_that_breaks_off_leaves_the_old_version(store: Store) -> None:
    old = store.write_rows("a", [long("old")], row_type=Long, origin=ORIGIN)

    def rows() -> Iterator[Long]:
        yield long("new", 20_000_000)
        msg = "broken"
        raise RuntimeError(msg)

    with pytest.raises(RuntimeError, match="broken"):
        store.write_rows("a", rows(), row_type=Long, origin=ORIGIN)
    assert store.manifest("a") == old
    assert [row.key for row in store.rows(Long, "a")] == ["old"]
    assert store.sweep_orphans() == ()


def test_a_view_reads_its_own_columns_only(store: Store) -> None:
    store.write_rows("a", [long("k")], row_type=Long, origin=ORIGIN)
    assert store.rows(Short, "a") == [Short(key="k", inner=Inner(a=1, b="y"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Misspelt:
    """A view whose slip has a default."""

    VIEW_OF: ClassVar[type] = Long

    kay: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shorter:
    """A view of a view."""

    VIEW_OF: ClassVar[type] = Short

    key: str


@pytest.mark.parametrize(
    ("view", "message"),
    [(Misspelt, "Misspelt.kay: Long has no such field"), (Shorter, "itself a view")],
)
def test_a_view_that_would_read_nothing_is_refused(
    store: Store, view: type, message: str
) -> None:
    store.write_rows("a", [long("k")], row_type=Long, origin=ORIGIN)
    with pytest.raises(StoreError, match=message):
        store.rows(view, "a")


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerShort:
    """Some fields of `Inner`."""

    VIEW_OF: ClassVar[type] = Inner

    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """A view whose nested value is a view too."""

    VIEW_OF: ClassVar[type] = Long

    inner: InnerShort


def test_a_view_may_name_some_fields_of_a_nested_value(store: Store) -> None:
    store.write_rows("a", [long("k")], row_type=Long, origin=ORIGIN)
    assert store.rows(Nested, "a") == [Nested(inner=InnerShort(b="y"))]


def test_health_does_not_wait_for_a_writer_under_way(store: Store) -> None:
    store.write_rows("a", [long("old")], row_type=Long, origin=ORIGIN)

    def rows() -> Iterator[Long]:
        assert store.verify() == ()
        yield long("new")

    store.write_rows("a", rows(), row_type=Long, origin=ORIGIN)


def test_a_view_of_another_row_type_is_refused(store: Store) -> None:
    store.write_rows("a", [Inner(a=1, b="")], row_type=Inner, origin=ORIGIN)
    with pytest.raises(StoreError, match=r"holds Inner rows .* asked for Long"):
        store.rows(Short, "a")


def test_a_view_is_never_written(store: Store) -> None:
    row = Short(key="k", inner=Inner(a=1, b=""))
    with pytest.raises(StoreError, match="Short is a view of Long"):
        store.write_rows("a", [row], row_type=Short, origin=ORIGIN)


def test_a_part_is_found_across_row_groups(store: Store) -> None:
    keys = ["a", "a", "b", "\udc80", "c"]
    rows = [long(key, 9_000_000) for key in keys]
    store.write_rows("a", rows, row_type=Long, origin=ORIGIN, part_by="key")
    assert groups(store, "a") > 1
    for key in (*dict.fromkeys(keys), "nowhere"):
        found = list(store.scan(Short, "a", part=key))
        assert [row.key for row in found] == [k for k in keys if k == key]


def test_a_part_keeps_its_digest_while_others_change(store: Store) -> None:
    def write(*rows: Long) -> Manifest:
        return store.write_rows("a", rows, row_type=Long, origin=ORIGIN, part_by="key")

    old = write(long("a", 1), long("b", 1))
    new = write(long("a", 1), long("b", 2))
    assert old.digest != new.digest
    assert old.part_as_input("a") == new.part_as_input("a")
    assert old.part_as_input("b") != new.part_as_input("b")
    assert new.part_as_input("c") is None
    digest = new.parts["b"]
    (row,) = store.scan(Long, "a", part="b", digest=digest)
    assert row == long("b", 2)
    with pytest.raises(StoreError, match="changed while it was being read"):
        next(store.scan(Long, "a", part="b", digest=old.parts["b"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyText:
    """A view without the column that the parts go by."""

    VIEW_OF: ClassVar[type] = Long

    text: str


def test_a_view_reads_a_part_whose_column_it_lacks(store: Store) -> None:
    rows = [long("a", 1), long("b", 2)]
    store.write_rows("a", rows, row_type=Long, origin=ORIGIN, part_by="key")
    assert list(store.scan(OnlyText, "a", part="b")) == [OnlyText(text="xx")]


@pytest.mark.parametrize("column", ["inner", "nothing"])
def test_parts_go_by_a_text_field_only(store: Store, column: str) -> None:
    with pytest.raises(StoreError, match=f"part_by: '{column}' is no text field of Lo"):
        store.write_rows("a", [long("a")], row_type=Long, origin=ORIGIN, part_by=column)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """A row whose nested value and own fields were added to."""

    key: str
    inner: Inner
    added: str = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """The same before."""

    key: str
    inner: Inner


Once.__name__ = "Grown"  # as a file of the earlier release names it


def test_rows_in_parts_take_defaults_of_fields_added_since(store: Store) -> None:
    rows = [Once(key=key, inner=Inner(a=1, b="y")) for key in "ab"]
    old = store.write_rows("a", rows, row_type=Once, origin=ORIGIN, part_by="key")
    (row,) = store.scan(Grown, "a", part="b", digest=old.parts["b"])
    assert row == Grown(key="b", inner=Inner(a=1, b="y"), added="new")


def test_a_manifest_from_before_parts_is_read(store: Store) -> None:
    new = store.write_rows("a", [long("k")], row_type=Long, origin=ORIGIN)
    (path,) = store.home.rglob("manifest.json")
    known = json.loads(path.read_text())
    assert known.pop("part_by") == ""
    assert known.pop("parts") == {}
    for each in known["recipe"]["inputs"]:
        each.pop("part")
    path.write_text(json.dumps(known))
    assert store.manifest("a") == new
    assert new.recipe.digest == ORIGIN.recipe.digest


def test_a_table_without_parts_says_so(store: Store) -> None:
    store.write_rows("a", [long("k")], row_type=Long, origin=ORIGIN)
    with pytest.raises(StoreError, match="not divided into parts"):
        next(store.scan(Long, "a", part="k"))


def test_a_scan_outlives_a_newer_version(store: Store) -> None:
    store.write_rows("a", [long("1"), long("2")], row_type=Long, origin=ORIGIN)
    scan = store.scan(Long, "a")
    assert next(scan).key == "1"
    store.write_rows("a", [long("3")], row_type=Long, origin=ORIGIN)
    assert [row.key for row in scan] == ["2"]
