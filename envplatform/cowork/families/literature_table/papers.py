"""How protocol, studies and request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.literature_table.drawing import (
    TOPICS,
    Effect,
    Facets,
    Review,
    Study,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def protocol_text(review: Review) -> str:
    """Return the protocol."""
    facets = review.facets
    intervention, outcome, unit, side = TOPICS[facets.topic]
    designs = {
        "randomised": "a randomised trial",
        "controlled": "a randomised trial or a cohort with a control group",
    }[facets.designs]
    moment = {
        "first": "the first point in time that its table has",
        "last": "the last point in time that its table has",
        "nearest": "the point in time of its table that is nearest to 12 weeks",
    }[facets.moment]
    conflict = {
        "table": "the table counts, as it is checked more carefully than the text",
        "text": "the text counts, as tables were often mixed up in print",
        "neither": "neither counts: effect and both limits stay empty",
    }[facets.conflict]
    repeats = {
        "largest": f"the one with most people ({facets.people})",
        "latest": "the one of the latest year",
        "first": "the one of the earliest year",
    }[facets.repeats]
    return filled(f"""# Protocol: {intervention.lower()} and {outcome}

Version 3, after the pilot with five papers. Nobody of the team has a stake in the result.

## What is included

The first criterion that a study does not meet is the reason for which it is excluded.

1. `design`: it is {designs}.
2. `people`: at least {review.least_people} people were {facets.people}.
3. `weeks`: its table goes on for at least {review.least_weeks} weeks.
4. `year`: it is of {review.least_year} or later.
5. `repeat`: of several reports with one registration number that meet all the above, only
   {repeats} is included.

## What is taken

- People are those who were {facets.people}.
- The effect is the difference in {outcome} ({unit}), copied exactly as printed, with both
  limits of its interval, at {moment}. `weeks` is that point in time.
- A difference {side} 0 is better.
- Text and table may give different figures for that point in time. That is a conflict,
  and {conflict}.
