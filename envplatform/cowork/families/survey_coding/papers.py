"""How code book and request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.survey_coding.drawing import Facets, Survey
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def book_text(survey: Survey) -> str:
    """Return the code book."""
    facets = survey.facets
    columns = ("code", "name", "terms")
    rows: list[tuple[str, ...]] = [
        (one.number, one.name, "; ".join(one.terms)) for one in survey.codes
    ]
    if facets.precedence == "weight":
        columns = (*columns, "weight")  # type: ignore[assignment]  # one more
        rows = [
            (*row, str(one.weight)) for row, one in zip(rows, survey.codes, strict=True)
        ]
    precedence = {
        "book": "the one that stands further up in the table comes first",
        "mention": "the one whose term is mentioned first in the answer comes first",
        "weight": "the one with the higher weight comes first",
    }[facets.precedence]
    number = {
        "one": "An answer gets one code.",
        "two": "An answer gets two codes at most.",
    }[facets.codes]
    praise = {
        "left_out": "A term right after `No complaint about the` is praise and does not "
        "count.",
        "counted": "Praise counts as well: a term after `No complaint about the` is a "
        "mention like any other.",
    }[facets.praise]
    again = {
        "first": "Some people answered twice. Their first answer, the one with the lower "
        "number, counts; the other is left out of everything.",
        "last": "Some people answered twice. Their last answer, the one with the higher "
        "number, counts; the other is left out of everything.",
        "both": "Some people answered twice. Both answers are coded, as two.",
    }[facets.again]
    open_point = (
        f"Code {survey.unclear} is disputed. What becomes of it is decided by "
        f"{survey.owner} for each survey anew."
        if survey.is_about_a_code
        else "One of the batches did not come from our own interviewers. Which one, and "
        f"what is done with it, is decided by {survey.owner}."
    )
    return filled(f"""# Code book: {facets.domain}

Third edition. The question was: "What should we change first?"

{markdown_table(columns, rows)}
## Coding

1. A code applies if one of its terms stands in the answer, whatever words are around it.
2. {number} Of several that apply {precedence}.
3. {praise}
4. An answer of fewer than 3 words gets code 98 (`no answer`) and no other.
5. An answer to which no code applies gets code 99 (`unclassified`).

## Who counts

{again}

## Open

{open_point}
""")


def instruction_of(brief: Brief, survey: Survey) -> str:
    """Return the request."""
    facets = survey.facets
    place = {
        "csv": f"`{facets.place}.csv`",
        "store": f"`{facets.place}` (table `answers`)",
        "folder": f"`{facets.place}/` (one file a batch)",
    }[facets.data]
    task = brief.pick(
        f"code the open answers of the {facets.domain} survey; they are in {place}.",
        f"the answers to the open question on {facets.domain} in {place} have to be "
        "coded.",
        f"turn the free text of the {facets.domain} survey ({place}) into codes and "
        "counts.",
    )
    book = brief.pick(
        "the code book is in `docs/`, and its rules decide, not the sense of an answer",
        "code by the book in `docs/` as it stands, however odd a single case looks",
    )
    owner = brief.pick(
        f"the book leaves one thing open; {survey.owner} decides it and hears you through "
        "`ws say` once you have read book and answers",
        f"{survey.owner} has to settle what the book leaves open: read book and answers, "
        "then write (`ws say`), and do not deliver before",
        f"when you know book and answers, tell {survey.owner} so (`ws say`); there is one "
        "open point that only the owner of the survey can settle",
    )
    points = [
        _coded(brief, facets),
        _frequencies(brief, facets),
        _unclassified(brief, facets),
        *_extra(facets),
    ]
    return instruction(brief, task, points=points, marks=(book, owner))


def _coded(brief: Brief, facets: Facets) -> str:
    label = {
        "number": "as a number with two digits",
        "name": "by their names, `no answer` and `unclassified` included",
    }[facets.label]
    second = ", `second` (empty if there is none)" if facets.codes == "two" else ""
    order = {
        "answer": "by number of the answer",
        "code": "by number of the code, then of the answer",
        "batch": "by batch in alphabetical order, then by number of the answer",
    }[facets.order]
    return brief.pick(
        f"- `/workspace/coded.csv`: `answer`, `batch`, `code`{second} under a head line, "
        f"codes {label}, one line for each answer that counts, {order}.",
        f"- Every answer that counts gets a line in `/workspace/coded.csv`, {order}: "
        f"`answer`, `batch`, `code`{second}. Codes are written {label}.",
    )


def _frequencies(brief: Brief, facets: Facets) -> str:
    codes = "code (written as above)"
    mentions = (
        "answers have it" if facets.codes == "one" else "answers have it, first or "
    )
    mentions += "" if facets.codes == "one" else "second"
    what = {
        "total": f"for every {codes} that occurs, how many {mentions}",
        "by_batch": "for every batch that counts an object with, for every "
        f"{codes} that occurs in it, how many {mentions}",
        "percent": f"for every {codes} that occurs, in how many percent of the answers that "
        "count it occurs, as text with one decimal, half of a tenth rounded up "
        "(`12.5`)",
    }[facets.frequencies]
    return brief.pick(
        f"- `/workspace/frequencies.json` is an object: {what}.",
        f"- `/workspace/frequencies.json` tells {what}; one JSON object.",
    )


def _unclassified(brief: Brief, facets: Facets) -> str:
    if facets.unclassified == "list":
        return brief.pick(
            "- `/workspace/unclassified.json`: the sorted list of the numbers of "
            "unclassified answers.",
            "- The numbers of all answers that stay unclassified go into "
            "`/workspace/unclassified.json`, a sorted list.",
        )
    return (
        "- `/workspace/unclassified.txt` for the next edition of the book: a line `NUMBER: "
        "TEXT` for each unclassified answer, its text unchanged, by number."
    )


def _extra(facets: Facets) -> tuple[str, ...]:
    examples = (
        "- `/workspace/examples.csv` with `code`, `answer`, `text`: for each code that is "
        "the (first) code of an answer, by its number, the answer with the lowest number "
        "and its text, unchanged. Codes are written as above."
    )
    repeats = (
        "- `/workspace/repeats.csv` with `person`, `first`, `last`: who answered twice "
        "and the numbers of both answers, by person; all batches, whatever counts."
    )
    return {"examples": (examples,), "repeats": (repeats,)}.get(facets.extra, ())
