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
    task = brief.pick(
        f"match the supplier invoices in `{facets.folder}/` against orders and "
        "deliveries.",
        f"go through the invoices in `{facets.folder}/` and decide which are paid.",
        f"the invoices in `{facets.folder}/` have to be checked against what was "
        "ordered and what came in.",
    )
    user = brief.pick(
        f"{books.clerk} from purchasing hears you through `ws say`; say what you have "
        "looked at before you deliver",
        f"you can reach {books.clerk} in purchasing with `ws say`, and should do so once "
        "you have seen orders, deliveries and invoices",
        f"talk to {books.clerk} (purchasing, `ws say`) when you are through with the "
        "books and before anything is written down",
    )
    rules = brief.pick(
        "the rules are in the folder `docs`",
        "what is paid and what is held is laid down in `docs/`",
        "decide by the document in `docs/`, not by habit",
    )
    points = [_table(brief, facets), _summary(brief, facets), *_extra(brief, facets)]
    return instruction(brief, task, points=points, marks=(rules, user))


def _table(brief: Brief, facets: Facets) -> str:
    order = {
        "invoice": brief.pick(
            "in the order of their files", "sorted by file", "as the files come"
        ),
        "order": "by order number, those of one order in the order of their files",
    }[facets.order_by]
    which = {
        "all": brief.pick("one line for each invoice", "a line for every invoice"),
        "not_rejected": "one line for each invoice that is paid or held; rejected ones "
        "do not belong there",
        "paid": "the invoices that are paid and no others, one line each",
    }[facets.listed]
    unit = {
        "cents": "`payable_cents` (whole cents)",
        "euros": "`payable_eur` (euros with two decimals and a point, `0.00` if nothing)",
    }[facets.unit]
    return (
        "- `/workspace/match.csv` has the columns `file` (name without `.txt`), "
        f"`verdict` (`pay`, `hold` or `reject`), `reason` and {unit} under a head line; "
        f"{which}, {order}."
    )


def _summary(brief: Brief, facets: Facets) -> str:
    what = {
        "by_supplier": "the payable cents of each supplier who is paid anything",
        "by_verdict": "how many of all invoices have which verdict, for each that occurs",
        "by_reason": "for every reason that occurs among all invoices, `-` included, "
        "the cents that these invoices ask for",
    }[facets.summary]
    return brief.pick(
        f"- `/workspace/summary.json` is an object with {what}.",
        f"- Sum up in `/workspace/summary.json`: {what}, as one JSON object.",
    )


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    line = brief.pick("what is held goes to the approver", "the approver wants a list")
    holds = (
        f"- `/workspace/holds.txt`, because {line}: a line `FILE SUPPLIER: REASON` for "
        "each invoice on hold, in the order of the files."
    )
    questions = (
        "- `/workspace/questions.json` for the suppliers: an object with the names of "
        "those who sent an invoice that is held or rejected, each with the sorted list "
        "of these files."
    )
    return {"holds": (holds,), "questions": (questions,)}.get(facets.extra, ())


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02} EUR"
