"""What is drawn: orders of the library, what came back of them, how figures are made."""

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from envplatform.cowork.library import Library, Pointer, Table, TableRow, draw_rows

ORDERS, PRODUCTS = "builtin/orders.csv", "builtin/products.csv"
COMPANIES, PEOPLE = "builtin/companies.csv", "builtin/people.csv"
_REFERRED = (
    (PRODUCTS, "product_id"),
    (COMPANIES, "company_id"),
    (PEOPLE, "person_id"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    begins: Literal["January", "February", "April"]
    """Of the financial year."""
    counts_by: Literal["ordered", "paid"]
    """Which day decides in which month an order counts."""
    discount: Literal["net", "gross", "capped"]
    returns: Literal["deducted", "timely", "whole"]
    left_out: Literal["companies", "small", "category"]
    rounding: Literal["half_up", "down", "at_the_end"]
    rows: Literal["category", "city", "department"]
    columns: Literal["months", "measures"]
    footer: Literal["none", "total"]
    sort: Literal["name", "size"]
    unit: Literal["cents", "euros"]
    top: Literal["company", "product", "name"]
    top_by: Literal["sales", "units"]
    statement: Literal["text", "json"]
    extra: Literal["none", "left_out", "unpaid"]
    data: Literal["store", "csv"]
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """What came back of an order."""

    order: str
    day: str
    quantity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sales:
    """All that this one is about."""

    facets: Facets
    quarter: int
    """From 1, of the financial year."""
    months: tuple[str, ...]
    """Of the quarter, `2025-05`."""
    length: int
    """Of the top list."""
    days: int
    """Within which a return is timely."""
    least: int
    """Units below which an order is small."""
    internal: tuple[str, ...]
    """Names of companies that belong to the house."""
    category: str
    """That another house reports."""
    tables: tuple[tuple[Table, tuple[TableRow, ...]], ...]
    """Orders first, then what they refer to."""
    returned: tuple[Return, ...]

    @property
    def pointers(self) -> tuple[Pointer, ...]:
        """Return where all rows come from."""
        return tuple(
            table.pointer(row.number) for table, rows in self.tables for row in rows
        )


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        begins=chance.choice(("January", "February", "April")),
        counts_by=chance.choice(("ordered", "paid")),
        discount=chance.choice(("net", "gross", "capped")),
        returns=chance.choice(("deducted", "timely", "whole")),
        left_out=chance.choice(("companies", "small", "category")),
        rounding=chance.choice(("half_up", "down", "at_the_end")),
        rows=chance.choice(("category", "city", "department")),
        columns=chance.choice(("months", "measures")),
        footer=chance.choice(("none", "total")),
        sort=chance.choice(("name", "size")),
        unit=chance.choice(("cents", "euros")),
        top=chance.choice(("company", "product", "name")),
        top_by=chance.choice(("sales", "units")),
        statement=chance.choice(("text", "json")),
        extra=chance.choice(("none", "left_out", "unpaid")),
        data=chance.choice(("store", "csv")),
        place=chance.choice(("sales", "erp/sales", "exports", "books/orders")),
    )


def draw_sales(chance: random.Random, library: Library) -> Sales:
    """Draw orders around a quarter, and definitions of which each decides something.

    Raises:
        LibraryError: the library has not the tables that ship with the package.
    """
    facets = draw_facets(chance)
    quarter = chance.choice((2, 3) if facets.begins == "January" else (1, 2))
    begin = {"January": 1, "February": 2, "April": 4}[facets.begins]
    month = begin + 3 * (quarter - 1)
    months = tuple(f"2025-{month + n:02}" for n in range(3))
    orders = library.table(ORDERS)
    rows = _drawn(chance, orders, date(2025, month, 1))
    referred = tuple(
        (library.table(name), _referred(library.table(name), key, orders, rows))
        for name, key in _REFERRED
    )
    inside = [
        one for one in rows if (orders.value(one, facets.counts_by) or "")[:7] in months
    ]
    companies = sorted({orders.value(one, "company_id") or "" for one in inside})
    products, sold = referred[0][0], orders.value(chance.choice(inside), "product_id")
    return Sales(
        facets=facets,
        quarter=quarter,
        months=months,
        length=chance.choice((5, 6, 8)),
        days=chance.choice((14, 21, 30)),
        least=sorted(int(orders.value(one, "quantity") or 0) for one in inside)[3] + 1,
        internal=tuple(
            sorted(
                _value(referred[1][0], "company_id", one, "company")
                for one in chance.sample(companies, 3)
            )
        ),
        category=_value(products, "product_id", sold or "", "category"),
        tables=((orders, rows), *referred),
        returned=_returns(chance, orders, inside),
    )


def _drawn(chance: random.Random, orders: Table, first: date) -> tuple[TableRow, ...]:
    """Return orders of the quarter, and of the weeks before and after."""

    def near(start: int, end: int, count: int) -> tuple[TableRow, ...]:
        since, until = first + timedelta(days=start), first + timedelta(days=end)
        return draw_rows(
            orders,
            chance,
            count,
            lambda row: (
                since.isoformat()
                <= (orders.value(row, "ordered") or "")
                < until.isoformat()
            ),
        )

    found = (*near(-40, 0, 12), *near(0, 89, 40), *near(93, 115, 8))
    return tuple(sorted(found, key=lambda row: row.number))


def _referred(
    table: Table, key: str, orders: Table, rows: tuple[TableRow, ...]
) -> tuple[TableRow, ...]:
    wanted = {orders.value(row, key) for row in rows}
    return tuple(row for row in table.numbered() if table.value(row, key) in wanted)


def _value(table: Table, key: str, value: str, column: str) -> str:
    found = next(row for row in table.numbered() if table.value(row, key) == value)
    return table.value(found, column) or ""


def _returns(
    chance: random.Random, orders: Table, rows: list[TableRow]
) -> tuple[Return, ...]:
    """Return some that come back soon, and some that come back late."""
    found = []
    for number, row in enumerate(chance.sample(rows, 11)):
        ordered = date.fromisoformat(orders.value(row, "ordered") or "")
        after = chance.randint(3, 13) if number < 8 else chance.randint(35, 70)
        quantity = int(orders.value(row, "quantity") or 0)
        found.append(
            Return(
                order=orders.value(row, "order_id") or "",
                day=(ordered + timedelta(days=after)).isoformat(),
                quantity=quantity if number == 0 else max(1, quantity // 3),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.day, one.order)))
