"""How rules, invoices and the request are worded."""

from envplatform.cowork.families.invoice_matching.drawing import Books, Facets, Invoice
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import instruction


def policy_text(books: Books) -> str:
    """Return the rules; everything that decides stands here, nothing in the request."""
    facets = books.facets
    tolerance = {
        "percent": f"more than {books.limit / 10:g} % above the price of the order",
        "cents": f"more than {books.limit} cents above the price of the order",
        "none": "above the price of the order, by whatever amount",
    }[facets.tolerance]
    freight = {
        "up_to_a_limit": f"Freight is paid up to {_euros(books.freight_limit)} an "
        "invoice; an invoice with more is held, `freight`.",
        "never": "Prices include delivery: an invoice with freight is held, `freight`.",
        "listed_suppliers": "Freight is paid to "
        f"{' and '.join(books.freight_suppliers)} only; any other invoice with freight "
        "is held, `freight`.",
    }[facets.freight]
    repeats = {
        "number": "number was used by an earlier invoice, whoever sent it",
        "number_and_supplier": "number was used by the same supplier before",
        "order_and_amount": "order and total are those of an earlier invoice",
    }[facets.repeats]
    return f"""# Matching invoices

Invoices are taken by the name of their file. The first rule that applies decides.

1. There is no such order: reject, `no_order`.
2. The order was cancelled: reject, `cancelled`.
3. The {repeats}: reject, `repeated`.
4. More is billed than was delivered on the order in all, or than is left of it after the
   invoices before that were paid: hold, `quantity`.
5. The price of a unit is {tolerance}: hold, `price`.
6. {freight}
7. Otherwise: pay the whole total, reason `-`.

Payable is the total of what is paid, and 0 otherwise. The total of an invoice is quantity
times price, and freight.
"""


def invoice_text(one: Invoice, facets: Facets) -> str:
    """Return an invoice as it came in."""
    total = one.quantity * one.unit_cents + one.freight_cents
    lines = {
        "Invoice": one.number,
        "Date": one.day,
        "From": one.supplier,
        "Your order": one.order_no,
        "Quantity": str(one.quantity),
        "Unit price": _euros(one.unit_cents),
        "Freight": _euros(one.freight_cents) if one.freight_cents else "-",
        "Total": _euros(total),
    }
    match facets.layout:
        case "plain":
            return "".join(f"{name}: {value}\n" for name, value in lines.items())
        case "lined":
            rule = "-" * 40
            body = "\n".join(f"{name:<14}{value:>26}" for name, value in lines.items())
            return f"{rule}\n{body}\n{rule}\n"
        case _:
            return "".join(f"[{name}]\n{value}\n\n" for name, value in lines.items())


def instruction_of(brief: Brief, books: Books) -> str:
    """Return the request."""
    facets = books.facets
    order = {
        "invoice": "in the order of their files",
        "order": "by order number, those of one order in the order of their files",
    }[facets.order_by]
    summary = {
        "by_supplier": "the payable cents of each supplier who is paid anything",
        "by_verdict": "how many invoices there are of each verdict that occurs",
        "by_reason": "the payable cents that would have been due on every reason, `-` "
        "included: the totals of its invoices",
    }[facets.summary]
    task = brief.pick(
        f"match the supplier invoices in `{facets.folder}/` against orders and "
        "deliveries.",
        f"go through the invoices in `{facets.folder}/` and decide which are paid.",
        f"the invoices in `{facets.folder}/` have to be checked against what was "
        "ordered and what came in.",
    )
    table = (
        "- `/workspace/match.csv`: columns `file`, `verdict` (`pay`, `hold` or "
        "`reject`), `reason` and `payable_cents`, head line included, one line for "
        f"each invoice file (its name without `.txt`), {order}."
    )
    user = (
        f"{books.clerk} from purchasing hears you through `ws say`; say what you have "
        "looked at before you deliver"
    )
    return instruction(
        brief,
        task,
        points=(
            brief.pick(
                "Write two files.", "I need two files.", "Two files should come out."
            ),
            table,
            f"- `/workspace/summary.json`: an object with {summary}.",
        ),
        marks=("the rules are in the folder `docs`", user),
    )


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02} EUR"
