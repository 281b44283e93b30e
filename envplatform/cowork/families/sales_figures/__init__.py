"""Sales figures of a quarter out of orders, by definitions that two departments agreed."""

from dataclasses import asdict, astuple

from envplatform.cowork.desk import Cell, Desk, Sheet, csv_text
from envplatform.cowork.families.sales_figures.drawing import (
    Facets,
    Sales,
    draw_sales,
)
from envplatform.cowork.families.sales_figures.papers import (
    definitions_text,
    instruction_of,
)
from envplatform.cowork.family import (
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
    told,
)
from envplatform.workspace import Fault

_TYPES = {"quantity": "INTEGER NOT NULL"}
"""Of columns that are no text."""
_RETURNED = ("order_id", "returned", "quantity")


def specify(brief: Brief) -> Specification:
    """Draw orders and definitions."""
    sales = draw_sales(brief.chance, brief.library)
    facets = sales.facets
    licences = {table.resource.licence for table, _ in sales.tables}
    return Specification(
        instruction=instruction_of(brief, sales),
        parameters={
            "facets": dict(asdict(facets)),
            "quarter": sales.quarter,
            "months": list(sales.months),
            "length": sales.length,
            "days": sales.days,
            "least": sales.least,
            "internal": list(sales.internal),
            "category": sales.category,
        },
        criteria=criteria_of(facets),
        facets=told(facets),
        pointers=sales.pointers,
        licences=tuple(sorted(licences)),
        drawn=sales,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("pivot", "top", "statement", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay orders, what they refer to and the definitions out."""
    sales = specification.drawn_as(Sales)
    desk = Desk()
    desk.document(
        "definitions",
        f"docs/{brief.pick('definitions', 'sales_figures', 'controlling')}.md",
        definitions_text(sales),
        about="What sales are and when they count.",
        kind="schema",
    )
    tables = _tables(sales)
    names = ", ".join(tables)
    if sales.facets.data == "store":
        sheets = {
            name: Sheet(
                columns={one: _TYPES.get(one, "TEXT") for one in columns}, rows=rows
            )
            for name, (columns, rows) in tables.items()
        }
        desk.store("data", sales.facets.place, sheets, about=f"Tables {names}.")
    else:
        files = {f"{name}.csv": csv_text(*table) for name, table in tables.items()}
        desk.folder("data", sales.facets.place, files, about=f"Exports: {names}.")
    return Build(desk=desk, transformable=("definitions", "data"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    wanted = view.specification.instruction
    text = "statement.txt" in wanted
    edits = {
        "pivot": ("pivot.csv", r"[1-9]\d*(\.\d\d)?$", "7"),
        "top": ("top.csv", r"^2,", "9,"),
        "statement": ("statement.txt", r"^Orders: \d+", "Orders: 1")
        if text
        else ("statement.json", r'"orders": \d+', '"orders": 1'),
    }
    if "left_out.csv" in wanted:
        edits["extra"] = ("left_out.csv", r"\AO?\w+", "number")
    if "unpaid.csv" in wanted:
        edits["extra"] = ("unpaid.csv", r"^O\d+", "O99999")
    return faults_of(view, edits)


def _tables(sales: Sales) -> dict[str, tuple[tuple[str, ...], list[tuple[Cell, ...]]]]:
    """Return columns and rows by name."""
    found: dict[str, tuple[tuple[str, ...], list[tuple[Cell, ...]]]] = {}
    for table, rows in sales.tables:
        name = table.resource.path.removesuffix(".csv")
        columns = table.header
        is_number = [column in _TYPES for column in columns]
        found[name] = (
            columns,
            [
                tuple(
                    int(cell) if whole and cell else cell
                    for cell, whole in zip(row.values, is_number, strict=True)
                )
                for row in rows
            ],
        )
    found["returns"] = (_RETURNED, [astuple(one) for one in sales.returned])
    return found


FAMILY = Family(
    name="sales_figures",
    title="Sales figures of a quarter by agreed definitions",
    scenario="analysis",
    capabilities=("calculate", "transform", "cross_reference", "summarise"),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
