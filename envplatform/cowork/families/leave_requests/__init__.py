"""Requests for leave, decided by notice, blocked weeks, balances and coverage."""

from dataclasses import astuple

from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.leave_requests.deciding import every_rule_decides
from envplatform.cowork.families.leave_requests.drawing import (
    Office,
    draw_office,
    with_requests,
)
from envplatform.cowork.families.leave_requests.papers import (
    instruction_of,
    mail_text,
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

CRITERIA = ("listing", "decisions", "balances", "extra")
STAFF = ("number", "name", "team", "since", "balance", "parent", "deputy")
REQUEST = ("request", "number", "submitted", "first", "last")


def specify(brief: Brief) -> Specification:
    """Draw the rules, then requests in which each of them decides something."""
    office = draw_office(brief.chance, brief.names)
    while not every_rule_decides(office):
        office = with_requests(brief.chance, office)
    return Specification(
        instruction=instruction_of(brief, office),
        parameters=office.parameters(),
        criteria=CRITERIA,
        facets=told(office.facets),
        drawn=office,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay rules, staff and requests out."""
    del brief
    office = specification.drawn_as(Office)
    desk = Desk()
    desk.document(
        "policy",
        "docs/leave.md",
        policy_text(office),
        about="How leave is granted.",
        kind="schema",
    )
    staff = [astuple(one) for one in office.staff]
    desk.rows("staff", "people/staff.csv", STAFF, staff, about="Staff and balances.")
    rows, about = [astuple(one) for one in office.requests], "Requests for leave."
    match office.facets.requests_in:
        case "csv":
            desk.rows("requests", "leave/requests.csv", REQUEST, rows, about=about)
        case "store":
            columns = dict.fromkeys(REQUEST, "TEXT NOT NULL")
            sheets = {"requests": Sheet(columns=columns, rows=rows)}
            desk.store("requests", "leave/desk", sheets, about=about)
        case _:
            mails = {f"{o.request}.txt": mail_text(o, office) for o in office.requests}
            desk.folder("requests", "leave/inbox", mails, about=about)
    if office.facets.blocked_in == "csv":
        weeks = sorted((team, day) for team, of in office.blocked.items() for day in of)
        columns_ = ("team", "week_from")
        about = "Blocked weeks."
        desk.rows("blocked", "leave/blocked.csv", columns_, weeks, about=about)
    return Build(desk=desk, transformable=("policy", "requests", "staff"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    balances = "balances.json" if facets["balances"] == "json" else "balances.csv"
    extra = {
        "calendar": ("calendar.json", r'"\d{3}"', '"999"'),
        "letters": ("answers.txt", r"L-\d+", "L-999"),
        "teams": ("teams.json", r": \d+", ": 99"),
    }[str(facets["extra"])]
    edits = {
        "listing": ("decisions.csv", r"L-\d+", "L-999"),
        "decisions": ("decisions.csv", r",\w+,(notice|blocked|balance)$", ",granted,-"),
        "balances": (balances, r"\d+(?=\D*\Z)", "99"),
        "extra": extra,
    }
    return faults_of(view, edits)


FAMILY = Family(
    name="leave_requests",
    title="Requests for leave against balances, coverage and blocked weeks",
    scenario="people",
    capabilities=("schedule", "follow_policy", "classify"),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
