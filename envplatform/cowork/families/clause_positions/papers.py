"""How playbook, agreement and the instruction are worded."""

from collections.abc import Mapping

from envplatform.cowork.desk import Cell, csv_text, markdown_table
from envplatform.cowork.families.clause_positions.drawing import (
    Clause,
    Deal,
    Facets,
    threshold,
)
from envplatform.cowork.families.clause_positions.topics import TOPICS
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def limits_of(deal: Deal) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Return head and rows of the table of limits."""
    has_column = deal.facets.escalate == "column"
    rows: list[tuple[Cell, ...]] = []
    for one in TOPICS:
        limits = [deal.limits[one.heading][kind] for kind in deal.kinds]
        last = (threshold(one),) if has_column else ()
        rows.append((one.heading, one.figure, one.bound, *limits, *last))
    last_head = ("escalate beyond",) if has_column else ()
    return ("clause", "figure", "bound", *deal.kinds, *last_head), rows


def limits_csv(deal: Deal) -> str:
    """Return the limits as a file."""
    return csv_text(*limits_of(deal))


def playbook_text(deal: Deal) -> str:
    """Return the house's positions."""
    facets = deal.facets
    beyond = {
        "column": "A figure beyond the one in the column `escalate beyond` (above it for "
        "`at most`, below it for `at least`) is escalated.",
        "double": "A figure of more than twice the limit, or of less than half of it "
        "where it is a least one, is escalated.",
        "half": "A figure of more than one and a half times the limit, or of less than "
        "two thirds of it where it is a least one, is escalated.",
    }[facets.escalate]
    others = {
        "accept": "Clauses that this playbook does not name are accepted as they are.",
        "escalate": "Clauses that this playbook does not name are escalated; somebody "
        "has to read them.",
        "leave_out": "Clauses that this playbook does not name are looked at by somebody "
        "else and stand in none of our papers, other than as they came.",
    }[facets.others]
    missing = {
        "add": "If an agreement lacks a clause of the table of limits, our standard text "
        "is to be added: position `add`.",
        "escalate": "If an agreement lacks a clause of the table of limits, that is "
        "escalated, too.",
        "leave_out": "If an agreement lacks a clause of the table of limits, the law "
        "fills the gap, and nothing is done about it.",
    }[facets.missing]
    table = markdown_table(*limits_of(deal)) if facets.limits == "table" else ""
    where = "below" if table else "in `docs/limits.csv`"
    texts = "".join(
        f"### {one.heading}\n\n{one.standard.replace('{n}', '[limit]')}\n\n"
        for one in TOPICS
    )
    law = f"This agreement is governed by the law of {deal.accepted[0]}."
    return filled(f"""# Playbook for agreements with customers

We supply, they buy. Positions are the same for everybody who negotiates for
{deal.ours}.

- The limits {where} depend on the kind of deal. Unless sales has told you otherwise, a
deal is a standard one.
- A figure within its limit, the limit itself included, is accepted: `accept`.
- {beyond} The position is `escalate`.
- Any other figure is not accepted, and the clause gives way to our standard text:
`replace`. In it, [limit] is the limit that applies.
- What sales has conceded binds us: a figure that was conceded is the limit from then on,
for everything that rests on a limit, and a clause that was conceded as a whole is accepted
whatever it says. A column `escalate beyond` stays as it is.
- Governing law: {" and ".join(deal.accepted)} are accepted. {", ".join(deal.replaced)}:
replace it. Any other law is escalated.
- {others}
- {missing}

## Limits

{table or "They are kept in `docs/limits.csv`, a row for each clause."}

## Standard texts

{texts}### Governing law

{law}
""")


def clause_text(one: Clause) -> str:
    """Return a clause as the agreement has it."""
    return f"## {one.number}. {one.heading}\n\n{one.text}\n"


def agreement_text(deal: Deal) -> str:
    """Return the agreement as one document."""
    body = "\n".join(clause_text(one) for one in deal.clauses)
    return f"# Agreement\n\nBetween {deal.theirs} and {deal.ours}.\n\n{body}"


def files_of(deal: Deal) -> Mapping[str, str]:
    """Return the agreement clause by clause."""
    return {f"clause_{one.number:02}.md": clause_text(one) for one in deal.clauses}


