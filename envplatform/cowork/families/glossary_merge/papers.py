"""How rules, lists and the request are worded."""

from collections.abc import Mapping

from envplatform.cowork.families.glossary_merge.drawing import Facets, Lists
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import instruction

PATH = "/workspace/glossary.md"


_TABLE = """
A table begins with these two lines:

    | Term | Definition |
    |---|---|
"""


def rules_text(lists: Lists) -> str:
    """Return the editor's rules."""
    facets = lists.facets
    winner = {
        "newest": "the one that was changed last",
        "ranked": "that of the department named first in the order of precedence",
        "longest": "the longest one, counted in characters",
    }[facets.winner]
    ranks = "".join(
        f"{place}. {name}\n" for place, name in enumerate(lists.departments, 1)
    )
    table = _TABLE if facets.form == "table" else ""
    return f"""# Rules of the common glossary

Departments keep lists of their own; the common glossary says what the whole house means.

- Terms that differ in capital letters only are one term. It is written in small letters.
- A department may have *retired* an entry. Retired entries define nothing as long as
  another department still keeps the term.
- Where several departments define a term, {winner} is taken. No definition is reworded.
- A term that every department has retired is a *retired term*. Its definition is chosen
  among the retired entries in the same way.
- What the common glossary says so far does not count; it is replaced.

Order of precedence, for whatever needs one:

{ranks}{table}"""


def lists_text(lists: Lists) -> Mapping[str, str]:
    """Return a document for each department, by file name."""
    found = {}
    for name in sorted(lists.departments):
        lines = [
            f"## {one.term}\n\n{one.definition}\n\n"
            f"_changed {one.changed}{', retired' if one.retired else ''}_\n"
            for one in lists.entries
            if one.department == name
        ]
        body = "\n".join(lines) or "No entries so far.\n"
        file = name.lower().replace(" ", "_")
        found[f"{file}.md"] = f"# Terms of {name}\n\n{body}"
    return found


def old_text(lists: Lists) -> str:
    """Return the common glossary as it is."""
    lines = "".join(f"- **{term}**: {text}\n" for term, text in lists.old)
    return f"# Glossary\n\n{lines}"


def instruction_of(brief: Brief, lists: Lists) -> str:
    """Return the request."""
    facets = lists.facets
    task = brief.pick(
        "bring the departments' lists of terms together in one glossary.",
        "our departments mean different things by the same words; make the common "
        "glossary out of their lists.",
        "the common glossary has to be written anew from what the departments keep.",
    )
    rules = brief.pick(
        "`docs/` says which definition is taken",
        "the editor's rules are in `docs/`",
        "follow the rules in `docs/`, not your taste",
    )
    where = brief.pick(
        f"the departments' lists are in `{facets.at}`",
        f"look for the lists in `{facets.at}`",
    )
    points = [_place(brief, facets), _form(facets), _order(facets), _retired(facets)]
    return instruction(
        brief, task, points=[*points, *_extra(brief, facets)], marks=(rules, where)
    )


def _place(brief: Brief, facets: Facets) -> str:
    if facets.place == "shared":
        return brief.pick(
            f"- Replace what `{facets.glossary}` holds (`ws write`). It begins with the "
            "line `# Glossary` and an empty line.",
            f"- The glossary lives in `{facets.glossary}`: write it there by `ws write`, "
            "`# Glossary` and an empty line first.",
        )
    return brief.pick(
        f"- Write `{PATH}`, which begins with the line `# Glossary` and an empty line.",
        f"- I want it as `{PATH}`: `# Glossary`, an empty line, then the terms.",
    )


def _form(facets: Facets) -> str:
    owner = {
        "none": "",
        "brackets": ", the department whose definition it is in round brackets behind "
        "the definition",
        "line": ", and ` - ` with the department whose definition it is at the very end",
    }[facets.owners]
    return {
        "list": f"- One line for each term: `- **TERM**: DEFINITION`{owner}.",
        "table": "- The terms form a Markdown table with the columns Term and Definition, "
        f"written `| TERM | DEFINITION |`{owner} (inside the cell), below the two lines that "
        "the rules have for tables.",
        "headings": "- Each term has a line `## TERM` and, right below it, one line with "
        f"the definition{owner}; no empty lines between terms.",
    }[facets.form]


def _order(facets: Facets) -> str:
    return {
        "alphabet": "- Terms in the order of the alphabet.",
        "department": "- Terms by the department whose definition was taken, in order of "
        "precedence, and by the alphabet within one.",
        "newest": "- Terms by the day on which the chosen definition was changed, the "
        "latest first; those of one day by the alphabet.",
    }[facets.order]


def _retired(facets: Facets) -> str:
    return {
        "dropped": "- Retired terms are left out.",
        "marked": "- Retired terms stay in, with ` (retired)` behind the term.",
        "apart": "- Retired terms are left out; list them in `/workspace/retired.txt`, a "
        "term a line, by the alphabet.",
    }[facets.retired]


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    conflicts = brief.pick(
        "- `/workspace/conflicts.csv` with the columns `term` and `departments`: every "
        "term that two departments or more define in entries that are not retired, by "
        "the alphabet, its departments in order of precedence and joined by `; `.",
        "- Tell in `/workspace/conflicts.csv` who disagrees: `term`, `departments` (in "
        "order of precedence, joined by `; `) for all terms with more than one entry "
        "that is not retired, by the alphabet.",
    )
    counts = (
        "- `/workspace/counts.json`: an object with the number of definitions that were "
        "taken from each department; departments without any are left out."
    )
    return {"conflicts": (conflicts,), "counts": (counts,)}.get(facets.extra, ())
