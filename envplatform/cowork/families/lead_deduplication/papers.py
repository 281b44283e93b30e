"""How rules, cards and the request are worded."""

from envplatform.cowork.families.lead_deduplication.drawing import OWN, Lead, Pool
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

GOLDEN = ("id", "name", "company", "email", "phone", "city", "opt_in", "segment")


def rules_text(pool: Pool) -> str:
    """Return the rules of merging."""
    facets = pool.facets
    key = {
        "email": "Two records are the same contact if their mail addresses agree, and for "
        "no other reason. A record without one stays alone.",
        "email_or_phone": "Two records are the same contact if their mail addresses agree "
        "or their phone numbers do; empty fields agree with nothing. It carries over: if A "
        "goes with B and B with C, all three are one.",
        "name_company": "Two records are the same contact if name and company agree. "
        "Mail addresses and phones do not matter for that: shared mailboxes are common, "
        "and people have several numbers.",
    }[facets.key]
    survivor = {
        "newest": "Each field has the value of the record that was updated last, among "
        "those of the contact that have a value there.",
        "source": "Each field has the value of the best source that has one: `crm` before "
        "`form` before `fair`; of two records from one source, the one updated last.",
        "fullest": "The record with the most values among name, company, email, phone and "
        "city is the base, of equal ones the one updated last. Gaps are filled from the "
        "others, the one updated last first.",
    }[facets.survivor]
    consent = {
        "strictest": "`opt_in` is `no` as soon as one record of the contact says `no`",
        "latest": "`opt_in` is what the record says that was updated last",
        "crm": "`opt_in` is what the record from `crm` says, the one updated last if there "
        "are two; without one, `no`",
    }[facets.consent]
    unwanted = {
        "internal": f"`internal`: the mail address is one of our own, `@{OWN}`",
        "competitor": "`competitor`: the mail address is at "
        f"{' or '.join(f'`{one}`' for one in pool.rivals)}",
        "stale": f"`stale`: it was last updated before {pool.stale_before}",
    }[facets.unwanted]
    number = {
        "lowest": "the lowest id among its records, as text",
        "oldest": "the id of the record whose update lies back longest",
        "crm_first": "the lowest id among its records from `crm`, or of all its records if "
        "`crm` has none",
    }[facets.number]
    low, high = pool.sizes
    by_region = "; ".join(
        f"{region}: {', '.join(c for c, r in sorted(pool.regions.items()) if r == region)}"
        for region in ("Coast", "North", "South")
    )
    segment = {
        "size": f"`small` below {low} employees, `medium` below {high}, `large` from there "
        "on; the highest number that one of the records has counts",
        "sources": "`warm` if its records come from at least two sources, `cold` otherwise",
        "region": f"the region of the merged city ({by_region}), and `unknown` without a city",
    }[facets.segment]
    return filled(f"""# One record for each contact

Marketing and sales share these rules since the fairs of 2024. Records come from `crm`, from the web
`form` and from cards of the `fair`.

## Before anything else

Spaces around values do not count. Names are compared and kept as `Ada Baros`, each word with a
capital; mail addresses in lower case; phone numbers as `+` and digits only, `00` at the beginning
being `+`.

## Left out

A record is left out, whatever else it has in common with others, for the first reason that fits:

1. `no_contact`: it has neither mail address nor phone number.
2. {unwanted}.

## The same contact

{key}

## What survives

{survivor} {consent}.

The id of a contact is {number}.

## Segment

A contact's segment is {segment}.
""")


def card_text(one: Lead) -> str:
    """Return a card of the fair as it was typed in."""
    return (
        f"Card {one.id}\nName: {one.name}\nCompany: {one.company} ({one.employees} people)\n"
        f"Mail: {one.email}\nPhone: {one.phone}\nCity: {one.city}\n"
        f"May we write to you? {one.opt_in}\nTaken on {one.updated}\n"
    )


def instruction_of(brief: Brief, pool: Pool) -> str:
    """Return the request."""
    facets = pool.facets
    task = brief.pick(
        "our contacts lie about in three places, and half of them twice. Merge them.",
        "merge the leads from CRM, web form and fair into one record a contact.",
        "clean up the leads: one record for each contact out of CRM, form and fair.",
    )
    points = [_golden(brief, pool), _mapping(brief, pool), _report(brief, pool)]
    if facets.leftovers == "file":
        points.append(
            "- `/workspace/left_out.csv`: "
            + brief.pick(
                "`record` and `reason` of what is left out, by record.",
                "what was left out and why, columns `record`, `reason`, sorted by `record`.",
            )
        )
    return instruction(
        brief,
        task,
        points=(
            brief.pick("The result:", "What I expect:", "Please deliver:"),
            *brief.chance.sample(points, len(points)),
        ),
        marks=(
            brief.pick(
                "the rules are in `docs`, the records in the store `crm/leads` and "
                "below `incoming`",
                "`crm/leads` is a store, the other two sources lie below `incoming`, and `docs` "
                "has the rules",
            ),
            brief.pick(
                "the records as they came in stay as they are",
                "nothing is changed in the sources themselves",
            ),
        ),
    )


def _golden(brief: Brief, pool: Pool) -> str:
    columns = ", ".join(f"`{one}`" for one in GOLDEN[:4])
    rest = ", ".join(f"`{one}`" for one in GOLDEN[4:])
    if pool.facets.target == "store":
        return "- " + brief.pick(
            "Put the merged contacts into the table `contacts` of the store `crm/contacts`, which "
            f"is empty: {columns} and then {rest}, empty text for what nobody knows.",
            f"The table `contacts` of the store `crm/contacts` takes the contacts ({columns} and "
            f"then {rest}); it is yours to fill. Unknown values are empty texts.",
        )
    order = {
        "id": "by `id`",
        "company": "by company and then by `id`",
        "updated": "those whose records were touched last first (the newest update of a "
        "contact counts)",
    }[pool.facets.order_by]
    return "- `/workspace/contacts.csv`: " + brief.pick(
        f"the merged contacts with {columns} and then {rest}, sorted {order}; unknown "
        "fields are empty.",
        f"one line a contact: {columns} and then {rest}. Leave empty what nobody knows. "
        f"Sorted {order}.",
    )


def _mapping(brief: Brief, pool: Pool) -> str:
    what = {
        "file": "for each record that is not left out",
        "report": "for each record that is not left out",
        "mapping": "for every record; for one that is left out the reason stands in place "
        "of the contact",
    }[pool.facets.leftovers]
    return "- `/workspace/mapping.csv`: " + brief.pick(
        f"`record` and `contact`, the ids of both, {what}, by record.",
        f"which `record` went into which `contact` {what}; ids, sorted by `record`.",
    )


def _report(brief: Brief, pool: Pool) -> str:
    what = {
        "segments": "`segments`, how many contacts each segment that occurs has",
        "sources": "`sources`, for `crm`, `form` and `fair` how many contacts have a record "
        "from there",
        "sizes": "`sizes`, how many contacts were made of one record, of two and so on (keys "
        'like `"2"`, only those that occur)',
    }[pool.facets.report]
    left = ""
    if pool.facets.leftovers == "report":
        left = ", and `left_out`, the reason by record for what is left out"
    return "- `/workspace/report.json`: " + brief.pick(
        f"an object with `records` (all that came in), `contacts` (how many) and {what}{left}.",
        f"`records` and `contacts` as counts, before and after, {what}{left}; one object.",
    )
