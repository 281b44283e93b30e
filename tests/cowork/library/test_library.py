"""Reading the library: tables, texts, draws and pointers."""

import random
from pathlib import Path

import pytest

from envplatform.cowork.library import Library, Pointer, Span, draw_rows
from envplatform.cowork.library.builtin import builtin_contents
from envplatform.cowork.library.specification import Limits
from envplatform.errors import LibraryError, StoreError
from envplatform.store import Store
from tests.cowork.library.made_source import collected

FILES = {
    "sales.csv": b"region,total\nnorth,10\nsouth,\nnorth,5\n",
    "policy.md": b"# Policy\r\n\r\nRefunds within 30 days.\r\n",
    "lib/x.py": b"x = 1\n",
}


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  material, no secrets


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Three files of a folder, kept in a store."""
    found, store = collected(tmp_path, FILES, limits=Limits())
    return Library.of(found.rows, store)


def test_resources_are_listed_by_what_is_asked(library: Library) -> None:
    ids = [row.resource_id for row in library.rows]
    assert ids == ["made/lib/x.py", "made/policy.md", "made/sales.csv"]
    assert [row.path for row in library.find(kind="code")] == ["lib/x.py"]
    assert [row.path for row in library.find(columns=("total",))] == ["sales.csv"]
    assert library.find(columns=("total", "tax")) == ()
    assert library.find(licences=frozenset({"Apache-2.0"})) == ()
    assert len(library.find(source="made", licences=frozenset({"MIT"}))) == 3
    assert [row.path for row in library.find(min_rows=3)] == ["policy.md", "sales.csv"]
    assert library.sources == ("made",)


def test_a_table_has_rows_of_text_or_none(library: Library) -> None:
    table = library.table("made/sales.csv")
    assert table.header == ("region", "total")
    assert table.rows == (("north", "10"), ("south", None), ("north", "5"))
    assert [column.type for column in table.columns] == ["text", "int"]
    assert library.table("made/sales.csv") is table


def test_pointers_give_back_what_they_point_at(library: Library) -> None:
    table = library.table("made/sales.csv")
    assert table.pointer(0, "total").resolve(library) == "10"
    assert table.pointer(1, "total").resolve(library) is None
    assert table.pointer(2).resolve(library) == ("north", "5")
    text = library.text("made/policy.md")
    start = text.index("30 days")
    pointer = library.pointer("made/policy.md", start, start + 7)
    assert pointer.resolve(library) == "30 days"
    assert pointer.path == "policy.md"
    whole = Pointer(resource_id="made/policy.md", path="policy.md")
    assert whole.resolve(library) == "# Policy\n\nRefunds within 30 days.\n"


@pytest.mark.parametrize(
    ("pointer", "part"),
    [
        (Pointer(resource_id="made/sales.csv", path="", row=3), "has no row 3"),
        (Pointer(resource_id="made/sales.csv", path="", row=-1), "has no row -1"),
        (
            Pointer(resource_id="made/sales.csv", path="", row=0, column="tax"),
            "no column 'tax'; it has region, total",
        ),
        (
            Pointer(resource_id="made/lib/x.py", path="", span=Span(start=2, end=7)),
            "has 6 characters",
        ),
        (Pointer(resource_id="made/gone", path=""), "no resource 'made/gone'"),
        (Pointer(resource_id="made/lib/x.py", path="", row=0), "is no table but code"),
    ],
)
def test_a_pointer_that_leads_nowhere(
    pointer: Pointer, part: str, library: Library
) -> None:
    with pytest.raises(LibraryError, match=part):
        pointer.resolve(library)


def test_rows_are_drawn_once_each_and_in_order(library: Library) -> None:
    table = library.table("made/sales.csv")
    north = draw_rows(
        table, chance(1), 2, lambda row: table.value(row, "region") == "north"
    )
    assert [row.number for row in north] == [0, 2]
    assert [table.pointer(row.number).resolve(library) for row in north] == [
        row.values for row in north
    ]
    with pytest.raises(LibraryError, match="has 3 such rows, not 4"):
        draw_rows(table, chance(1), 4)


def test_the_same_chance_draws_the_same_rows() -> None:
    table = Library.builtin().table("builtin/orders.csv")
    one, other, third = (draw_rows(table, chance(n), 20) for n in (1, 1, 2))
    assert one == other
    assert one != third
    assert len({row.number for row in one}) == 20


def test_the_number_of_a_thinned_row_in_its_file(tmp_path: Path) -> None:
    lines = "".join(f"{number}\n" for number in range(100))
    files = {"n.csv": f"n\n{lines}".encode()}
    found, store = collected(tmp_path, files, limits=Limits(rows=30))
    table = Library.of(found.rows, store).table("made/n.csv")
    assert [(str(table.row_in_file(n)),) for n in range(25)] == list(table.rows)


def test_what_ships_has_tables_that_refer_to_each_other() -> None:
    library = Library.builtin()
    assert {row.licence for row in library.rows} == {"Apache-2.0"}
    assert library.sources == ("builtin",)
    orders = library.table("builtin/orders.csv")
    for name, column in (
        ("companies", "company_id"),
        ("products", "product_id"),
        ("people", "person_id"),
    ):
        known = {row[0] for row in library.table(f"builtin/{name}.csv").rows}
        place = orders.index(column)
        assert {row[place] for row in orders.rows} <= known
    assert len(library.find(kind="document")) == 3
    types = {column.name: column.type for column in orders.columns}
    assert (types["ordered"], types["unit_price"], types["quantity"]) == (
        "date",
        "decimal",
        "int",
    )


def test_what_ships_never_moves_unseen() -> None:
    """Environments were drawn from it: another digest makes others of the same seed."""
    digests = {row.path: row.digest[:12] for row in builtin_contents()}
    assert digests == {
        "cities.csv": "50d37b56179a",
        "companies.csv": "842a45b7a32d",
        "orders.csv": "7b92e771fc57",
        "people.csv": "dcb506117c59",
        "policies/purchasing.md": "49e8aa6e76ba",
        "policies/returns.md": "2fa0536706d9",
        "policies/travel.md": "57d59de595a5",
        "products.csv": "08230b626714",
    }


def test_both_together(library: Library) -> None:
    both = library.with_builtin()
    assert both.sources == ("builtin", "made")
    assert both.text("made/lib/x.py") == "x = 1\n"
    assert both.table("builtin/cities.csv").rows[0][0] == "Aldersund"


def test_a_store_without_the_asset_has_no_library(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="resource_library"):
        Library.stored(Store(tmp_path))
