"""A pay run for hourly staff, while time sheets and rates are still corrected."""

from dataclasses import astuple

from envplatform.cowork.desk import Desk, Sheet, csv_text
from envplatform.cowork.families.payroll_run.drawing import draw_payroll
from envplatform.cowork.families.payroll_run.papers import (
    SCALE,
    instruction_of,
    letter_text,
    policy_text,
    scale_text,
)
from envplatform.cowork.families.payroll_run.records import Payroll
from envplatform.cowork.families.payroll_run.talking import (
    CONTRACTS,
    ENTRIES,
    LETTERS,
    SHEETS,
    STORE,
    contract_row,
    user_of,
)
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
    told,
)
from envplatform.workspace import Fault

CRITERIA = ("people", "amounts", "record", "extra")
ENTRY = {
    "entry": "TEXT PRIMARY KEY",
    "number": "TEXT NOT NULL",
    "day": "TEXT NOT NULL",
    "kind": "TEXT NOT NULL",
    "start": "TEXT NOT NULL",
    "end": "TEXT NOT NULL",
    "break_min": "INTEGER NOT NULL",
    "shift": "TEXT NOT NULL",
    "approved_by": "TEXT NOT NULL",
}
CONTRACT = (
    "number",
    "name",
    "department",
    "grade",
    "weekly_hours",
    "travel_cents_a_day",
    "rate_cents_an_hour",
)


def specify(brief: Brief) -> Specification:
    """Draw the rules, then time sheets in which each of them decides something."""
    run = draw_payroll(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, run),
        parameters=run.parameters(),
        criteria=CRITERIA,
        facets=told(run.facets),
        drawn=run,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay contracts, time sheets and rules out."""
    run = specification.drawn_as(Payroll)
    desk = Desk()
    desk.document(
        "policy",
        "docs/pay_rules.md",
        policy_text(run),
        about="How hourly staff are paid.",
        kind="schema",
    )
    _lay_contracts(desk, run)
    _lay_sheets(desk, run)
    return Build(
        desk=desk,
        user=user_of(brief, run),
        operations=TALKING,
        transformable=("contracts", "policy"),
    )


def _lay_contracts(desk: Desk, run: Payroll) -> None:
    if run.facets.contracts_in == "letters":
        letters = {f"{one.number}.txt": letter_text(one) for one in run.contracts}
        desk.folder("contracts", LETTERS, letters, about="Contracts, one a person.")
        return
    is_scale = run.facets.contracts_in == "scale"
    desk.rows(
        "contracts",
        CONTRACTS,
        CONTRACT[:-1] if is_scale else CONTRACT,
        [contract_row(run, one) for one in run.contracts],
        about="Contracts of hourly staff.",
    )
    if is_scale:
        desk.document("scale", SCALE, scale_text(run.contracts), about="Hourly rates.")


def _lay_sheets(desk: Desk, run: Payroll) -> None:
    about = "Entries of the time sheets, `L` is a late shift."
    rows = [astuple(one) for one in run.entries]
    match run.facets.sheets_in:
        case "store":
            sheet = Sheet(
                columns={f'"{name}"': kind for name, kind in ENTRY.items()}, rows=rows
            )
            desk.store("sheets", STORE, {"entries": sheet}, about=about)
        case "csv":
            desk.rows("sheets", ENTRIES, tuple(ENTRY), rows, about=about)
        case _:
            files = {
                f"{one.number}.csv": csv_text(
                    tuple(ENTRY), [row for row in rows if row[1] == one.number]
                )
                for one in run.contracts
            }
            desk.folder("sheets", SHEETS, files, about=about)


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    extra = {
        "unapproved": ("open.csv", r"^T\d+", "T99999"),
        "overtime": ("overtime.txt", r":\d\d$", ":61"),
        "absences": ("absences.json", r'"leave": \d+', '"leave": 11'),
    }[str(view.specification.facets["extra"])]
    edits = {
        "people": ("pay.csv", r"^\d{4},", "9999,"),
        "amounts": ("pay.csv", r"\d$", "x"),
        "record": ("totals.json", r": \d+", ": 7"),
        "extra": extra,
    }
    return faults_of(view, edits)


FAMILY = Family(
    name="payroll_run",
    title="A pay run while time sheets and rates are corrected",
    scenario="people",
    capabilities=(
        "calculate",
        "follow_policy",
        "cross_reference",
        "recover_from_change",
    ),
    artefacts=("table", "record"),
    pattern="patches",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
