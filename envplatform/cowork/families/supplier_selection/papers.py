"""How tender, bids and the request are worded."""

from envplatform.cowork.families.supplier_selection.drawing import Bid, Tender
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

POINTS = ("price_points", "time_points", "quality_points")


def tender_text(tender: Tender) -> str:
    """Return the tender document; everything that decides stands here."""
    facets = tender.facets
    cost = {
        "plain": "quantity times unit price, and setup and freight on top. A discount for "
        "early payment is not taken into account, neither is upkeep",
        "discount": "quantity times unit price less the discount for early payment, which we "
        "always take, rounded to the cent (half a cent up); setup and freight on top, of "
        "which nothing is taken off. Upkeep does not count",
        "upkeep": f"quantity times unit price, setup, freight and {tender.years} years of "
        "upkeep. A discount for early payment is not taken into account",
    }[facets.cost]
    third = {
        "warranty": f"`warranty`: less than {tender.least} months of warranty",
        "references": f"`references`: fewer than {tender.least} references",
        "validity": f"`validity`: we are bound to decide late, so a bid that is valid for "
        f"less than {tender.least} days is of no use",
    }[facets.third]
    price = {
        "ratio": "100 times the lowest price, divided by the price of the bid",
        "range": "100 for the lowest price and 0 for the highest, and in proportion between "
        "them",
        "steps": "100 for the lowest price; 80 up to 5 % above it, 55 up to 12 % above it, 30 "
        "up to 25 % above it, and 0 beyond",
    }[facets.price]
    time = {
        "per_week": "100 for the shortest delivery time, 7 less for every week more, never "
        "below 0",
        "ratio": "100 times the shortest delivery time, divided by that of the bid",
        "limits": "100 up to 4 weeks, 60 up to 8 weeks, 20 up to 12 weeks, 0 beyond",
    }[facets.time]
    quality = {
        "references": "12 for each reference, at most 100",
        "ratings": "by our rating of earlier work: 100 for A, 70 for B, 30 for C; 50 for a "
        "company that has never worked for us",
        "warranty": "one and a half for each month of warranty beyond 12, at most 60",
    }[facets.quality]
    rounding = {
        "each": "Points are rounded to two decimals (half up) before they are weighted; the "
        "score is rounded once more.",
        "total": "The score is worked out from exact points and rounded to two decimals (half "
        "up) at the end; points are rounded only to be shown.",
    }[facets.rounding]
    award = {
        "one": "The order goes to the first.",
        "two": "So as not to depend on one supplier, the first gets 60 % of the order and the "
        "second 40 %.",
        "shortlist": "The first three are invited to negotiate.",
    }[facets.award]
    weights = tender.weights
    return filled(f"""# Tender: {tender.quantity} {tender.item}s

Bids are due by {tender.deadline.isoformat()}, that day included. They are opened together. Variants are
welcome but are not evaluated. Amounts are in EUR without VAT.

## Exclusion

A bid is excluded for the first reason that holds, and excluded bids count for nothing that
follows, not even as the lowest price:

1. `late`: it came after the due date.
2. `certificate`: no certificate of quality management is enclosed.
3. {third}.
4. `budget`: its price is above {_euros(tender.budget_cents)} EUR.

## Price

The price of a bid is {cost}.

## Points

- Price ({weights[0]} %): {price}.
- Time ({weights[1]} %): {time}.
- Quality ({weights[2]} %): {quality}.

The score is the sum of the points, weighted with these percentages. {rounding}

## Award

The highest score comes first; of equal scores, the lower price. {award} Bidders that are not
chosen get a letter within two weeks.
""")


def letter_text(one: Bid, tender: Tender) -> str:
    """Return a bid as a letter."""
    paper = (
        f"Our quality management is certified, the certificate {one.certificate} is enclosed."
        if one.certificate
        else "Our quality management follows the usual standards; a certificate is in "
        "preparation."
    )
    return filled(
        f"{one.company}\n\nYour tender for {tender.quantity} {tender.item}s\n\nWe thank you for the "
        f"invitation and offer the {tender.item} at {_euros(one.unit_cents)} EUR each. For setup we charge "
        f"{_euros(one.setup_cents)} EUR once, for freight {_euros(one.freight_cents)} EUR. If you pay within ten "
        f"days, {one.discount_percent} % may be taken off. Upkeep, if you want it, is {_euros(one.upkeep_cents)} EUR "
        f"a year.\n\nWe deliver within {one.weeks} weeks of your order and give {one.warranty_months} "
        f"months of warranty. {one.references} references are attached. {paper}\n\nThis bid is valid "
        f"for {one.valid_days} days. We look forward to hearing from you.\n"
    )


