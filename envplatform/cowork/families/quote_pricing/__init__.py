"""Quotes for customers, where a colleague knows what was agreed and tells it in time."""

from dataclasses import astuple

from envplatform.cowork.conversation import (
    all_of,
    any_of,
    has_called,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Route, Sheet
from envplatform.cowork.families.quote_pricing.drawing import draw_deal
from envplatform.cowork.families.quote_pricing.papers import (
    freight_text,
    instruction_of,
    policy_text,
    request_text,
)
from envplatform.cowork.families.quote_pricing.records import Deal
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    told,
)
from envplatform.user.plan import Fact, Plan
from envplatform.workspace import Fault

CRITERIA = ("positions", "amounts", "terms", "record")
ARTICLE = (
    "sku",
    "name",
    "price_group",
    "list_cents",
    "weight_g",
    "terms",
    "successor",
)
REQUEST = "inbox/request.txt"


def specify(brief: Brief) -> Specification:
    """Draw the rules and a request in which each of them decides something."""
    deal = draw_deal(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, deal),
        parameters=deal.parameters(),
        criteria=CRITERIA,
        facets=told(deal.facets),
        drawn=deal,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay the deal out."""
    deal = specification.drawn_as(Deal)
    desk = Desk()
    desk.document(
        "request", REQUEST, request_text(brief, deal), about="The customer's mail."
    )
    desk.document(
        "policy",
        "docs/pricing.md",
        policy_text(deal),
        about="How quotes are priced.",
        kind="schema",
    )
    desk.document("freight", "docs/freight.md", freight_text(deal), about="Freight.")
    desk.rows(
        "customers",
        "sales/customers.csv",
        ("number", "name", "grade", "city"),
        [astuple(one) for one in deal.customers],
        about="Customers with their grade.",
    )
    if deal.facets.named_by == "own_number":
        desk.rows(
            "own_numbers",
            "sales/customer_articles.csv",
            ("customer", "their_number", "our_sku"),
            [(deal.customer.number, o, sku) for sku, o in deal.own_numbers.items()],
            about="Which article a customer means by a number of its own.",
        )
    _lay_prices(desk, deal)
    return Build(
        desk=desk,
        user=_user(brief, deal),
        operations=TALKING,
        transformable=("customers", "freight", "policy"),
    )


def _lay_prices(desk: Desk, deal: Deal) -> None:
    rows = [astuple(one) for one in deal.articles]
    about = "Price list: list price per unit, in cents, without VAT."
    match deal.facets.prices_in:
        case "csv":
            desk.rows("prices", "sales/price_list.csv", ARTICLE, rows, about=about)
        case "store":
            types = dict.fromkeys(ARTICLE, "TEXT NOT NULL")
            types |= {"sku": "TEXT PRIMARY KEY"}
            types |= dict.fromkeys(("list_cents", "weight_g"), "INTEGER NOT NULL")
            sheet = Sheet(columns=types, rows=rows)
            desk.store("prices", "stores/catalogue", {"articles": sheet}, about=about)
        case _:
            body = [dict(zip(ARTICLE, row, strict=True)) for row in rows]
            routes = (Route(path="/articles", body=body),)
            desk.service("prices", "services/catalogue", routes, about=about)


def _user(brief: Brief, deal: Deal) -> Plan:
    group, percent = deal.special
    name = {one.sku: one.name for one in deal.articles}
    news = ", ".join(f"{n} of {sku} ({name[sku]})" for sku, n in deal.changed.items())
    text = {
        "discount": f"{percent} % were agreed on everything in price group {group}",
        "place": f"the goods go to their new site in {deal.place}",
        "quantity": f"they rang and now want {news}",
    }[deal.facets.untold]
    looked = all_of(has_read(REQUEST), has_read("docs/pricing.md"), has_spoken())
    if brief.chance.random() < 0.5:
        priced = any_of(
            has_read("sales/price_list.csv"),
            has_queried("stores/catalogue"),
            has_called("services/catalogue"),
        )
        looked = all_of(has_read(REQUEST), priced, has_spoken())
    return plan(
        brief,
        name=deal.clerk,
        goal="wants what was agreed with the customer to stand in the quote",
        facts=(Fact(id="agreed", text=text),),
        signals=(
            tells(
                "agreed",
                looked,
                brief.pick(
                    "there is something that you can't know: {agreed}. All else as in "
                    "the mail and the rules.",
                    "one thing from my side: {agreed}. Otherwise the usual terms.",
                    "before you finish: {agreed}. Nothing else is different.",
                ),
            ),
        ),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    is_list = view.specification.facets["positions"] == "list"
    article, amount = r"(?<= )\d{3}-\d{2}(?= )", r"\d+(?=\.\d\d \|$)"
    return (
        _fault("positions", "quote.md", article, "000-00"),
        _fault(
            "amounts", "quote.md", r"\d+(?=\.\d\d EUR$)" if is_list else amount, "1"
        ),
        _fault("terms", "quote.md", r"(?<=^Valid until: )\d+", "1999"),
        _fault("terms", "quote.md", r"(?<=^Freight: )\d+", "1"),
        _fault("record", "quote.json", r'(?<="total_cents": )\d+', "1"),
        _fault("record", "quote.json", r'(?<="customer": ")K', "C"),
    )


def _fault(criterion: str, path: str, old: str, new: str) -> Fault:
    return Fault(criterion=criterion, where="workspace", path=path, old=old, new=new)


FAMILY = Family(
    name="quote_pricing",
    title="Quotes with what a colleague has agreed",
    scenario="sales",
    capabilities=("calculate", "follow_policy", "ask_when_unclear", "draft"),
    artefacts=("document", "record"),
    pattern="dialogue",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
