"""The user: what is booked while the agent works, when, and how it is told."""

from dataclasses import astuple

from envplatform.cowork.conversation import (
    all_of,
    changes,
    edit,
    has_fired,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import csv_text, insert_row
from envplatform.cowork.families.reorder_proposal.papers import lead_text, sheet_line
from envplatform.cowork.families.reorder_proposal.records import (
    Depot,
    OpenOrder,
    Stock,
    Supplier,
)
from envplatform.cowork.family import Brief
from envplatform.user.plan import Plan, Signal, WorkspaceChange
from envplatform.user.predicates import Predicate

STORE = "erp/warehouse"
FOLDER = "suppliers"


def file_of(one: Supplier) -> str:
    """Return the name of a supplier's letter."""
    return one.name.lower().replace(" ", "_") + ".txt"


def user_of(brief: Brief, depot: Depot) -> Plan:
    """Return a user that books something once it has been looked at."""
    facets = depot.facets
    edits = _edits(depot)
    message = _message(brief, depot)
    looked = _looked(depot)
    if facets.telling == "quiet":
        signals: tuple[Signal, ...] = (
            changes("booking", looked, *edits),
            tells("tell", all_of(has_fired("booking"), has_spoken()), message),
        )
    else:
        signals = (
            changes("booking", all_of(looked, has_spoken()), *edits, message=message),
        )
    return plan(
        brief,
        name=depot.clerk,
        goal="wants the proposal to rest on what is booked now",
        signals=signals,
    )


def _looked(depot: Depot) -> Predicate:
    """Whether what will change has been looked at."""
    facets = depot.facets
    if facets.event == "terms":
        return {
            "table": has_read("master/terms.csv"),
            "letters": has_read(f"{FOLDER}/{file_of(depot.suppliers[0])}"),
            "sheet": has_read("purchasing/terms.md"),
        }[facets.terms_in]
    if facets.stock_in == "store":
        return has_queried(STORE)
    file = "stock" if facets.event == "count" else "open_orders"
    return has_read(f"exports/{file}.csv")


def _edits(depot: Depot) -> list[WorkspaceChange]:
    facets = depot.facets
    if facets.event == "terms":
        return [_new_terms(depot, depot.suppliers[0], depot.suppliers_after[0])]
    if facets.event == "count":
        stocks = {one.sku: one for one in depot.stocks}
        moved = [(stocks[new.sku], new) for new in depot.stocks_after]
        return [_row(depot, "stock", old, new) for old, new in moved if old != new]
    pairs = zip(depot.orders, depot.orders_after, strict=True)
    return [_row(depot, "open_orders", old, new) for old, new in pairs if old != new]


def _row(
    depot: Depot, table: str, old: Stock | OpenOrder, new: Stock | OpenOrder
) -> WorkspaceChange:
    if depot.facets.stock_in == "store":
        lines = (insert_row(table, astuple(one)) for one in (old, new))
        return edit(f"{STORE}.sql", *lines)
    lines = (csv_text(astuple(one), ()).strip() for one in (old, new))
    return edit(f"exports/{table}.csv", *lines)


def _new_terms(depot: Depot, old: Supplier, new: Supplier) -> WorkspaceChange:
    match depot.facets.terms_in:
        case "table":
            lines = (csv_text(astuple(one), ()).strip() for one in (old, new))
            return edit("master/terms.csv", *lines)
        case "letters":
            times = (f"delivery time is {lead_text(one)} from" for one in (old, new))
            return edit(f"{FOLDER}/{file_of(old)}", *times)
        case _:
            return edit("purchasing/terms.md", sheet_line(old), sheet_line(new))


def _message(brief: Brief, depot: Depot) -> str:
    is_named = depot.facets.telling == "named"
    match depot.facets.event:
        case "count":
            old = {one.sku: one for one in depot.stocks}
            moved = sorted(one.sku for one in depot.stocks_after if one != old[one.sku])
            what = f"the count of {', '.join(moved)}" if is_named else "a stock count"
            return brief.pick(
                f"We have just booked {what}, so the stock is not what you saw.",
                f"Wait, {what} went into the system a minute ago. Please look again.",
            )
        case "terms":
            name = depot.suppliers[0].name if is_named else "One of the suppliers"
            return brief.pick(
                f"{name} has changed the terms, and it is entered already.",
                f"{name} wrote this morning and has a new delivery time now. It is where "
                "you found the old one.",
            )
        case _:
            pairs = zip(depot.orders, depot.orders_after, strict=True)
            gone = [old.order_no for old, new in pairs if old != new]
            what = ", ".join(sorted(gone)) if is_named else "Some open orders"
            return brief.pick(
                f"{what}: cancelled by the suppliers today, I have just booked it.",
                f"{what} fell through, I have marked it in the open orders just now.",
            )
