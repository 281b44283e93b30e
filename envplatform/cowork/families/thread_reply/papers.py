"""How thread, product sheet, rules and request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.thread_reply.drawing import TOPICS, Case, Facets, Mail
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

COLUMNS = ("article", "from_1", "from_10", "from_50")


def mail_text(one: Mail, case: Case) -> str:
    """Return a mail as it was sent."""
    company = "" if one.ours else f" ({case.company})"
    return (
        f"From: {one.sender}{company}\nDate: {one.day}\n"
        f"Subject: Re: {case.subject}\n\n{one.text}\n"
    )


def prices_sheet(case: Case) -> str:
    """Return the price list as a document."""
    rows = [(one.name, *one.prices) for one in case.articles]
    return f"# Prices\n\nIn cents, without VAT.\n\n{markdown_table(COLUMNS, rows)}"


def sheet_text(case: Case) -> str:
    """Return what is known of the products."""
    lines = "\n".join(f"- {topic}: {TOPICS[topic][1]}" for topic in case.told)
    owners = "\n".join(f"- {topic}: {of[2]}" for topic, of in sorted(TOPICS.items()))
    return filled(
        f"""# What customers ask

Kept by product management. What stands here may be told to anybody, word for word.

{lines}

## Who answers the rest

Nobody makes an answer up. What does not stand above is passed on to

{owners}
"""
    )


def rules_text(case: Case) -> str:
    """Return how offers are written."""
    facets = case.facets
    tiers = {
        "article": "The price depends on how many of an article are wanted: from 1, from "
        "10 or from 50 on.",
        "order": "The price depends on how many pieces the whole order has, all articles "
        "together: from 1, from 10 or from 50 on.",
        "none": "Offers are made at the price for a single piece (from 1); the other "
        "columns are for contracts.",
    }[facets.tiers]
    vat = (
        "All amounts are net; VAT is not mentioned."
        if facets.vat == "none"
        else f"VAT of {facets.vat} % is added to the net amount at the end, rounded down to "
        "whole cents."
    )
    return filled(
        f"""# Replies with prices

A customer gets one reply with everything in it. What was said last counts, and what the
customer no longer needs does not stand there at all.

- {tiers} The price list is in cents.
- A discount is a percentage of the sum of all articles, rounded down to whole cents, and
  only given if the head of sales says so. Freight is 60.00 EUR unless the head of sales
  decides otherwise. A sum taken off for a round figure is the decision of the head of
  sales, too; usually it is 0.
- Net is the sum of the articles, less discount and what is taken off, plus freight. {vat}
- A question is open if nobody of us has answered it in the thread, the customer has not
  settled it, and the sheet of what customers ask has no answer to it.

Nobody promises dates in a first reply.
"""
    )


def instruction_of(brief: Brief, case: Case) -> str:
    """Return the request."""
    facets, root = case.facets, case.facets.root
    task = brief.pick(
        f"{case.customer} of {case.company} waits for an answer; please write it.",
        f"write the reply to the long thread with {case.company}.",
        f"our thread with {case.company} needs one reply that settles what can be settled.",
    )
    rules = brief.pick(
        f"prices and open questions are dealt with as `{root}/rules.md` says",
        f"read `{root}/rules.md` before you count anything",
    )
    user = brief.pick(
        f"{case.lead}, head of sales, has decided something about this offer: say with "
        "`ws say` when you know thread and prices, and before you write",
        f"tell {case.lead} (head of sales, `ws say`) what you have read, before the reply "
        "is written; prices are not only a matter of lists",
    )
    points = [
        _reply(brief, case),
        _points(brief, facets),
        *_extra(facets),
    ]
    return instruction(brief, task, points=points, marks=(rules, user))


def _reply(brief: Brief, case: Case) -> str:
    facets = case.facets
    order = {
        "ordered": "in the order in which they first come up in the thread",
        "name": "by name",
        "dearest": "by what they come to, the highest amount first (by name if equal)",
    }[facets.lines]
    vat = "" if facets.vat == "none" else ", `VAT: AMOUNT`, `Total: AMOUNT`"
    answers = {
        "lines": "; then `Answer N: TEXT` for each question that the sheet answers and "
        "nobody has answered yet, by number, the text as the sheet has it",
        "topics": "; then `About TOPIC: TEXT` for each question that the sheet answers and "
        "nobody has answered yet, by topic in alphabetical order, the text as the sheet "
        "has it",
        "none": "",
    }[facets.answers]
    opening = brief.pick(
        "- The reply is `/workspace/reply.txt`, in lines that our mail program fills in:",
        "- Write `/workspace/reply.txt` line by line as follows:",
    )
    return (
        f"{opening} `To: NAME` ({case.customer}), `Subject: SUBJECT` (as in the thread, "
        f"with one `Re: `), `ARTICLE: N x PRICE = AMOUNT` for each article, {order}, "
        f"`Discount: AMOUNT`, `Taken off: AMOUNT`, `Freight: AMOUNT`, `Net: AMOUNT`{vat}"
        f"{answers}; last `Open: N, N` with the numbers of the open questions. Amounts are "
        "in euros with two decimals and without a sign, like `1204.50`; nothing is `0.00`."
    )


def _points(brief: Brief, facets: Facets) -> str:
    order = {
        "number": "by number",
        "owner": "by owner, then by number",
        "oldest": "the one asked first on top, on the same day by number",
    }[facets.sorted_by]
    return {
        "csv": brief.pick(
            "- `/workspace/open.csv` lists the open questions: `question` (number), `topic`, "
            f"`asked` (date), `by`, `owner` (who answers it), {order}.",
            "- Open questions go to `/workspace/open.csv` as `question`, `topic`, `asked` "
            f"(day), `by` (name) and `owner`, {order}.",
        ),
        "json": "- `/workspace/open.json` is an object: each owner with open questions to the "
        "sorted list of their topics.",
        "txt": "- `/workspace/open.txt` has a line `OWNER: question N of NAME (TOPIC)` for "
        f"each open question, {order}.",
    }[facets.points]


def _extra(facets: Facets) -> tuple[str, ...]:
    changes = (
        "- `/workspace/changes.csv` tells what the customer changed: `date`, `article` and "
        "`quantity` (the new one, 0 if not needed), in the order of the thread."
    )
    articles = (
        "- `/workspace/articles.json` is an object: each article of the reply with "
        "`quantity` and `cents` (of all pieces together)."
    )
    return {"changes": (changes,), "articles": (articles,)}.get(facets.extra, ())
