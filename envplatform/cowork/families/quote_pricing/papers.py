"""How price policy, freight, the customer's mail and the request are worded."""

from textwrap import wrap

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.quote_pricing.records import Deal
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def policy_text(deal: Deal) -> str:
    """Return the rules of pricing."""
    facets = deal.facets
    (low, some), (high, more) = deal.steps
    volume = {
        "position": f"from {low} units of a position on {some} % on that position, from "
        f"{high} units on {more} %",
        "group": f"from {low} units of a price group in the whole quote on {some} % on "
        f"every position of that group, from {high} units on {more} %; articles sold "
        "net are counted as well",
        "order": f"from a list value of {low}.00 EUR on {some} % on every position, from "
        f"{high}.00 EUR on {more} %. The list value is that of all positions quoted, "
        "before any discount, net articles included",
    }[facets.volume]
    combining = {
        "add": "Both percentages are added.",
        "chain": "The volume discount is taken off what the customer discount leaves; "
        "12 % and 5 % make 16.40 %.",
        "best": "They are not combined: the higher one applies.",
    }[facets.combining]
    rounding = {
        "unit": "The price of a unit after discount is rounded to the cent, half a cent "
        "up, and then multiplied by the quantity.",
        "line": "A position is quantity times list price less discount, rounded to the "
        "cent once, at the end, half a cent up. Unit prices are never rounded.",
    }[facets.rounding]
    gone = {
        "omit": "Articles with a successor are no longer sold and are not quoted; the "
        "customer asks again if the successor will do.",
        "successor": "Articles with a successor are no longer sold: quote the successor "
        "instead, at its own price and in its own group, without asking.",
    }[facets.gone]
    validity = {
        "days_14": "14 days from the day of the quote",
        "days_30": "30 days from the day of the quote",
        "month_end": "until the last day of the month after the quote's",
    }[facets.validity]
    grades = ", ".join(f"{grade}: {of} %" for grade, of in deal.grades.items())
    return filled(f"""# Pricing of quotes

Inside sales, version {deal.today.year}.2. Our prices are list prices per unit without VAT.

## Discounts

1. Customer discount by grade of the customer: {grades}.
2. Volume discount: {volume}.
3. {combining}
4. A discount that was agreed with the customer for a price group replaces both of them
   for all articles of that group.
5. Articles with terms `net` get no discount at all, whatever was agreed.

Discounts are written with two decimals, {next(iter(deal.grades.values()))}.00.

## Amounts

{rounding}

## What we can't supply

{gone} What is not in the price list at all is not quoted. Whatever is not quoted is named in
`not_offered` as the customer calls it.

## Terms

A quote is valid {validity}. VAT is {deal.vat_percent} % on goods and freight together, rounded half a
cent up; for deliveries to zone 3 none is charged, since the customer accounts for it.
Payment is due within 30 days. Deposits are asked of new customers only.
""")


def freight_text(deal: Deal) -> str:
    """Return the freight terms."""
    match deal.facets.freight:
        case "weight":
            rule = (
                "Freight is a base rate and a rate for every kilogram. Add up the weights "
                "of all positions in grams and round the sum up to whole kilograms."
            )
            columns = ("Zone", "To", "Base", "Per kg")
        case "flat":
            rule = (
                "Freight is a flat rate for each quote. To zones 1 and 2 it is free from "
                "the net value of goods on that the table has; at or above it, that is."
            )
            columns = ("Zone", "To", "Flat rate", "Free from")
        case _:
            rule = (
                "Freight is a share of the net value of the goods, rounded to the cent, "
                "half a cent up, but never less than the least amount."
            )
            columns = ("Zone", "To", "At least", "Share")
    rows = []
    for one in deal.zones:
        free = euros(one.free_from_cents) + " EUR" if one.free_from_cents else "never"
        last = {
            "weight": f"{euros(one.per_kg_cents)} EUR",
            "flat": free,
            "percent": f"{one.percent} %",
        }[deal.facets.freight]
        base = f"{euros(one.base_cents)} EUR"
        rows.append((str(one.number), ", ".join(one.cities), base, last))
    return filled(f"""# Freight

{rule} What counts is the place to which the goods go, not the seat of the customer.

{markdown_table(columns, rows)}
Zone 3 is abroad; papers are made out by the carrier. Pallets are exchanged one for one.
""")