def instruction_of(brief: Brief, deal: Deal) -> str:
    """Return the request."""
    facets = deal.facets
    where = {
        "document": f"`{facets.at}.md`",
        "folder": f"the folder `{facets.at}/`, a file for each clause",
    }[facets.agreement]
    task = brief.pick(
        f"{deal.theirs} sent us a draft agreement ({where}); take a position on it.",
        f"go through the draft of {deal.theirs}, {where}, and hold it against our playbook.",
        f"the draft agreement of {deal.theirs} is in {where} and needs an answer from us.",
    )
    user = brief.pick(
        f"{deal.seller} from sales leads the talks and hears you through `ws say`; report "
        "when you have read agreement and playbook, and wait with the papers until then",
        f"once agreement and playbook are read, tell {deal.seller} (sales, `ws say`), who "
        "knows what has been talked about so far",
        f"speak to {deal.seller} of sales (`ws say`) after you have read both agreement "
        "and playbook: what kind of deal this is stands in no paper",
    )
    rules = brief.pick(
        "the playbook lies in `docs/`",
        "positions are those of the playbook in `docs/`, not your own",
        "what we accept is laid down in the playbook in `docs/`",
    )
    points = [
        _positions(brief, facets),
        _redline(brief, facets),
        _note(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=(rules, user))


def _positions(brief: Brief, facets: Facets) -> str:
    order = {
        "clause": "by clause number",
        "position": "by position in alphabetical order, then by clause number",
        "heading": "by heading in alphabetical order",
    }[facets.order]
    new = {
        "add": " A clause that is lacking has the number 0.",
        "escalate": " A clause that is lacking has the number 0 and no figure.",
    }.get(facets.missing, "")
    return (
        brief.pick(
            "- `/workspace/positions.csv` has the columns",
            "- Our positions go into `/workspace/positions.csv`:",
        )
        + " `clause` (its number), `heading`, `position`, `figure` (what the draft says) "
        f"and `limit` (what applies), {order}. Without a figure in the draft, `figure` is "
        "empty; without a limit, or where the clause was conceded as a whole, `limit`."
        + new
    )


def _redline(brief: Brief, facets: Facets) -> str:
    last = (
        " What is added stands there, too."
        if facets.redline == "object"
        else " What is added comes last, as clause 0."
    )
    added = last if facets.missing == "add" else ""
    return {
        "sections": brief.pick(
            "- `/workspace/redline.md` holds what replaces their text: for each such "
            "clause, by number, `## NUMBER. HEADING`, an empty line, our text, and an "
            "empty line before the next.",
            "- The replacements stand in `/workspace/redline.md`, by number: a line "
            "`## NUMBER. HEADING`, an empty line, the new text; an empty line between two.",
        ),
        "object": brief.pick(
            "- `/workspace/redline.json` is an object: the heading of each clause that "
            "gets another text, and this text.",
            "- `/workspace/redline.json` has heading and new text of whatever we replace, "
            "as one object.",
        ),
        "whole": brief.pick(
            "- `/workspace/redline.md` has all clauses in the form of the draft (`## "
            "NUMBER. HEADING`, an empty line, the text, an empty line before the next), "
            "without what stands before clause 1: our text where we replace, else the one "
            "word `Unchanged.`.",
            "- Go through the clauses in `/workspace/redline.md`, from clause 1 to the "
            "last in the form of the draft (`## NUMBER. HEADING`, an empty line, text, an "
            "empty line between two), with our text where we replace and `Unchanged.` "
            "where we do not.",
        ),
    }[facets.redline] + added


def _note(brief: Brief, facets: Facets) -> str:
    return {
        "lines": brief.pick(
            "- `/workspace/escalation.txt` is for the general counsel: a line "
            "`NUMBER HEADING` for each clause that is escalated, by number.",
            "- The general counsel gets `/workspace/escalation.txt`, a line "
            "`NUMBER HEADING` for whatever is escalated, lowest number first.",
        ),
        "table": brief.pick(
            "- `/workspace/escalation.csv` lists what is escalated, by number: `clause`, "
            "`heading`, `text` (theirs, to the letter; empty if it is lacking).",
            "- For the general counsel, `/workspace/escalation.csv` with `clause`, "
            "`heading` and `text` (theirs, to the letter, empty if the clause is lacking) "
            "of whatever is escalated, by number.",
        ),
        "object": "- `/workspace/escalation.json` is an object: heading of what is "
        "escalated, and their text, to the letter (empty if it is lacking).",
    }[facets.note]


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    counts = brief.pick(
        "- `/workspace/counts.json`: how many rows of the positions have which position, "
        "for each that occurs.",
        "- Count the positions by kind in `/workspace/counts.json`, those that occur.",
    )
    gaps = brief.pick(
        "- `/workspace/gaps.csv`: for each figure that is not accepted, by heading, "
        "`heading` and `gap`, by how much it is beyond its limit.",
        "- How far we are apart stands in `/workspace/gaps.csv`: `heading` and `gap` (the "
        "distance of figure and limit) of each figure not accepted, by heading.",
    )
    return {"counts": (counts,), "gaps": (gaps,)}.get(facets.extra, ())
