"""How definitions and request are worded."""

from envplatform.cowork.families.sales_figures.drawing import Facets, Sales
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

_ORDINALS = ("first", "second", "third", "fourth")


def definitions_text(sales: Sales) -> str:
    """Return what a figure is; everything that decides stands here."""
    facets = sales.facets
    counts_by = {
        "ordered": "on the day on which it was ordered, paid or not",
        "paid": "on the day on which it was paid; what is not paid yet does not count",
    }[facets.counts_by]
    discount = {
        "net": "times one minus the discount of the order",
        "gross": "at list price: discounts are booked as costs of Marketing and are not "
        "taken off",
        "capped": "times one minus the discount of the order, of which 0.05 at most is "
        "taken off; what goes beyond is booked as costs of Marketing",
    }[facets.discount]
    returns = {
        "deducted": "Units that came back are deducted from the order, whenever they came "
        "back.",
        "timely": f"Units that came back within {sales.days} days after the order "
        f"(day {sales.days} included) are deducted from it. Later returns are a matter "
        "of goodwill and change nothing.",
        "whole": "An order of which anything came back does not count at all, however "
        "little it was.",
    }[facets.returns]
    left_out = {
        "companies": f"Orders of {', '.join(sales.internal[:2])} and {sales.internal[2]} "
        "do not count: these companies belong to the house.",
        "small": f"Orders of fewer than {sales.least} units do not count, by the quantity "
        "that was ordered: they are samples.",
        "category": f"Products of the category {sales.category} do not count; a partner "
        "reports them.",
    }[facets.left_out]
    rounding = {
        "half_up": "The sales of each order are rounded to whole cents, half a cent up; "
        "all sums are sums of rounded figures.",
        "down": "The sales of each order are rounded down to whole cents; all sums are "
        "sums of rounded figures.",
        "at_the_end": "Nothing is rounded on the way. A figure that is delivered is "
        "rounded to whole cents at the end, half a cent up.",
    }[facets.rounding]
    return filled(f"""# Sales figures: definitions

Controlling and Sales have agreed on these definitions after three years of two sets of
figures. Prices are in euros, without tax.

## Time

The financial year begins in {facets.begins}; its first quarter are that month and the two
after it. An order counts {counts_by}.

## Sales

The sales of an order are its units times the unit price, {discount}. {rounding}

## Returns

{returns} An order of which nothing is left does not count.

## What does not count

{left_out}

## Who and where

The city is the one of the company that ordered, the department the one of the person who
took the order.
""")


def instruction_of(brief: Brief, sales: Sales) -> str:
    """Return the request."""
    facets = sales.facets
    quarter = f"{_ORDINALS[sales.quarter - 1]} quarter of the financial year 2025"
    place = f"`{facets.place}`" if facets.data == "store" else f"`{facets.place}/`"
    task = brief.pick(
        f"work out the sales of the {quarter} from {place}.",
        f"we need the sales figures of the {quarter}; orders and returns are in {place}.",
        f"take the orders in {place} and put the figures of the {quarter} together.",
    )
    marks = (
        brief.pick(
            "what counts, and how, is defined in `docs/`",
            "use the definitions in `docs/` and nothing from last year's sheets",
        ),
        brief.pick(
            "the data reaches beyond the quarter on both sides",
            "orders before and after the quarter are in there, too",
        ),
    )
    points = [
        _pivot(brief, facets),
        _top(brief, sales),
        _statement(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=marks)


def _money(facets: Facets) -> str:
    return {
        "cents": "whole cents, like `123450`",
        "euros": "euros with two decimals and a point, like `1234.50`",
    }[facets.unit]


def _pivot(brief: Brief, facets: Facets) -> str:
    columns = {
        "months": f"`{facets.rows}`, one column for each month of the quarter (named like "
        "`2025-03`) with its sales, and `total`",
        "measures": f"`{facets.rows}`, `orders` (how many count), `units` (those left) and "
        "`sales`",
    }[facets.columns]
    last = "`total`" if facets.columns == "months" else "`sales`"
    sort = {
        "name": f"by {facets.rows} in alphabetical order",
        "size": f"by {last}, largest first, equal ones by {facets.rows}",
    }[facets.sort]
    footer = {
        "none": "There is no line of sums.",
        "total": f"A last line with `Total` as {facets.rows} holds the sums of all.",
    }[facets.footer]
    money = _money(facets)
    return brief.pick(
        f"- `/workspace/pivot.csv` has a line for each {facets.rows} with an order that "
        f"counts: {columns}. Sales are in {money}. Sort {sort}. {footer}",
        f"- The table goes into `/workspace/pivot.csv`: {columns}, a line for every "
        f"{facets.rows} that has any order that counts, {sort}; sales in {money}. "
        f"{footer}",
    )


def _top(brief: Brief, sales: Sales) -> str:
    facets = sales.facets
    what = {
        "company": "companies",
        "product": "products",
        "name": "people who took the orders",
    }[facets.top]
    by = {"sales": "sales", "units": "units (those left)"}[facets.top_by]
    unit = " (as above)" if facets.top_by == "sales" else ""
    return brief.pick(
        f"- `/workspace/top.csv`: the {sales.length} {what} with most {by} in the "
        f"quarter, with `rank` (from 1), `{facets.top}` and `{facets.top_by}`{unit}; "
        "equal ones by name.",
        f"- List the {sales.length} {what} with the most {by} of the quarter in "
        f"`/workspace/top.csv`, columns `rank`, `{facets.top}`, `{facets.top_by}`{unit}, "
        "first place first and names in alphabetical order where they are equal.",
    )


def _statement(brief: Brief, facets: Facets) -> str:
    money = "as above" if facets.unit == "cents" else "as above, as text"
    if facets.statement == "json":
        return (
            "- `/workspace/statement.json` is an object with `sales` of the quarter "
            f"({money}), `orders` and `units` that count (numbers) and `best_month` "
            "(`YYYY-MM`; the one with most sales)."
        )
    return brief.pick(
        "- `/workspace/statement.txt` has four lines: `Sales: ` and the sales of the "
        "quarter (as above), `Orders: ` and how many count, `Units: ` and how many are "
        "left, `Best month: ` and the month with most sales (`YYYY-MM`).",
        "- For the slide, four lines in `/workspace/statement.txt`, in this order: "
        "`Sales: X` (as above), `Orders: N`, `Units: N`, `Best month: YYYY-MM`, all of "
        "the quarter and by what counts; the best month is the one with most sales.",
    )


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    reason = {
        "companies": "because of their company",
        "small": "because they are too small",
        "category": "because of their category",
    }[facets.left_out]
    left_out = (
        f"- `/workspace/left_out.csv` with `order_id` and `{facets.counts_by}`: the orders "
        f"whose day is in the quarter and that do not count {reason}, by number."
    )
    unpaid = brief.pick(
        "- `/workspace/unpaid.csv` with `order_id` and `company`: all orders of the data, "
        "in whatever quarter, that are not paid, by number.",
        "- Dunning wants `/workspace/unpaid.csv`, `order_id` and `company` of every order "
        "in the data without a day of payment, of all quarters, by number.",
    )
    return {"left_out": (left_out,), "unpaid": (unpaid,)}.get(facets.extra, ())
