"""Configurations of several services compared with a baseline, exceptions respected."""

from dataclasses import asdict, astuple

from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.config_drift.drawing import (
    Drift,
    Facets,
    draw_drift,
)
from envplatform.cowork.families.config_drift.papers import (
    baseline_text,
    instruction_of,
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

_REGISTER = (
    "exception",
    "service",
    "environment",
    "key",
    "value",
    "until",
    "approved",
)


def specify(brief: Brief) -> Specification:
    """Draw a baseline and what became of it."""
    drift = draw_drift(brief.chance, brief.names)
    facets = drift.facets
    folder = brief.pick("register", "governance", "exceptions")
    suffix = ".csv" if facets.register == "csv" else ""
    register = f"{folder}/exemptions{suffix}"
    return Specification(
        instruction=instruction_of(brief, drift, register),
        parameters={
            "facets": dict(asdict(facets)),
            "day": drift.day,
            "register": register,
            "target": list(drift.target),
            "file": drift.path(*drift.target),
            "baseline": [
                [
                    one.key,
                    one.old,
                    one.default,
                    {
                        name: [rule, list(values)]
                        for name, (rule, values) in one.wanted.items()
                    },
                ]
                for one in drift.settings
            ],
        },
        criteria=criteria_of(facets),
        facets=told(facets),
        drawn=drift,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("drifts", "corrected", "summary", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay files, baseline and register out."""
    drift = specification.drawn_as(Drift)
    facets = drift.facets
    desk = Desk()
    desk.document(
        "baseline",
        f"docs/{brief.pick('baseline', 'configuration', 'standards')}.md",
        baseline_text(drift),
        about="What configurations have to be.",
        kind="schema",
    )
    desk.folder(
        "configurations",
        facets.place,
        {
            drift.path(*where): "".join(f"{line}\n" for line in lines)
            for where, lines in drift.files.items()
        },
        about="Configurations, SERVICE.ENVIRONMENT and a suffix.",
    )
    register, about = str(specification.parameters["register"]), "Exceptions."
    rows = [astuple(one) for one in drift.register]
    if facets.register == "csv":
        desk.rows("register", register, _REGISTER, rows, about=about)
    else:
        columns = dict.fromkeys(_REGISTER, "TEXT NOT NULL")
        sheets = {"exemptions": Sheet(columns=columns, rows=rows)}
        desk.store("register", register, sheets, about=f"{about} Table exemptions.")
    return Build(desk=desk, transformable=("baseline", "register"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    wanted = view.specification.instruction
    path = str(view.specification.parameters["file"])
    edits = {
        "drifts": ("drift.csv", r",value\b", ",missing"),
        "corrected": (path, r"(?i)^log_level\W+\w+$", "log_level=none"),
        "summary": ("summary.json", r"\d+(?=\D*\Z)", "99"),
    }
    if "expired.json" in wanted:
        edits["extra"] = ("expired.json", r"EX-\d+", "EX-99")
    if "keys.json" in wanted:
        edits["extra"] = ("keys.json", r'\[\s*"\w+"', '["nobody"')
    return faults_of(view, edits)


FAMILY = Family(
    name="config_drift",
    title="Configurations compared with a baseline",
    scenario="software",
    capabilities=("cross_reference", "detect_anomalies", "transform", "follow_policy"),
    artefacts=("table", "code"),
    pattern="single_turn",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
