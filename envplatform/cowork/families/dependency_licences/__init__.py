"""Packages of a code base judged by a licence policy with exceptions."""

import json
from dataclasses import asdict, astuple

from envplatform.cowork.desk import Desk, csv_text
from envplatform.cowork.families.dependency_licences.drawing import (
    CLASSES,
    SPELLINGS,
    Code,
    Facets,
    Package,
    draw_code,
)
from envplatform.cowork.families.dependency_licences.papers import (
    instruction_of,
    policy_text,
)
from envplatform.cowork.family import (
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
    told,
)
from envplatform.workspace import Fault

_FIELDS = ("name", "version", "licence", "scope", "linked", "via")


def specify(brief: Brief) -> Specification:
    """Draw packages and a policy."""
    code = draw_code(brief.chance, brief.names)
    facets = code.facets
    lock = f"{facets.place}/{brief.pick('packages', 'dependencies', 'app')}"
    lock += {"toml": ".lock", "json": ".json", "csv": ".csv"}[facets.lock]
    return Specification(
        instruction=instruction_of(brief, code, lock),
        parameters={
            "facets": dict(asdict(facets)),
            "lock": lock,
            "classes": {one: name for name, ids in CLASSES.items() for one in ids},
            "spellings": dict(SPELLINGS),
            "exemptions": [[one.name, one.version] for one in code.exemptions],
        },
        criteria=criteria_of(facets),
        facets=told(facets),
        drawn=code,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("verdicts", "notice", "unknown", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay lock file, licence files and policy out."""
    code = specification.drawn_as(Code)
    desk = Desk()
    desk.document(
        "policy",
        f"docs/{brief.pick('licences', 'open_source', 'licence_policy')}.md",
        policy_text(code),
        about="Which licences may be used, and how.",
        kind="schema",
    )
    lock = str(specification.parameters["lock"])
    about = "Packages that are installed, with what they declare."
    desk.document("lock", lock, lock_text(code), about=about)
    files = {f"{name}.txt": text for name, text in sorted(code.texts.items())}
    desk.folder("texts", code.facets.texts, files, about="Licence files of packages.")
    return Build(desk=desk, transformable=("policy", "lock", "texts"))


def lock_text(code: Code) -> str:
    """Return the lock file."""
    match code.facets.lock:
        case "csv":
            return csv_text(_FIELDS, [astuple(one) for one in code.packages])
        case "json":
            packages = [asdict(one) for one in code.packages]
            return json.dumps({"lockfile": 2, "packages": packages}, indent=1) + "\n"
        case _:
            head = f"# locked for {code.project}; do not edit by hand\nversion = 2\n"
            return head + "".join(map(_block, code.packages))


def _block(one: Package) -> str:
    lines = [f'{name} = "{value}"\n' for name, value in asdict(one).items() if value]
    return f"\n[[package]]\n{''.join(lines)}"


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    edits = {
        "verdicts": ("verdicts.csv", r",deny$", ",allow"),
        "notice": ("NOTICE", r"\d+\.\d+\.\d+", "0.0.0"),
        "unknown": ("unknown.json", r'"\w+"', '"nothing"'),
    }
    if "paths.csv" in view.specification.instruction:
        edits["extra"] = ("paths.csv", r",\w+$", ",nothing")
    if "counts.json" in view.specification.instruction:
        edits["extra"] = ("counts.json", r"\d+", "99")
    return faults_of(view, edits)


FAMILY = Family(
    name="dependency_licences",
    title="Packages judged by a licence policy",
    scenario="software",
    capabilities=("classify", "follow_policy", "report_honestly", "cross_reference"),
    artefacts=("table", "document"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