def form_text(one: Bid) -> str:
    """Return a bid on the form."""
    lines = {
        "Bidder": one.company,
        "Unit price": f"{_euros(one.unit_cents)} EUR",
        "Setup": f"{_euros(one.setup_cents)} EUR",
        "Freight": f"{_euros(one.freight_cents)} EUR",
        "Discount for payment in 10 days": f"{one.discount_percent} %",
        "Upkeep a year": f"{_euros(one.upkeep_cents)} EUR",
        "Delivery time": f"{one.weeks} weeks",
        "Warranty": f"{one.warranty_months} months",
        "References": str(one.references),
        "Certificate": one.certificate or "none",
        "Valid for": f"{one.valid_days} days",
    }
    return "".join(f"{name:.<34} {value}\n" for name, value in lines.items())


def instruction_of(brief: Brief, tender: Tender) -> str:
    """Return the request."""
    facets = tender.facets
    task = brief.pick(
        f"evaluate the bids for the {tender.item}s.",
        f"the bids for our tender for {tender.item}s are in; score them and tell us who gets "
        "it.",
        f"we have to decide about the {tender.item}s, so please go through the bids.",
        f"who gets the order for the {tender.item}s? Score what was offered.",
        f"the committee meets tomorrow and wants the offers for {tender.item}s compared.",
    )
    points = [_table(brief, tender), _memo(brief, tender)]
    if facets.excluded_in == "file":
        points.append(
            "- `/workspace/excluded.csv`: "
            + brief.pick(
                "`bid` and `reason` of every bid that is excluded, by bid.",
                "the excluded bids with columns `bid`, `reason`, in the order of their numbers.",
            )
        )
    where = {
        "letters": brief.pick(
            "the bids are letters in `bids/`, each named by its number",
            "you have to read letters: `bids/` has one for each number",
        ),
        "forms": brief.pick(
            "the bidders have filled in our form, one file a bid in `bids/`",
            "`bids/` holds the forms that came back, a file for each bid",
        ),
        "table": brief.pick(
            "purchasing has typed the bids into a table in `bids/`",
            "what was offered has been put into one table, see `bids/`",
        ),
    }[facets.bids_in]
    return instruction(
        brief,
        task,
        points=(
            brief.pick("Write down:", "We want to see:", "The files:"),
            *brief.chance.sample(points, len(points)),
        ),
        marks=(
            brief.pick(
                "the tender in `docs` says what is excluded and how points are given",
                "exclusions and points go by the tender in `docs` and by nothing else",
            ),
            brief.pick(
                f"{where}; the day each came in is in the register",
                f"{where}, and our register says when they came in",
            ),
        ),
    )


def _table(brief: Brief, tender: Tender) -> str:
    order = {
        "rank": "best first",
        "bid": "by number of the bid",
        "company": "by company in alphabetical order",
    }[tender.facets.order_by]
    points = ", ".join(f"`{one}`" for one in POINTS)
    return "- `/workspace/evaluation.csv`: " + brief.pick(
        "each bid that is not excluded, with `rank`, `bid`, `company`, then `price_cents`, "
        f"the points ({points}) and `score`, points and score with two decimals; {order}.",
        "columns `rank` (from 1), `bid`, `company`, and after these `price_cents`, "
        f"{points}, and `score`. Two decimals for points and score. {order.capitalize()}, "
        "without the excluded ones.",
        "a line for whoever is in the running: `rank`, `bid`, `company` first; `price_cents` "
        f"next; {points} and `score` at the end, all of them with two decimals. Sort it "
        f"{order}.",
    )


def _memo(brief: Brief, tender: Tender) -> str:
    facets = tender.facets
    award = {
        "one": "`Award: COMPANY`",
        "two": "`Award: COMPANY 60 %, COMPANY 40 %`",
        "shortlist": "`Shortlist: COMPANY, COMPANY, COMPANY`",
    }[facets.award]
    excluded = {
        "file": "`Excluded:` with how many are excluded",
        "memo": "`Excluded:` with each excluded bid and its reason, like `B01 late, B02 "
        "budget`, by bid",
    }[facets.excluded_in]
    gist = {
        "lead": "`Lead:`, how much that is above the second score (two decimals)",
        "cheapest": "`Lowest price:`, the company that has it among those admitted",
        "spread": "`Spread:` between the highest and the lowest price admitted, an amount "
        "like the next",
    }[facets.gist]
    return "- `/workspace/memo.md`: " + brief.pick(
        f"five lines and nothing else: {award}, `Score:` of the first, {gist}, `Price:` of the "
        f"first, like `1234.50 EUR`, and {excluded}.",
        f"the gist for the board in exactly five lines, namely {award}, `Score:` (the "
        f"winner's), {gist}, `Price:` (the winner's, `1234.50 EUR`) and {excluded}.",
    )


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"