- What is not printed is `NR`, for *not reported*; nothing is worked out from other figures.
""")


_CLOSINGS = (
    "Whether this holds elsewhere has to be seen.",
    "Those who left the study early did not differ from those who stayed.",
    "A longer follow-up is planned.",
    "We had hoped for more sites to take part.",
    "Managers knew who took part, which may have mattered.",
)


def study_text(review: Review, one: Study) -> str:
    """Return a report."""
    _, outcome, unit, _ = TOPICS[review.facets.topic]
    told = _told(one.told, outcome, unit)
    table = markdown_table(
        ("week", "difference", "95 % CI"),
        [(row.week, row.value or "n/r", _interval(row)) for row in one.effects],
    )
    head = f"# {one.title}\n\n{one.author} and others, {one.year}. {one.city}. "
    head += f"Registration {one.registration}.\n"
    design = one.design
    match review.facets.layout:
        case "prose":
            body = (
                f"This is a {design}. {one.enrolled} people were enrolled, of whom "
                f"{one.analysed} were analysed. {told} No harm was seen.\n\n{table}"
            )
        case "headings":
            body = (
                f"## Methods\n\nDesign: {design}. We enrolled {one.enrolled} people; "
                f"{one.analysed} of them were analysed.\n\n## Results\n\n{told}\n\n{table}\n"
                f"## Discussion\n\n{_CLOSINGS[one.enrolled % len(_CLOSINGS)]}\n"
            )
        case _:
            body = (
                f"- Design: {design}\n- Enrolled: {one.enrolled}\n- Analysed: "
                f"{one.analysed}\n- Funding: public\n\n{told}\n\n{table}"
            )
    return filled(f"{head}\n{body}")


def _told(effect: Effect, outcome: str, unit: str) -> str:
    if not effect.value:
        return f"The authors say that {outcome} got better and print no figures."
    start = (
        f"At {effect.week} weeks the difference in {outcome} was {effect.value} {unit}"
    )
    if not effect.low:
        return f"{start}, without an interval."
    return f"{start} (95 % CI {effect.low} to {effect.high})."


def _interval(row: Effect) -> str:
    return f"{row.low} to {row.high}" if row.low else "n/r"


def instruction_of(brief: Brief, review: Review) -> str:
    """Return the request."""
    facets = review.facets
    intervention, outcome, _, _ = TOPICS[facets.topic]
    what = f"{intervention.lower()} and {outcome}"
    task = brief.pick(
        f"make the evidence table for our review of {what} from the reports in "
        f"`{facets.place}/`.",
        f"screen the reports on {what} in `{facets.place}/` and extract what the protocol "
        "asks for.",
        f"the reports in `{facets.place}/` ({what}) have to become an evidence table.",
    )
    marks = (
        brief.pick(
            "the protocol is in `docs/`; it decides what is included and what is taken",
            "go by the protocol in `docs/`, version 3",
        ),
        brief.pick(
            "figures are copied as they are printed, never worked out or rounded",
            "where a report is silent or contradicts itself, say so; do not mend it",
        ),
    )
    points = [
        _table(brief, facets),
        _open(brief, facets),
        _summary(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=marks)


def _table(brief: Brief, facets: Facets) -> str:
    columns = (
        "`study` (name of the file without `.md`), `year`, `people`, `weeks`, `effect`, "
        "`low`, `high`"
    )
    which = {
        "included": "every study that is included",
        "all": "every study, with a last column `reason`: the criterion for which it is "
        "excluded (`design`, `people`, `weeks`, `year`, `repeat`), else `-`. Of excluded "
        "ones `weeks`, `effect`, `low` and `high` stay empty",
    }[facets.listed]
    order = {
        "study": "by study",
        "year": "by year, oldest first, then by study",
        "people": "by people, most first, then by study",
    }[facets.order]
    return brief.pick(
        f"- `/workspace/evidence.csv` with {columns} under a head line, sorted {order}, has "
        f"a line for {which}.",
        f"- The table is `/workspace/evidence.csv`, {order}: {columns}. One line for "
        f"{which}.",
    )


def _open(brief: Brief, facets: Facets) -> str:
    what = {
        "lists": "an object with `conflicts` (included studies whose text and table "
        "contradict each other at the point in time that is taken) and `missing` (included "
        "studies of which anything is `NR`), both sorted lists",
        "studies": "an object that names each included study with a conflict (`conflict`) "
        "or with anything that is `NR` (`missing`), study to word",
    }[facets.open]
    return brief.pick(
        f"- `/workspace/open.json` tells what the authors have to be asked: {what}.",
        f"- For the letters to the authors, `/workspace/open.json`: {what}.",
    )


def _summary(brief: Brief, facets: Facets) -> str:
    what = {
        "flow": "`screened`, `included` and, for every reason that occurs, how many are "
        "excluded for it",
        "direction": "how many of the included studies with both limits in the table are "
        "`better` (both limits on the better side of 0), `worse` (both on the other side) "
        "and `unclear` (any other), zeros included",
        "range": "`smallest` and `largest` effect in the table, as text and as printed, and "
        "`people` of all included studies together (a number)",
    }[facets.summary]
    return brief.pick(
        f"- `/workspace/summary.json` is an object with {what}.",
        f"- Sum up in `/workspace/summary.json`: one object with {what}.",
    )


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    excluded = brief.pick(
        "- `/workspace/excluded.csv`: `study`, `author` and `reason` of each excluded "
        "study, by study. The author is the one that is named.",
        "- The appendix needs `/workspace/excluded.csv` with `study`, `author` (the one "
        "who is named) and `reason` for all that is excluded, by study.",
    )
    references = (
        "- `/workspace/references.txt`: a line `AUTHOR (YEAR). TITLE. REGISTRATION` for "
        "each included study, in alphabetical order of authors."
    )
    return {"excluded": (excluded,), "references": (references,)}.get(facets.extra, ())
