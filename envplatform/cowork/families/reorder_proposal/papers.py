"""How rules, terms of suppliers and the request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.reorder_proposal.records import Depot, Supplier
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

COLUMNS = {
    "units": ("sku", "supplier", "quantity", "cost_cents"),
    "packs": ("supplier", "sku", "packs", "quantity", "cost_cents"),
    "arrival": ("sku", "quantity", "cost_cents", "arrives"),
}


def policy_text(depot: Depot) -> str:
    """Return the rules of replenishment."""
    facets = depot.facets
    demand = {
        "last_4": "the average of the last 4 weeks",
        "last_8": "the average of all 8 weeks that the sales file has",
        "weighted": "a weighted average of the last 3 weeks: the last one counts three "
        "times, the one before twice, the third once, and the sum is divided by 6",
        "peak": "the best of the last 4 weeks; we would rather sit on stock than run out",
    }[facets.demand]
    safety = {
        "weeks": f"{depot.safety_weeks} weeks of demand",
        "percent": f"{depot.safety_percent} % of the demand during the lead time",
        "by_class": "3 weeks of demand for class A, 2 for class B and 1 for class C",
    }[facets.safety]
    inbound = {
        "confirmed": "Open orders count if the supplier has confirmed them, whatever the "
        "day on which they are expected. Requested ones are a hope, not stock.",
        "in_time": "Open orders count, confirmed or requested, if they are expected "
        "within the lead time of the supplier, counted from today; what comes later is "
        "no help.",
        "all": "Open orders count, confirmed or requested, whenever they are expected.",
    }[facets.inbound]
    minimum = {
        "raise": "If that is less than the minimum quantity of the article, the minimum "
        "quantity is ordered.",
        "wait": "If that is less than the minimum quantity of the article, nothing is "
        "ordered this time (`minimum`): we wait until it is worth it.",
        "half": "If that is less than the minimum quantity of the article, it depends: "
        "from half of the minimum on, the minimum is ordered; below half, nothing "
        "(`minimum`).",
    }[facets.minimum]
    return filled(f"""# Replenishment

Valid for the central store. Today is {depot.today:%A}, {depot.today.isoformat()}; the
week before is the last complete one in the sales file. Questions about single suppliers
go to {depot.clerk}.

## What an article needs

- **Demand** is in units a week: {demand}.
- **Safety stock** is {safety}.
- **Reorder point** is demand times lead time in weeks, and the safety stock on top.
- **Available** is what is on hand less what is reserved, and what is on its way.
  {inbound} Cancelled orders never count.

Nothing of this is rounded on the way.

## When and how much

An article is reordered when available is below the reorder point; at or above it there is
`enough`. Ordered is what lifts available to the reorder point plus {depot.cover_weeks} weeks of
demand, rounded up to whole units. {minimum} Whatever is ordered is
at last rounded up to whole packs.

{_exception(depot)}

## Money

Prices are per unit, in cents, without VAT. The lowest order value of a supplier is no
reason to order more; purchasing decides what to do about a small order.
""")


def _exception(depot: Depot) -> str:
    last = (
        "Articles with status `phase_out` are sold off and not reordered (`phase_out`)"
    )
    match depot.facets.exception:
        case "phase_out":
            return f"{last}, even if they run out."
        case "frozen":
            return (
                f"{last}. Nothing is ordered from {depot.excepted[0]} for now "
                "(`frozen`): the framework contract is being renegotiated. Where both "
                "hold, `phase_out` is the reason."
            )
        case _:
            return (
                f"{last}. A campaign begins next week: take demand of "
                f"{', '.join(depot.excepted)} {depot.promotion_percent} % higher than the "
                "sales say, in every step above."
            )


def letter_text(depot: Depot, one: Supplier) -> str:
    """Return a supplier's letter with its terms."""
    return (
        f"{one.name}\nSales office\n\nTerms of delivery for our customer\n\n"
        "Thank you for the good co-operation in the past year. For all articles of your "
        f"price list the delivery time is {lead_text(one)} from the day of the order. "
        f"Orders from {_euros(one.least_cents)} on are accepted without a surcharge; "
        "below, we charge 35.00 EUR for handling. Packs and minimum quantities are those "
        "of the article list. Payment within 30 days net.\n\n"
        f"These terms hold until the end of {depot.today.year}.\n"
    )


def lead_text(one: Supplier) -> str:
    """Return a lead time as letters say it."""
    return f"{one.lead_weeks} week" + ("s" if one.lead_weeks > 1 else "")


def sheet_line(one: Supplier) -> str:
    """Return the line of a supplier in the sheet of terms."""
    return f"| {one.name} | {lead_text(one)} | {_euros(one.least_cents)} |"


