"""How policy and request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.dependency_licences.drawing import (
    CLASSES,
    SEE,
    SPELLINGS,
    Code,
    Facets,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def policy_text(code: Code) -> str:
    """Return the policy; everything that decides stands here."""
    facets = code.facets
    classes = markdown_table(
        ("licence", "class"),
        sorted((one, name) for name, ids in CLASSES.items() for one in ids),
    )
    spellings = markdown_table(("declared", "means"), sorted(SPELLINGS.items()))
    choice = {
        "best": "Of licences joined by `OR` we take the one with the best class.",
        "first": "Of licences joined by `OR` the one that is named first counts; Legal "
        "does not want us to choose.",
        "review": "Licences joined by `OR` need a choice by Legal: the verdict is "
        "`review`, unless all of them are permissive. Their class is the worst of them.",
    }[facets.choice]
    weak = {
        "review": "Weak copyleft goes to Legal: `review`.",
        "allow": "Weak copyleft is `allow`, however it is linked.",
        "dynamic": "Weak copyleft is `allow` if the package is linked dynamically, else "
        "`deny`.",
    }[facets.weak]
    dev = {
        "exempt": "Packages of scope `dev` are not shipped: whatever their class is, they "
        "are `allow`.",
        "softer": "Packages of scope `dev` are not shipped: where the rules above say "
        "`deny`, they are `review`.",
        "same": "Packages of scope `dev` are judged like all others, since build images "
        "are given to partners.",
    }[facets.dev]
    exceptions = {
        "exact": "An exception is for exactly the version that it names.",
        "major": "An exception is for all versions with the same first number.",
        "any": "An exception is for the package, in whatever version.",
    }[facets.exceptions]
    register = markdown_table(
        ("package", "version", "why"),
        [(one.name, one.version, one.why) for one in code.exemptions],
    )
    return filled(f"""# Licences of what we use

For project {code.project}, approved by Legal.

## Classes

{classes}
A licence that is not in this table is `unknown`. Some packages declare licences in words:

{spellings}
A package that declares `{SEE}` has a file of its name in `{facets.texts}/`; the first line
of that file is its licence. If there is no such file, its licence is not known.

## Verdicts

1. Permissive licences are `allow`.
2. {weak}
3. Strong copyleft is `deny`.
4. {dev}
5. A package whose licence is not declared or not known is `unknown`, in whatever scope.
6. From best to worst, classes are permissive, weak and strong. {choice} Of licences
   joined by `AND` the one with the worst class counts.

## Exceptions

{register}
{exceptions} It turns `deny` and `review` into `excepted`.
""")


def instruction_of(brief: Brief, code: Code, lock: str) -> str:
    """Return the request."""
    facets = code.facets
    task = brief.pick(
        f"check the packages in `{lock}` of project {code.project} against our licence "
        "policy.",
        f"{code.project} goes out next week; tell which packages in `{lock}` the licence "
        "policy lets through.",
        f"we need a licence review of everything that `{lock}` ({code.project}) pulls in.",
    )
    marks = (
        brief.pick(
            "the policy is in `docs/`, its exceptions included",
            "judge by the policy in `docs/` alone",
        ),
        brief.pick(
            "do not guess a licence: what is not known is reported as such",
            "a licence that you can't find is unknown, whatever the package looks like",
        ),
    )
    points = [
        _verdicts(brief, facets),
        _notice(brief, facets),
        _unknown(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=marks)


def _verdicts(brief: Brief, facets: Facets) -> str:
    order = {
        "package": "by package",
        "verdict": "by verdict, then by package",
        "licence": "by licence (empty ones first), then by package",
    }[facets.order]
    which = {
        "all": "one line for every package",
        "not_allowed": "one line for every package whose verdict is not `allow`",
    }[facets.listed]
    licence = brief.pick(
        "`licence` (what is declared or stands in its file, words replaced as the policy "
        "says; empty if there is none)",
        "`licence` (as declared or as its file has it, in the spelling of the policy; empty "
        "where none is found)",
    )
    columns = {
        "class": f"`package`, `version`, {licence}, `class` (`unknown` where the verdict "
        "is) and `verdict`",
        "plain": f"`package`, {licence} and `verdict`",
        "scope": f"`package`, `version`, `scope`, {licence} and `verdict`",
    }[facets.columns]
    return brief.pick(
        f"- `/workspace/verdicts.csv` with {columns} under a head line; {which}, in "
        f"alphabetical order {order}.",
        f"- Put {which} into `/workspace/verdicts.csv`, in alphabetical order {order}. The "
        f"columns are {columns}.",
        f"- The verdicts go into `/workspace/verdicts.csv`: {columns}; {which}; sort "
        f"alphabetically, {order}.",
    )


def _notice(brief: Brief, facets: Facets) -> str:
    if facets.notice == "lines":
        what = "a line `NAME VERSION (LICENCE)` for each of them, by name"
    else:
        what = (
            "for each licence, in alphabetical order, a line `LICENCE:` and below it a line "
            "`- NAME VERSION` for each package, by name; no empty lines"
        )
    return brief.pick(
        "- `/workspace/NOTICE` for what is shipped, so all `runtime` packages that are "
        f"`allow` or `excepted`: {what}. The licence is as in the table.",
        f"- Write the notice file `/workspace/NOTICE`: {what}. It names the `runtime` "
        "packages with the verdict `allow` or `excepted` and no others, with the licence "
        "as above.",
    )


def _unknown(brief: Brief, facets: Facets) -> str:
    if facets.unknown == "list":
        return (
            "- `/workspace/unknown.json`: the sorted list of the packages whose verdict is "
            "`unknown`."
        )
    return brief.pick(
        "- `/workspace/unknown.json` is an object: each package with the verdict `unknown`, "
        "with why: `undeclared`, `no_file` or `not_in_policy`.",
        "- Say in `/workspace/unknown.json` for each `unknown` package why: `undeclared` "
        "(nothing is declared), `no_file` (its file is missing) or `not_in_policy`; one "
        "object, package to reason.",
    )


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    paths = brief.pick(
        "- `/workspace/paths.csv`: `package` and `direct` for each package with the verdict "
        "`deny`, by package: the one that we need ourselves and through which it comes "
        "(`via` tells step by step), itself if it is one.",
        "- For every `deny` we need to know whom to drop: `/workspace/paths.csv` with "
        "`package` and `direct`, the package at the top of its chain of `via` (itself where "
        "`via` is `-`), by package.",
    )
    counts = (
        "- `/workspace/counts.json`: for each verdict that occurs an object with the number "
        "of `runtime` and of `dev` packages, zeros included."
    )
    return {"paths": (paths,), "counts": (counts,)}.get(facets.extra, ())
