"""Rows come back as they were written, or the reader is told what to do."""

import dataclasses
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import StoreError
from envplatform.store import Store, record_of
from envplatform.store.values import decode, digest_rows, encode
from envplatform.swe.candidate import BugCandidate, Verdict
from tests.store.rows import ORIGIN, Finding, Number, Span, Versioned, finding

ANY_TEXT = st.text(st.characters(exclude_categories=()))
SPANS = st.builds(
    Span,
    first=st.integers(-(2**63), 2**63 - 1),
    last=st.none() | st.integers(0, 9),
)
FINDINGS = st.builds(
    Finding,
    name=ANY_TEXT,
    count=st.integers(-(2**63), 2**63 - 1),
    share=st.floats(allow_nan=False),
    good=st.booleans(),
    kind=st.sampled_from(["syntax", "logic"]),
    model=st.none() | ANY_TEXT,
    tests=st.lists(ANY_TEXT, max_size=3).map(tuple),
    spans=st.lists(SPANS, max_size=3).map(tuple),
    span=SPANS,
    seconds=st.floats(0, 9),
)


@given(rows=st.lists(FINDINGS, max_size=4))
def test_rows_survive_parquet_whatever_their_text_holds(
    rows: list[Finding], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Lone surrogates, NUL and our own escape character included."""
    store = Store(tmp_path_factory.mktemp("home"))
    manifest = store.write_rows("findings", rows, row_type=Finding, origin=ORIGIN)
    assert store.rows(Finding, "findings") == rows
    assert manifest.rows == len(rows)
    record = record_of(Finding)
    plain = [encode(row, record, "row") for row in rows]
    assert manifest.digest == digest_rows(plain, record)
    assert [decode(each, record, "row") for each in plain] == rows


def test_a_digest_ignores_what_is_no_identity_and_nothing_else(store: Store) -> None:
    def digest(*rows: Finding) -> str:
        return store.write_rows("a", rows, row_type=Finding, origin=ORIGIN).digest

    assert digest(finding(seconds=1.0)) == digest(finding(seconds=2.0))
    first = finding()
    for field in dataclasses.fields(Finding):
        if field.name != "seconds":
            changes = {field.name: _changed(first, field.name)}
            assert digest(first) != digest(dataclasses.replace(first, **changes)), (
                changes
            )
    second = finding("y")
    assert digest(first, second) != digest(second, first)


def _changed(row: Finding, name: str) -> Any:  # noqa: ANN401  one value of any field
    match getattr(row, name):
        case bool() as value:
            return not value
        case int() | float() as value:
            return value + 1
        case "logic" | None:
            return "syntax"
        case str() as value:
            return value + "!"
        case tuple() as value:
            return value[:1]
        case value:
            return dataclasses.replace(value, first=9)


def test_the_rows_of_the_swe_pillar_can_be_stored() -> None:
    assert record_of(BugCandidate).name == "BugCandidate"
    assert record_of(Verdict).name == "Verdict"


def test_partitions_are_separate_whatever_their_names(store: Store) -> None:
    names = [
        None, "@", "", ".", "..", "a/b", "a%2Fb", "../../x", "\ud800", "ä", "A" * 400,
        "A" * 401, "con", "a=b", "~", "%", "%7E", "x y\n",
    ]  # fmt: skip
    for number, name in enumerate(names):
        row = Number(value=number)
        store.write_rows("a/b", [row], row_type=Number, origin=ORIGIN, partition=name)
    for number, name in enumerate(names):
        assert store.rows(Number, "a/b", name) == [Number(value=number)]
    assert {each.partition for each in store.manifests("a/b")} == set(names)
    below = [path for path in (store.home / "tables").rglob("*") if path.is_dir()]
    assert len(below) == 1 + len(names)
    assert len(store.all_rows(Number, "a/b")) == len(names)


def test_a_manifest_keeps_all_it_was_told(store: Store) -> None:
    written = store.write_rows("a", [finding()], row_type=Finding, origin=ORIGIN)
    read = store.manifest("a")
    assert read == written
    assert read is not None
    assert read.recipe == ORIGIN.recipe
    assert read.cost == ORIGIN.cost
    assert read.created == ORIGIN.created
    assert (read.run_id, read.notes) == (ORIGIN.run_id, ORIGIN.notes)
    assert (read.facts, read.markdown) == (ORIGIN.facts, ORIGIN.markdown)
    assert (read.row_type, read.schema_version) == ("Finding", 1)


BAD_VALUES = [
    ("count", "3", "int"),
    ("count", True, "int"),
    ("count", 2**63, "int"),
    ("share", "1", "float"),
    ("good", 1, "bool"),
    ("kind", "style", "one of"),
    ("model", 3, "str"),
    ("tests", ["a"], "tuple"),
    ("tests", ("a", None), "str"),
    ("span", None, "Span"),
]


@pytest.mark.parametrize(("name", "value", "wanted"), BAD_VALUES)
def test_a_value_of_the_wrong_kind_names_row_and_field(
    store: Store, name: str, value: object, wanted: str
) -> None:
    good = finding()
    change: dict[str, Any] = {name: value}
    bad = dataclasses.replace(good, **change)
    with pytest.raises(StoreError, match=rf"a\[p\], row 1, field {name}.*{wanted}"):
        store.write_rows(
            "a", [good, bad], row_type=Finding, origin=ORIGIN, partition="p"
        )
    assert store.manifest("a", "p") is None


def test_a_row_of_another_type_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="row 0 is a Number, not a Finding"):
        store.write_rows("a", [Number(value=1)], row_type=Finding, origin=ORIGIN)


@dataclass
class Mutable:
    """Not frozen."""

    value: int


@dataclass(frozen=True)
class Loose:
    """Holds what tables don't take."""

    values: dict[str, int]


@dataclass(frozen=True)
class Mixed:
    """A union of two."""

    value: int | str


@dataclass(frozen=True)
class Pair:
    """A tuple of fixed length."""

    value: tuple[int, int]


@pytest.mark.parametrize("row_type", [Mutable, Loose, Mixed, Pair, int])
def test_a_type_that_is_no_row_type_is_refused(
    store: Store, row_type: type[Any]
) -> None:
    with pytest.raises(StoreError, match=row_type.__name__):
        store.write_rows("a", [], row_type=row_type, origin=ORIGIN)


def declared(*fields: Any, name: str = "Number") -> type[Any]:  # noqa: ANN401  what make_dataclass takes
    """A later declaration of `Number`."""
    return make_dataclass(name, fields, frozen=True, kw_only=True)


def test_columns_added_with_a_default_read_fine(store: Store) -> None:
    store.write_rows("a", [Number(value=1)], row_type=Number, origin=ORIGIN)
    later = declared(("value", int), ("note", str, "none"), ("span", Span | None, None))
    assert store.rows(later, "a") == [later(value=1, note="none", span=None)]


def test_nested_columns_added_with_a_default_read_fine(store: Store) -> None:
    inner = declared(("first", int), name="Inner")
    outer = declared(("inner", inner), name="Outer")
    store.write_rows("a", [outer(inner=inner(first=1))], row_type=outer, origin=ORIGIN)
    later = declared(("first", int), ("last", int, 9), name="Inner")
    row_type = declared(("inner", later), name="Outer")
    assert store.rows(row_type, "a") == [row_type(inner=later(first=1, last=9))]


CHANGES = [
    (declared(("value", int), ("more", int)), "more has no default"),
    (declared(), "value is no field"),
    (declared(("value", str)), "holds int64, declared string"),
    (declared(("value", tuple[int, ...])), "holds int64"),
    (declared(("value", Span)), "holds int64"),
    (declared(("value", int), name="Count"), "holds Number rows"),
]


@pytest.mark.parametrize(("row_type", "why"), CHANGES)
def test_any_other_change_says_to_migrate(
    store: Store, row_type: type[Any], why: str
) -> None:
    store.write_rows("a", [Number(value=1)], row_type=Number, origin=ORIGIN)
    with pytest.raises(StoreError, match=rf"(?s){why}.*migrate"):
        store.rows(row_type, "a")


def test_another_schema_version_says_to_migrate(store: Store) -> None:
    store.write_rows("a", [Versioned(value=1)], row_type=Versioned, origin=ORIGIN)
    assert store.rows(Versioned, "a") == [Versioned(value=1)]
    later: type[Any] = make_dataclass(
        "Versioned",
        [("value", int)],
        namespace={
            "SCHEMA_VERSION": 3,
            "__annotations__": {"SCHEMA_VERSION": ClassVar[int]},
        },
        frozen=True,
    )
    with pytest.raises(StoreError, match=r"schema version 2.*version 3; migrate"):
        store.rows(later, "a")


def test_nothing_stored_says_to_materialise(store: Store, tmp_path: Path) -> None:
    with pytest.raises(
        StoreError, match="nothing stored for partition 'p' of asset 'a'"
    ):
        store.rows(Number, "a", "p")
    with pytest.raises(StoreError, match="nothing stored for asset 'a'"):
        store.rows(Number, "a")
    assert store.all_rows(Number, "a") == []
    assert store.manifests("a") == ()
    assert list(tmp_path.iterdir()) == []


def test_a_version_that_was_replaced_is_not_mistaken_for_the_new_one(
    store: Store,
) -> None:
    old = store.write_rows("a", [Number(value=1)], row_type=Number, origin=ORIGIN)
    assert store.rows(Number, "a", digest=old.digest) == [Number(value=1)]
    store.write_rows("a", [Number(value=2)], row_type=Number, origin=ORIGIN)
    with pytest.raises(StoreError, match="changed while"):
        store.rows(Number, "a", digest=old.digest)
