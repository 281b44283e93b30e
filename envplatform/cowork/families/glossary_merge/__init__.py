"""Departments' lists of terms brought together in one glossary."""

from dataclasses import asdict

from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.glossary_merge.drawing import (
    Facets,
    Lists,
    draw_lists,
)
from envplatform.cowork.families.glossary_merge.papers import (
    instruction_of,
    lists_text,
    old_text,
    rules_text,
)
from envplatform.cowork.family import (
    READING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
)
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw lists and the form of the glossary."""
    lists = draw_lists(brief.chance, brief.names)
    facets = asdict(lists.facets)
    return Specification(
        instruction=instruction_of(brief, lists),
        parameters={"facets": dict(facets), "departments": list(lists.departments)},
        criteria=criteria_of(lists.facets),
        facets={name: str(value) for name, value in facets.items()},
        drawn=lists,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    retired = ("retired",) if facets.retired == "apart" else ()
    return ("terms", "definitions", "form", *retired, *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay lists and rules out."""
    lists = specification.drawn_as(Lists)
    facets = lists.facets
    desk = Desk()
    desk.document(
        "rules",
        f"docs/{brief.pick('editors', 'glossary_rules', 'words')}.md",
        rules_text(lists),
        about="How the common glossary is made.",
        kind="schema",
    )
    if facets.source == "folder":
        desk.folder(
            "lists",
            facets.at,
            lists_text(lists),
            about="Lists of terms, a department each.",
        )
    else:
        sheet = Sheet(
            columns={
                "department": "TEXT NOT NULL",
                "term": "TEXT NOT NULL",
                "definition": "TEXT NOT NULL",
                "changed": "TEXT NOT NULL",
                "retired": "INTEGER NOT NULL",
            },
            rows=[
                (o.department, o.term, o.definition, o.changed, int(o.retired))
                for o in lists.entries
            ],
        )
        desk.store(
            "lists",
            facets.at,
            {"entries": sheet},
            about="Table entries, retired 0 or 1.",
        )
    desk.document(
        "glossary",
        facets.glossary,
        old_text(lists),
        about="The common glossary.",
        kind="state",
    )
    shared = facets.place == "shared"
    return Build(
        desk=desk,
        operations=(*READING, "write", "edit") if shared else READING,
        writable_names=(facets.glossary,) if shared else (),
        transformable=("rules", "lists") if facets.source == "folder" else ("rules",),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    shared = facets["place"] == "shared"
    path = facets["glossary"] if shared else "glossary.md"
    first = {
        "list": r"^- \*\*[^*]+\*\*: .*\n",
        "table": r"^\| (?!Term)[a-z].*\n",
        "headings": r"^## .*\n.*\n",
    }[facets["form"]]
    edits = {
        "terms": (path, first, ""),
        "definitions": (path, r"[a-z]\.", "z."),
        "form": (path, r"\A# Glossary\n", "# Words\n"),
        "retired": ("retired.txt", r"\A.*\n", ""),
        "extra": ("conflicts.csv", r"; .*$", ""),
    }
    if facets["extra"] == "counts":
        edits["extra"] = ("counts.json", r"\d+", "99")
    held = {"terms", "definitions", "form"} if shared else set()
    return tuple(
        Fault(
            criterion=name,
            where="held" if name in held else "workspace",
            path=path,
            old=old,
            new=new,
        )
        for name, (path, old, new) in edits.items()
        if name in view.specification.criteria
    )


FAMILY = Family(
    name="glossary_merge",
    title="Lists of terms brought together in one glossary",
    scenario="knowledge",
    capabilities=("transform", "reconcile", "follow_policy", "edit_in_place"),
    artefacts=("document", "shared_resource", "table"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
