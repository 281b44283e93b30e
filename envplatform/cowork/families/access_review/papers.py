"""How review rules and the request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.access_review.drawing import CONFLICTS, Review
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def policy_text(review: Review) -> str:
    """Return the rules of the review."""
    facets = review.facets
    leaver = {
        "at_once": "the owner has left before the day of the review",
        "grace": f"the owner left more than {review.grace_days} days before the day of the "
        "review",
        "month_end": "the owner left in a month before that of the review",
    }[facets.leaver]
    service = {
        "excepted": "Service accounts are not reviewed here.",
        "owner": "Of service accounts only the owner is reviewed (`leaver` and `orphan`), "
        "neither use nor roles.",
        "listed": "Service accounts are reviewed like any other.",
    }[facets.service]
    several = {
        "first": "Of an account with several findings only the first one in the order above is "
        "reported.",
        "all": "Of an account with several findings each one is reported.",
        "worst": "Of an account with several findings only the one of the highest severity is "
        "reported; of equal ones the first in the order above.",
    }[facets.several]
    allowed = ""
    if facets.roles_in == "policy":
        rows = [(role, ", ".join(of)) for role, of in sorted(review.allowed.items())]
        allowed = markdown_table(("Role", "Departments"), rows)
    pairs = ", ".join(f"`{one}` with `{other}`" for one, other in CONFLICTS)
    severities = markdown_table(
        ("Finding", "Severity"), sorted(review.severities.items())
    )
    return filled(f"""# Review of access rights

Twice a year Security looks at who has access to what. Owners are given by staff number.

## Findings

1. `leaver`: {leaver}.
2. `orphan`: the owner is not in the staff list at all.
3. `conflict`: the account has two roles that must be apart: {pairs}.
4. `role`: the account has a role that is kept to some departments, and its owner, who is in
   the staff list, is in none of them.
5. `dormant`: the last login was more than {review.dormant_days} days before the day of the
   review. Of an account that was never used, the day on which it was created counts.

{service} {several}

## Severity

{severities}

Accounts with a reported finding of severity `high` are revoked.

## Roles that are kept to departments

All other roles are open to everybody.

{allowed}
""")


def instruction_of(brief: Brief, review: Review) -> str:
    """Return the request."""
    today = review.today.isoformat()
    task = brief.pick(
        f"the review of access rights is due, day of the review {today}.",
        f"go through all accounts and find those that should not be as they are. Today is "
        f"{today}.",
        f"check who still has access to what, as of {today}, and what must be revoked.",
    )
    points = [_table(brief, review), _revoke(brief, review), _overview(brief, review)]
    rules = brief.pick(
        "what counts as a finding stands in `docs/access_review.md`",
        "judge by `docs/access_review.md` and by nothing else",
    )
    return instruction(brief, task, points=points, marks=(_where(brief, review), rules))


def _table(brief: Brief, review: Review) -> str:
    facets = review.facets
    columns = {
        "short": "`account`, `finding` and `severity`",
        "full": "`system`, `account`, `owner`, `finding`, `severity` and `last_login` (`-` if "
        "there was none)",
        "person": "`account`, `name` (of the owner, `-` if the staff list has none), `finding` "
        "and `severity`",
    }[facets.columns]
    order = {
        "account": brief.pick("by account", "sorted by account"),
        "severity": brief.pick(
            "by severity, high first, then medium, and by account within",
            "the high ones first, low ones last, those of one severity by account",
        ),
        "system": brief.pick("by system, then account", "system by system, by account"),
    }[facets.order_by]
    return (
        f"- `/workspace/findings.csv`: {columns}, a line for each finding to be reported, "
        f"{order}; findings of one account that come together otherwise stay in the order of "
        "the rules."
    )


def _revoke(brief: Brief, review: Review) -> str:
    what = {
        "csv": "`/workspace/revoke.csv` with `system`, `account` and `roles` (as they are "
        "written now), by system and account",
        "txt": "`/workspace/revoke.txt`, a line `SYSTEM: ACCOUNT (OWNER)` each, by system and "
        "account",
        "json": "`/workspace/revoke.json`, an object of the systems that have any, each with "
        "the sorted list of accounts",
    }[review.facets.revoke]
    return brief.pick(
        f"- The administrators need the accounts to be revoked: {what}.",
        f"- What is revoked goes to the help desk: {what}.",
    )


def _overview(brief: Brief, review: Review) -> str:
    what = {
        "by_finding": "the findings that are reported, and how often each",
        "by_system": "the systems that have reported findings, and for each `findings` and "
        "`accounts`, how many",
        "by_severity": "the severities that are reported, each with the sorted list of its "
        "accounts, every account once",
    }[review.facets.overview]
    return brief.pick(
        f"- `/workspace/overview.json`: an object with {what}.",
        f"- For the auditors `/workspace/overview.json`, one object: {what}.",
    )


def _where(brief: Brief, review: Review) -> str:
    accounts = {
        "store": "accounts are the table `accounts` in `iam/directory`",
        "csv": "all accounts are in `iam/accounts.csv`",
        "folder": "each system has its own export in `iam/exports`",
    }[review.facets.accounts_in]
    roles = ", restricted roles in `iam/roles.csv`"
    more = roles if review.facets.roles_in == "csv" else ""
    return brief.pick(
        f"{accounts}, the staff list is `people/staff.csv`{more}",
        f"`people/staff.csv` is the staff list, {accounts}{more}",
    )
