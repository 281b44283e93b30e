"""How register rules, contracts, amendments and the request are worded."""

import datetime as dt

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.contract_obligations.drawing import (
    Amendment,
    Archive,
    Contract,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def rules_text(archive: Archive) -> str:
    """Return the rules of the register."""
    facets = archive.facets
    amendments = {
        "signed": "An amendment counts once both sides have signed it, whenever it takes "
        "effect. A draft without both signatures does not count.",
        "effective": "An amendment counts if it has taken effect by the day of the "
        "register; signatures may follow. One that takes effect later does not count yet.",
        "both": "An amendment counts if both sides have signed it and it has taken effect "
        "by the day of the register. Drafts and later ones do not count.",
    }[facets.amendments]
    due = {
        "plain": "Due days stay as they are, even on a weekend.",
        "working_day": "A due day on a Saturday or Sunday is moved to the Friday before. "
        "Public holidays are not looked at.",
        "margin": f"The due day of a contract that renews is {archive.margin_days} days "
        "before the last day for notice, so that the letter arrives in time.",
    }[facets.due]
    owners = ""
    if facets.owners_in == "rules":
        rows = sorted(archive.owners.items())
        owners = (
            f"## Who is responsible\n\n{markdown_table(('Subject', 'Owner'), rows)}"
        )
    return filled(f"""# Contract register

Legal keeps the register so that no notice period is missed. Paper originals are in the
safe; what counts for the register are the texts on file.

## Kinds

- `renews`: runs for a term and goes on unless notice is given.
- `ends`: runs for a term and is over then.
- `open`: has no end.

## Days

1. A term of months that begins on a day ends on the day before the same day so many months
   later: 12 months from 2024-03-01 end on 2025-02-28. Renewals follow without a gap.
2. `renews`: the last day for notice is so many days, weeks or months before the last day
   of the term. Months go back to the day with the same number, or to the last day of the
   month if it has none: 2 months before 2025-04-30 is 2025-02-28. What counts is the first
   term whose last day for notice is not before the day of the register, and that day is
   the due day.
3. `ends`: due {archive.review_days} days before the last day of the term, when we look for a
   successor.
4. `open`: due on the next anniversary of the start, the day of the register included, when
   we review it. It has no last day; write `-`.
5. {due}

## Amendments

{amendments} Of several that count, the one of the latest date prevails. An amended term
replaces the first one and begins on the same day.

## What can't be determined

Annexes are not on file. If the start or the notice period stands in an annex only, the
contract's last day and due day are `unknown` and nobody guesses: it goes to the list of unclear
contracts with what is missing, `start` or `notice`.

{owners}
""")


def contract_text(one: Contract, archive: Archive) -> str:
    """Return a contract."""
    start = f"It commences on {_day(one.start)}."
    if one.missing == "start":
        start = "It commences on the day of acceptance, which is recorded in Annex B."
    notice = f"{one.notice} {one.unit} before the end of the running term"
    if one.missing == "notice":
        notice = "within the period that Annex C lays down"
    term = {
        "renews": f"It is concluded for {one.term_months} months and renews for "
        f"{one.renewal_months} months at a time, unless one party gives notice {notice}.",
        "ends": f"It is concluded for {one.term_months} months and ends without notice.",
        "open": "It is concluded for an indefinite time. Each party may terminate it with "
        f"{one.notice} {one.unit} of notice.",
    }[one.kind]
    clauses = {
        "Subject": f"{one.party} provides: {one.subject}.",
        "Commencement": start,
        "Term": term,
        "Fee": f"The fee is {one.fee:,} EUR a year, payable in advance.",
        "Liability": "Each party is liable for intent and gross negligence only.",
        "Final provisions": "Changes need the written form. Annexes are part of this "
        "contract.",
    }
    title = f"Contract {one.number} with {one.party}"
    match archive.facets.layout:
        case "clauses":
            body = "\n".join(
                f"{at}. {text}" for at, text in enumerate(clauses.values(), 1)
            )
        case "headed":
            body = "\n\n".join(f"## {name}\n\n{text}" for name, text in clauses.items())
        case _:
            body = " ".join(clauses.values())
    return filled(f"# {title}\n\n{body}\n")


def amendment_text(one: Amendment, archive: Archive) -> str:
    """Return an amendment."""
    first, second, *_ = archive.signers
    what = {
        "term": f"The term of the contract is {one.months} months.",
        "notice": f"The notice period is {one.months} months before the end of the running "
        "term.",
    }[one.changes]
    theirs = first if one.is_signed else "(outstanding)"
    return filled(f"""# Amendment {one.number} to contract {one.contract}

Dated {_day(one.day)}. {what} This takes effect on {_day(one.effective)}; everything else
remains as agreed.

Signed for the other side: {theirs}. Signed for us: {second}.
""")


def instruction_of(brief: Brief, archive: Archive) -> str:
    """Return the request."""
    today = archive.today.isoformat()
    task = brief.pick(
        f"set up the register of our contracts as of {today}, with what is due when.",
        f"we need to know which contracts we must act on and when; today is {today}.",
        f"go through our contracts and list by when we have to act. Day of the register "
        f"is {today}.",
    )
    points = [_table(brief, archive), _unclear(brief, archive), _record(brief, archive)]
    return instruction(
        brief,
        task,
        points=points,
        marks=(
            _where(brief, archive),
            brief.pick(
                "what is due when, and what counts, is laid down in `docs/register.md`",
                "work by the rules in `docs/register.md`",
            ),
        ),
    )


def _table(brief: Brief, archive: Archive) -> str:
    facets = archive.facets
    columns = {
        "dates": "`contract` (like `C-101`), `counterparty`, `kind`, `last_day` and `due`",
        "full": "`contract` (like `C-101`), `owner`, `kind`, `last_day`, `due` and "
        "`fee_eur` (a year, digits only)",
        "action": "`due`, `contract` (like `C-101`), `owner` and `action` (`decide` if it "
        "renews, `replace` if it ends, `review` if it is open, `clarify` if the due day "
        "is unknown)",
    }[facets.columns]
    which = {
        "all": brief.pick("all contracts", "one line for each contract"),
        "no_open": "contracts that renew or end, so none that is open",
        "fee": f"contracts with a fee of {archive.parameters()['threshold']} EUR a year or "
        "more, no others",
    }[facets.which]
    unknown = {
        "last": "where it is unknown, write `unknown` and put the line at the end (by "
        "contract)",
        "first": "unknown days are written `unknown` and come first, by contract",
        "apart": "contracts with an unknown due day are left out of it",
    }[facets.unknown]
    return (
        f"- `/workspace/register.csv`, columns {columns}: {which}, "
        + brief.pick("sorted by due day", "the earliest due day first")
        + f" and, on one day, by contract; {unknown}. Days are `YYYY-MM-DD`."
    )


def _unclear(brief: Brief, archive: Archive) -> str:
    why = brief.pick("so that we can ask", "for the colleagues who have the annexes")
    form = {
        "csv": "`/workspace/unclear.csv` with `contract` and `missing`, by contract",
        "json": "`/workspace/unclear.json`, an object with `start` and `notice`, each the "
        "sorted list of the contracts that lack it",
        "txt": "`/workspace/unclear.txt`, a line `CONTRACT COUNTERPARTY: MISSING` for each, "
        "by contract",
    }[archive.facets.unclear]
    return f"- What could not be determined, {why}: {form}. It has all such contracts."


def _record(brief: Brief, archive: Archive) -> str:
    what = {
        "by_month": "the months that have due days (`YYYY-MM`), and how many each",
        "by_owner": "the owners that the table has, each with `contracts` (how many) and "
        "`fees` (the fees of these a year, in euros)",
        "next": "`next`, the list of the first three contracts that have a due day, "
        "`known` (how many have one), and `fees` (the sum of the yearly fees of the whole "
        "table, in euros)",
    }[archive.facets.record]
    return brief.pick(
        f"- `/workspace/overview.json`: an object with {what}; it is about what the table has.",
        f"- Sum the table up in `/workspace/overview.json`, one object with {what}.",
    )


def _where(brief: Brief, archive: Archive) -> str:
    amendments = {
        "folder": "contracts are in `contracts`, amendments in `amendments`",
        "beside": "`contracts` has contracts and amendments alike",
        "list": "contracts are in `contracts`, all amendments in `docs/amendments.md`",
    }[archive.facets.kept_in]
    if archive.facets.owners_in == "rules":
        return amendments
    return brief.pick(
        f"{amendments}; owners by subject stand in `docs/owners.csv`",
        f"{amendments}, and `docs/owners.csv` says who is responsible for what",
    )


def _day(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"
