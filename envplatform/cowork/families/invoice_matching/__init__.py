"""Invoices matched against orders and deliveries, while deliveries are still booked."""

from dataclasses import astuple

from envplatform.cowork.conversation import (
    all_of,
    any_of,
    changes,
    edit,
    has_fired,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Sheet, insert_row
from envplatform.cowork.families.invoice_matching.drawing import (
    Books,
    Facets,
    draw_books,
)
from envplatform.cowork.families.invoice_matching.papers import (
    instruction_of,
    invoice_text,
    policy_text,
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
from envplatform.user.plan import Fact, Plan
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw the rules, then books in which each of them decides something."""
    books = draw_books(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, books),
        parameters=books.parameters(),
        criteria=criteria_of(books.facets),
        facets=told(books.facets),
        drawn=books,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored; a table of what is paid has one reason only."""
    reasons = () if facets.listed == "paid" else ("reasons",)
    besides = () if facets.extra == "none" else ("besides",)
    return ("verdicts", *reasons, "payable", "summary", *besides)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay the books out."""
    books = specification.drawn_as(Books)
    facets = books.facets
    desk = Desk()
    desk.document(
        "policy",
        f"docs/{brief.pick('matching', 'invoice_rules', 'payables')}.md",
        policy_text(books),
        about="How invoices are matched.",
        kind="schema",
    )
    desk.folder(
        "invoices",
        facets.folder,
        {
            f"{number:03}.txt": invoice_text(one, facets)
            for number, one in enumerate(books.invoices, 1)
        },
        about="Invoices as they came in, one a file.",
    )
    desk.store(
        "purchasing",
        facets.store,
        {
            "orders": Sheet(
                columns={
                    "order_no": "TEXT PRIMARY KEY",
                    "supplier": "TEXT NOT NULL",
                    "item": "TEXT NOT NULL",
                    "quantity": "INTEGER NOT NULL",
                    "unit_cents": "INTEGER NOT NULL",
                },
                rows=[astuple(one) for one in books.orders],
            ),
            "deliveries": Sheet(
                columns={
                    "slip": "TEXT PRIMARY KEY",
                    "order_no": "TEXT NOT NULL",
                    "day": "TEXT NOT NULL",
                    "quantity": "INTEGER NOT NULL",
                },
                rows=[astuple(one) for one in books.deliveries],
            ),
        },
        about="Tables orders and deliveries, one row a delivery slip. Amounts in cents.",
    )
    return Build(
        desk=desk,
        user=_user(brief, books),
        operations=TALKING,
        transformable=("invoices", "policy"),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    edits = {
        "verdicts": ("match.csv", r"^(\d{3},)(pay|hold),", "999,pay,"),
        "reasons": ("match.csv", r",quantity,", ",price,"),
        "payable": ("match.csv", r"[1-9](\d|\.)*\n", "7\n"),
        "summary": ("summary.json", r"\d+(?=\D*\Z)", "1"),
    }
    besides = {
        "holds.txt": ("holds.txt", r"quantity$", "price"),
        "questions.json": ("questions.json", r'"\d{3}"', '"999"'),
    }
    path = next((one for one in besides if one in view.specification.instruction), "")
    if path:
        edits["besides"] = besides[path]
    return faults_of(view, edits)


def _user(brief: Brief, books: Books) -> Plan:
    facets = books.facets
    late = insert_row("deliveries", astuple(books.late))
    looked = any_of(
        has_queried(facets.store, 2),
        all_of(
            has_queried(facets.store),
            has_read(f"{facets.folder}/001.txt"),
        ),
    )
    told = Fact(
        id="cancelled",
        text=f"order {books.cancelled} was cancelled, so nothing of it is to be paid",
        literals=(books.cancelled,),
    )
    return plan(
        brief,
        name=books.clerk,
        goal="wants the late delivery and the cancelled order taken into account",
        facts=(told,),
        signals=(
            changes(
                "late_delivery",
                looked,
                edit(f"{facets.store}.sql", "COMMIT;", f"{late}\nCOMMIT;"),
            ),
            tells(
                "tell",
                all_of(has_fired("late_delivery"), has_spoken()),
                brief.pick(
                    "A late delivery was booked just now, so look at the deliveries "
                    "once more. Besides, {cancelled}.",
                    "{cancelled}. And the warehouse booked one more delivery while "
                    "you were reading.",
                ),
            ),
        ),
    )


FAMILY = Family(
    name="invoice_matching",
    title="Invoices matched against orders and deliveries",
    scenario="finance",
    capabilities=(
        "cross_reference",
        "extract",
        "follow_policy",
        "recover_from_change",
        "ask_when_unclear",
    ),
    artefacts=("table", "record"),
    pattern="patches",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