def request_text(brief: Brief, deal: Deal) -> str:
    """Return the customer's mail."""
    lines = "\n".join(f"  {one.quantity} x {one.called}" for one in deal.wishes)
    hint = {
        "discount": f"As to prices, please take the conditions that {deal.clerk} and I "
        f"talked about; otherwise your usual ones. Delivery to {deal.customer.city} as "
        "always.",
        "place": f"The goods do not go to our house this time; {deal.clerk} knows where "
        "we need them.",
        "quantity": f"Some quantities may still change, I will ring {deal.clerk} about "
        f"them. Delivery to {deal.customer.city} as always.",
    }[deal.facets.untold]
    opening = brief.pick(
        "we are planning the next quarter and would like a quote for the following:",
        "please send us your offer for",
        "could you quote these for us? We need your answer this week.",
    )
    numbers = {
        "sku": "The numbers are yours.",
        "name": "I have taken the names from your catalogue.",
        "own_number": "The numbers are those of our own system, you have the list.",
    }[deal.facets.named_by]
    closing = "\n".join(wrap(f"{numbers} {hint}", 88))
    return (
        f"From: {deal.contact}, {deal.customer.name}\n"
        f"Date: {deal.today.isoformat()}\nSubject: Request for a quote\n\n"
        f"Dear all,\n\n{opening}\n\n{lines}\n\n{closing}\n\n"
        f"Best regards\n{deal.contact}\nPurchasing, {deal.customer.name}\n"
    )


def instruction_of(brief: Brief, deal: Deal) -> str:
    """Return the request."""
    name = deal.customer.name
    task = brief.pick(
        f"{name} wants a quote, the mail is in `inbox/request.txt`; make it ready to go "
        "out.",
        f"prepare the quote that {name} asks for in `inbox/request.txt`.",
        f"answer the request for prices in `inbox/request.txt` with a proper quote for "
        f"{name}.",
    )
    return instruction(
        brief,
        f"{task} It is dated {deal.today.isoformat()}.",
        points=(
            brief.pick(
                "We need the quote itself and a record for the system.",
                "Two files: the quote, and what goes into our system.",
            ),
            *brief.chance.sample((_document(brief, deal), _record(brief, deal)), 2),
        ),
        marks=(_where(brief, deal), _user(brief, deal)),
    )


def _document(brief: Brief, deal: Deal) -> str:
    facets = deal.facets
    positions = {
        "short": "then a Markdown table with the columns `article`, `quantity` and "
        "`amount`, a rule under its head",
        "full": "then a Markdown table with the columns `pos` (from 1), `article`, `name` "
        "as in the price list, `quantity`, `list price`, `discount %` and `amount`, a "
        "rule under its head",
        "list": "then one line a position, like `1. 123-45 x 20 at 9.50 EUR less 12.00 "
        "%: 167.20 EUR` (number from 1, article, quantity, list price, discount, amount)",
    }[facets.positions]
    order = {
        "request": brief.pick(
            "as the customer has listed them", "in the order of the request"
        ),
        "article": brief.pick("by article number", "sorted by article number"),
        "amount": brief.pick(
            "the highest amount first, equal ones by article number",
            "by falling amount and, where two are equal, by article number",
        ),
    }[facets.order_by]
    return (
        "- `/workspace/quote.md`: the lines `# Quote for NAME`, `Date:`, `Valid until:`"
        f" and `Delivery to:` (the city), {positions}, {order}, at last the lines "
        "`Goods:`, `Freight:`, `VAT:` and `Total:`, each with an amount and `EUR` after it. "
        + brief.pick(
            "Dates are `YYYY-MM-DD`, amounts have two decimals and no separators; "
            "blank lines do not matter, other text does not belong there.",
            "Amounts like `1234.50`, days like `2025-01-31`. Blank lines as you like, "
            "but nothing else in it.",
        )
    )


def _record(brief: Brief, deal: Deal) -> str:
    fields = {
        "totals": "`customer` (the number), `goods_cents`, `freight_cents`, `vat_cents`, "
        "`total_cents`",
        "lines": "`customer` (the number), `lines`, a list with `article`, `quantity` and "
        "`amount_cents` of each position in the same order, and `total_cents`",
        "by_group": "`customer` (the number), `groups`, the amount of the positions of "
        "each price group that occurs, in cents, and `total_cents`",
    }[deal.facets.record]
    gone = "`not_offered`, a list of what is not quoted, as the customer calls it, in the order of the mail"
    return "- `/workspace/quote.json`: " + brief.pick(
        f"an object with {fields}, and {gone}.",
        f"the keys {fields}; besides {gone}.",
    )


def _where(brief: Brief, deal: Deal) -> str:
    prices = {
        "csv": "the price list is a file below `sales`",
        "store": "prices are in the catalogue store",
        "service": "prices come from the catalogue service, `GET /articles` lists them",
    }[deal.facets.prices_in]
    return brief.pick(
        f"the rules for discounts and freight are in `docs`, and {prices}",
        f"{prices}; `docs` says how we price and ship",
    )


def _user(brief: Brief, deal: Deal) -> str:
    who = deal.clerk
    return brief.pick(
        f"{who} looks after this customer and is there for you through `ws say`; have a "
        "word once you have read the mail, our rules and the prices",
        f"the customer is {who}'s, so check back through `ws say` when you have read "
        "mail, rules and prices",
        f"before the quote goes out, go over it with {who} through `ws say`, when you have "
        "been through mail, rules and price list",
    )


def euros(cents: int) -> str:
    """Return an amount with two decimals."""
    return f"{cents // 100}.{cents % 100:02}"
