"""A month of bank statements reconciled with the ledger: fees, batches, timing."""

from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.bank_reconciliation.drawing import Month, draw_month
from envplatform.cowork.families.bank_reconciliation.papers import (
    instruction_of,
    procedure_text,
    statements,
)
from envplatform.cowork.family import (
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    told,
)
from envplatform.workspace import Fault

CRITERIA = ("pairs", "kinds", "open_items", "closing")
LEDGER = ("entry", "day", "party", "method", "reference", "amount_cents")


def specify(brief: Brief) -> Specification:
    """Draw the rules and a month in which each of them decides something."""
    month = draw_month(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, month),
        parameters=month.parameters(),
        criteria=CRITERIA,
        facets=told(month.facets),
        drawn=month,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay the month out."""
    month = specification.drawn_as(Month)
    desk = Desk()
    desk.document(
        "procedure",
        f"docs/{brief.pick('reconciliation', 'month_end', 'bank')}.md",
        procedure_text(brief, month),
        about="How bank and ledger are reconciled.",
        kind="schema",
    )
    files = statements(month)
    if len(files) == 1:
        ((name, text),) = files.items()
        desk.document("statement", f"bank/{name}", text, about="The bank's statement.")
    else:
        desk.folder("statement", "bank", files, about="The bank's statement by week.")
    desk.rows(
        "batches",
        "bank_batches.csv",
        ("batch", "reference"),
        month.batches,
        about="Which references a batch has.",
    )
    rows = [
        (one.entry, str(one.day), one.party, one.method, one.reference, one.cents)
        for one in month.entries
    ]
    about = "Ledger of the bank account; amounts in cents, money out below 0."
    if month.facets.ledger_in == "csv":
        desk.rows("ledger", "books/ledger.csv", LEDGER, rows, about=about)
    else:
        types = dict.fromkeys(LEDGER, "TEXT NOT NULL")
        types |= {"entry": "TEXT PRIMARY KEY", "amount_cents": "INTEGER NOT NULL"}
        sheet = Sheet(columns=types, rows=rows)
        desk.store("ledger", "books/ledger", {"ledger": sheet}, about=about)
    return Build(desk=desk, transformable=("batches", "procedure", "statement"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    opens = {
        "one_file": ("open_items.csv", r"bank_charge", "unknown"),
        "two_files": ("open_bank.csv", r"bank_charge", "unknown"),
        "json": ("open_items.json", r"bank_charge", "charges"),
    }[str(view.specification.facets["opens"])]
    table = "matches.csv"
    return (
        _fault("pairs", table, r"L\d+", "L9999"),
        _fault("kinds", table, r",split", ",exact"),
        _fault("kinds", table, r",fee", ",exact"),
        _fault("open_items", *opens),
        _fault("closing", "closing.json", r'(?<="ledger_closing_cents": )\d+', "1"),
        _fault("closing", "closing.json", r'(?<="bank_closing_cents": )\d+', "1"),
    )


def _fault(criterion: str, path: str, old: str, new: str) -> Fault:
    return Fault(criterion=criterion, where="workspace", path=path, old=old, new=new)


FAMILY = Family(
    name="bank_reconciliation",
    title="Bank statements reconciled with the ledger",
    scenario="finance",
    capabilities=("reconcile", "detect_anomalies", "report_honestly"),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
