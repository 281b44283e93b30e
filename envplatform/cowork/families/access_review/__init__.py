"""A review of access rights: leavers, orphans, duties that must be apart, dormant accounts."""

from dataclasses import astuple

from envplatform.cowork.desk import Desk, Sheet, csv_text
from envplatform.cowork.families.access_review.drawing import Review, draw_review
from envplatform.cowork.families.access_review.papers import (
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

CRITERIA = ("findings", "order", "revoked", "overview")
ACCOUNT = ("account", "system", "kind", "owner", "roles", "created", "last_login")


def specify(brief: Brief) -> Specification:
    """Draw the rules, then accounts in which each of them decides something."""
    review = draw_review(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, review),
        parameters=review.parameters(),
        criteria=CRITERIA,
        facets=told(review.facets),
        drawn=review,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay rules, staff and accounts out."""
    del brief
    review = specification.drawn_as(Review)
    desk = Desk()
    desk.document(
        "policy",
        "docs/access_review.md",
        policy_text(review),
        about="How access is reviewed.",
        kind="schema",
    )
    desk.rows(
        "staff",
        "people/staff.csv",
        ("number", "name", "department", "left"),
        [astuple(one) for one in review.people],
        about="Staff, those who left included.",
    )
    if review.facets.roles_in == "csv":
        rows = [(role, one) for role, of in review.allowed.items() for one in of]
        columns = ("role", "department")
        about = "Roles that are kept to departments."
        desk.rows("roles", "iam/roles.csv", columns, sorted(rows), about=about)
    _lay_accounts(desk, review)
    return Build(desk=desk, transformable=("accounts", "policy", "staff"))


def _lay_accounts(desk: Desk, review: Review) -> None:
    rows, about = [astuple(one) for one in review.accounts], "Accounts and their roles."
    match review.facets.accounts_in:
        case "csv":
            desk.rows("accounts", "iam/accounts.csv", ACCOUNT, rows, about=about)
        case "store":
            sheet = Sheet(columns=dict.fromkeys(ACCOUNT, "TEXT NOT NULL"), rows=rows)
            desk.store("accounts", "iam/directory", {"accounts": sheet}, about=about)
        case _:
            files = {
                f"{system}.csv": csv_text(
                    ACCOUNT, [row for row in rows if row[1] == system]
                )
                for system in sorted({one.system for one in review.accounts})
            }
            desk.folder("accounts", "iam/exports", files, about=about)


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    revoked = {
        "csv": ("revoke.csv", r",\w+,", ",nobody,"),
        "txt": ("revoke.txt", r"\d{4}", "0000"),
        "json": ("revoke.json", r'"(?=\])|"(?=\s*\])', 'x"'),
    }[str(view.specification.facets["revoke"])]
    overview = (
        ("overview.json", r'"(?=\s*\])', 'x"')
        if view.specification.facets["overview"] == "by_severity"
        else ("overview.json", r": \d+", ": 99")
    )
    edits = {
        "findings": (
            "findings.csv",
            r"\b(leaver|orphan|conflict|role|dormant)\b",
            "other",
        ),
        "order": ("findings.csv", r"\A(.*\n).*\n", "account\n"),
        "revoked": revoked,
        "overview": overview,
    }
    return faults_of(view, edits)


FAMILY = Family(
    name="access_review",
    title="A review of accounts and roles against the staff list",
    scenario="compliance",
    capabilities=("detect_anomalies", "cross_reference", "follow_policy"),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