def sheet_text(depot: Depot) -> str:
    """Return the sheet of all suppliers' terms."""
    head = markdown_table(("Supplier", "Lead time", "Orders from"), ())
    lines = "".join(f"{sheet_line(one)}\n" for one in depot.suppliers)
    return (
        "# Terms of our suppliers\n\nKept by purchasing. Lead time runs from the day of "
        f"the order to the day of arrival.\n\n{head}{lines}\nAll deliver on weekdays, "
        "7 am to 3 pm, gate 2.\n"
    )


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02} EUR"


def instruction_of(brief: Brief, depot: Depot) -> str:
    """Return the request."""
    facets = depot.facets
    columns = ", ".join(f"`{one}`" for one in COLUMNS[facets.columns])
    means = {
        "units": "quantities in units",
        "packs": "`packs` being whole packs and `quantity` the units in them",
        "arrival": "`arrives` being today plus the lead time, as `YYYY-MM-DD`",
    }[facets.columns]
    order = {
        "sku": brief.pick("sorted by `sku`", "in the order of the SKUs"),
        "supplier": brief.pick(
            "sorted by supplier, then by `sku`",
            "supplier by supplier in alphabetical order, and by `sku` within each",
        ),
        "cost": brief.pick(
            "the most expensive line first, equal ones by `sku`",
            "by falling cost; where two cost the same, the lower `sku` first",
        ),
    }[facets.order_by]
    task = brief.pick(
        "put together the reorder proposal for the central store.",
        "work out what has to be reordered for our store this week.",
        "it is replenishment day again: which articles do we order, and how many?",
        "prepare this week's purchase proposal from stock, sales and open orders.",
    )
    table = brief.pick(
        f"- `/workspace/reorder.csv`, one line for each article to be ordered, {order}. "
        f"Columns {columns}, {means}; `cost_cents` is quantity times price.",
        f"- `/workspace/reorder.csv` with a head line and the columns {columns}: {means}, "
        f"and `cost_cents` the quantity at its price. Only what is ordered, {order}.",
    )
    return instruction(
        brief,
        task,
        points=(
            brief.pick(
                "I expect two files.", "Two files, please.", "Deliver the following."
            ),
            *brief.chance.sample((table, _extra(brief, depot)), 2),
        ),
        marks=(_where(brief, depot), _user(brief, depot)),
    )


def _extra(brief: Brief, depot: Depot) -> str:
    match depot.facets.extra:
        case "by_supplier":
            return "- `/workspace/orders.json`: " + brief.pick(
                "an object with one entry for each supplier who gets an order, by name: "
                "`lines`, `cost_cents`, and `is_small`, true if the total is below the "
                "supplier's lowest order value without surcharge.",
                "for every supplier we order from (the name is the key) an object of "
                "`lines` (how many articles), `cost_cents` (the sum) and `is_small` "
                "(true where the sum stays below what the supplier takes without a "
                "surcharge).",
            )
        case "not_ordered":
            return "- `/workspace/not_ordered.csv`: " + brief.pick(
                "every other article with columns `sku` and `reason`, by `sku`; the "
                "reasons are the words in backticks in the rules, and an article that "
                "may not be ordered anyway has that as its reason, whatever its stock.",
                "columns `sku`, `reason`, sorted by `sku`, one line for each article "
                "that is left out. Reasons are spelled as in the rules; that an article "
                "may not be ordered at all comes before all other reasons.",
            )
        case _:
            return "- `/workspace/urgent.json`: " + brief.pick(
                "an object with `urgent`, the sorted SKUs among those ordered of which "
                "available does not even cover the demand of the lead time (it is less), "
                "and `cost_cents`, what these lines cost together.",
                "`urgent` lists, sorted, the SKUs of your proposal whose available "
                "stock is smaller than demand times lead time, and `cost_cents` is the "
                "cost of just those lines; one object.",
            )


def _where(brief: Brief, depot: Depot) -> str:
    stock = {
        "store": "stock and open orders are tables of the store",
        "csv": "stock and open orders are exported as CSV files",
    }[depot.facets.stock_in]
    terms = {
        "table": "the suppliers' terms are a table, too",
        "letters": "lead times stand in the letters of the suppliers",
        "sheet": "lead times stand on the purchasing department's sheet",
    }[depot.facets.terms_in]
    rules = brief.pick("the rules are on paper in `docs`", "`docs` has our rules")
    return f"{rules}, {stock}, {terms}"


def _user(brief: Brief, depot: Depot) -> str:
    who = depot.clerk
    return brief.pick(
        f"{who} is in the warehouse today and hears you through `ws say`; report when "
        "you have looked at stock, orders and terms, before you deliver",
        f"{who} books things all day long, so get in touch through `ws say` once you "
        "know the figures and before you write anything down",
        f"before you hand in, tell {who} through `ws say` that you have gone through "
        "stock, orders and terms; the figures that count are those of after that talk",
    )
