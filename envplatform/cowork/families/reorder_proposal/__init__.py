"""Reorder proposals, while stock is counted, orders fall through and terms change."""

from dataclasses import astuple

from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.reorder_proposal.drawing import draw_depot
from envplatform.cowork.families.reorder_proposal.papers import (
    instruction_of,
    letter_text,
    policy_text,
    sheet_text,
)
from envplatform.cowork.families.reorder_proposal.records import Depot
from envplatform.cowork.families.reorder_proposal.talking import (
    FOLDER,
    STORE,
    file_of,
    user_of,
)
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    told,
)
from envplatform.workspace import Fault

CRITERIA = ("selection", "quantities", "details", "extra")
STOCK = ("sku", "on_hand", "reserved", "counted_on")
ORDERS = ("order_no", "sku", "quantity", "expected", "status")
ARTICLES = (
    "sku",
    "name",
    "supplier",
    "class",
    "status",
    "pack_size",
    "minimum",
    "unit_cents",
)
TERMS = ("supplier", "lead_weeks", "lowest_order_cents")


def specify(brief: Brief) -> Specification:
    """Draw the rules and a depot in which each of them decides something."""
    depot = draw_depot(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, depot),
        parameters=depot.parameters(),
        criteria=CRITERIA,
        facets=told(depot.facets),
        drawn=depot,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay the depot out."""
    depot = specification.drawn_as(Depot)
    desk = Desk()
    desk.document(
        "policy",
        f"docs/{brief.pick('replenishment', 'reordering', 'stock_rules')}.md",
        policy_text(depot),
        about="How we reorder.",
        kind="schema",
    )
    desk.rows(
        "articles",
        "master/articles.csv",
        ARTICLES,
        [astuple(one) for one in depot.articles],
        about="Article list with packs, minimum quantities and prices per unit.",
    )
    desk.rows(
        "sales",
        "sales/weekly.csv",
        ("sku", *depot.weeks),
        [
            (one.sku, *weeks)
            for one, weeks in zip(depot.articles, depot.sales, strict=True)
        ],
        about="Units sold a week.",
    )
    _lay_stock(desk, depot)
    _lay_terms(desk, depot)
    return Build(
        desk=desk,
        user=user_of(brief, depot),
        operations=TALKING,
        transformable=("articles", "policy", "sales"),
    )


def _lay_stock(desk: Desk, depot: Depot) -> None:
    stock = [astuple(one) for one in depot.stocks]
    orders = [astuple(one) for one in depot.orders]
    if depot.facets.stock_in == "csv":
        desk.rows("stock", "exports/stock.csv", STOCK, stock, about="Stock, live.")
        desk.rows(
            "orders", "exports/open_orders.csv", ORDERS, orders, about="Orders, live."
        )
        return
    desk.store(
        "warehouse",
        STORE,
        {
            "stock": Sheet(
                columns={
                    "sku": "TEXT PRIMARY KEY",
                    "on_hand": "INTEGER NOT NULL",
                    "reserved": "INTEGER NOT NULL",
                    "counted_on": "TEXT NOT NULL",
                },
                rows=stock,
            ),
            "open_orders": Sheet(
                columns={
                    "order_no": "TEXT PRIMARY KEY",
                    "sku": "TEXT NOT NULL",
                    "quantity": "INTEGER NOT NULL",
                    "expected": "TEXT NOT NULL",
                    "status": "TEXT NOT NULL",
                },
                rows=orders,
            ),
        },
        about="Tables stock and open_orders, in units.",
    )


def _lay_terms(desk: Desk, depot: Depot) -> None:
    about = "Lead times and lowest order values."
    match depot.facets.terms_in:
        case "table":
            rows = [astuple(one) for one in depot.suppliers]
            desk.rows("terms", "master/terms.csv", TERMS, rows, about=about)
        case "letters":
            letters = {file_of(one): letter_text(depot, one) for one in depot.suppliers}
            desk.folder("terms", FOLDER, letters, about=about)
        case _:
            desk.document(
                "terms", "purchasing/terms.md", sheet_text(depot), about=about
            )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    columns = str(view.specification.facets["columns"])
    quantity = {"units": r"\d+(?=,\d+$)", "packs": r"\d+(?=,\d+$)"}
    extra = {
        "by_supplier": ("orders.json", r'"lines": \d+', '"lines": 99'),
        "not_ordered": ("not_ordered.csv", r"enough|phase_out", "later"),
        "urgent": ("urgent.json", r'"cost_cents": \d+', '"cost_cents": 1'),
    }[str(view.specification.facets["extra"])]
    table = "reorder.csv"
    return (
        _fault("selection", table, r"[A-Z]{2}-\d{4}", "XX-0000"),
        _fault(
            "quantities", table, quantity.get(columns, r"(?<=\d,)\d+(?=,\d+,2)"), "1"
        ),
        _fault("details", table, r"(?<=,)\d+(?=,2\d{3}-|$)", "7"),
        _fault("extra", *extra),
    )


def _fault(criterion: str, path: str, old: str, new: str) -> Fault:
    return Fault(criterion=criterion, where="workspace", path=path, old=old, new=new)


FAMILY = Family(
    name="reorder_proposal",
    title="Reorder proposals while stock, orders and terms change",
    scenario="procurement",
    capabilities=(
        "calculate",
        "cross_reference",
        "follow_policy",
        "recover_from_change",
    ),
    artefacts=("table", "record"),
    pattern="patches",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
