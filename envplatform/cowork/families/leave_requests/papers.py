"""How leave rules, mails and the request are worded."""

import datetime as dt

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.leave_requests.drawing import TEAM, Office, Request
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def policy_text(office: Office) -> str:
    """Return the leave rules."""
    facets = office.facets
    turn = {
        "submitted": "Requests are looked at one after another in the order in which they "
        "were submitted; on the same day the lower request number goes first.",
        "seniority": "Requests are looked at one after another, those of whoever has been "
        "with us longest first; those of one person by request number.",
        "longest": "Requests are looked at one after another, the one that takes the most "
        "days of leave first; of equal ones the lower request number goes first.",
    }[facets.turn]
    counted = {
        "workdays": "Monday to Friday, public holidays left out",
        "six_days": "Monday to Saturday, public holidays left out",
        "calendar": "every day from the first to the last, weekends and public holidays "
        "included",
    }[facets.counted]
    coverage = {
        "most_off": f"Not more than {office.most_off} of a team may be off on a day.",
        "least_present": f"At least {TEAM - office.most_off} of a team must be there on a day "
        "(who has no leave is there).",
        "deputy": "Nobody is off on a day on which the deputy is; the staff list has "
        "everybody's deputy.",
    }[facets.coverage]
    exempt = {
        "nobody": "There are no exceptions.",
        "parents": "Parents of children at school (`parent` in the staff list) are excepted.",
        "seniors": "Who joined more than "
        f"{office.senior_years} years before the beginning of this year is excepted.",
    }[facets.exempt]
    blocked = ""
    if facets.blocked_in == "policy":
        rows = [
            (team, ", ".join(days)) for team, days in sorted(office.blocked.items())
        ]
        blocked = markdown_table(("Team", "Weeks from Monday"), rows)
    decision = facets.conflict
    days = ", ".join(office.holidays)
    return filled(f"""# Annual leave

Agreed with the works council. {turn} What was granted before counts for all that follows.

## Days

Days of leave are {counted}. Public holidays of the season: {days}.

## Decisions

The first rule that applies decides on the whole request; nothing is granted in part.

1. Submitted less than {office.notice_days} days before the first day of leave: `rejected`, reason
   `notice`.
2. A day of the request lies in a blocked week of the team: `rejected`, reason `blocked`.
3. It takes more days of leave than the person has left after what was granted before:
   `rejected`, reason `balance`.
4. It would break the rule on coverage on a day that is a day of leave: `{decision}`, reason
   `coverage`.
5. Otherwise: `granted`, reason `-`. Only these take days off the balance.

## Coverage

{coverage} Only leave that was granted counts as being off.

## Blocked weeks

A blocked week runs from Monday to Sunday. {exempt}

{blocked}
""")


def mail_text(request: Request, office: Office) -> str:
    """Return a request as it was mailed."""
    person = next(one for one in office.staff if one.number == request.number)
    reasons = ("We are off to the sea.", "My sister gets married.", "Nothing special.")
    why = reasons[int(request.request[2:]) % 3]
    return (
        f"Request: {request.request}\nFrom: {person.name} ({person.number})\n"
        f"Sent: {request.submitted}\n\nHello,\n\nI would like to take leave from "
        f"{request.first} to {request.last}. {why}\n\nBest, {person.name.split()[0]}\n"
    )


def instruction_of(brief: Brief, office: Office) -> str:
    """Return the request."""
    until = office.monday + dt.timedelta(weeks=13)
    season = f"{office.monday.isoformat()} to {until.isoformat()}"
    task = brief.pick(
        f"decide on the requests for leave from {season}.",
        f"the leave requests for the season {season} have to be answered.",
        f"go through all requests for leave ({season}) and say who can go.",
    )
    points = [_table(brief, office), _balances(brief, office), _extra(brief, office)]
    rules = brief.pick(
        "the rules are in `docs/leave.md`, and the order of the requests matters",
        "keep to `docs/leave.md` to the letter, as the works council will look at it",
    )
    return instruction(brief, task, points=points, marks=(_where(brief, office), rules))


def _table(brief: Brief, office: Office) -> str:
    facets = office.facets
    columns = {
        "short": "`request`, `decision` and `reason`",
        "full": "`request`, `number`, `first`, `last`, `days` (of leave that it takes or "
        "would take), `decision` and `reason`",
        "person": "`number`, `name`, `request`, `decision` and `reason`",
    }[facets.columns]
    order = {
        "request": brief.pick("by request", "sorted by request number"),
        "person": brief.pick(
            "by the number of the person, then by request",
            "those of one person together (by staff number), by request",
        ),
        "first": brief.pick(
            "by the first day of leave and, if it is the same, by request",
            "as leaves begin, those of one day by request",
        ),
    }[facets.order_by]
    return f"- `/workspace/decisions.csv`: {columns}, a line for each request, {order}."


def _balances(brief: Brief, office: Office) -> str:
    what = {
        "csv": "`/workspace/balances.csv` with `number` and `left` (days that are left after "
        "what is granted), everybody in the staff list, by number",
        "json": "`/workspace/balances.json`, an object of teams, each an object of staff "
        "numbers and the days that are left to them after what is granted",
        "changed": "`/workspace/balances.csv` with `number`, `before` and `left` (days), only "
        "of those whose balance changes, by number",
    }[office.facets.balances]
    return brief.pick(
        f"- New balances go to payroll: {what}.", f"- Then {what}, for the time system."
    )


def _extra(brief: Brief, office: Office) -> str:
    del brief
    return {
        "calendar": "- `/workspace/calendar.json`: each day on which somebody has granted "
        "leave and that is a day of leave, with the sorted list of their numbers.",
        "letters": "- `/workspace/answers.txt`: a line `NAME: REQUEST DECISION (REASON)` for "
        "each request that is not granted, by request.",
        "teams": "- `/workspace/teams.json`: each team with an object of the reasons that "
        "occur in it, `-` included, and how many requests have them.",
    }[office.facets.extra]


def _where(brief: Brief, office: Office) -> str:
    requests = {
        "csv": "requests are listed in `leave/requests.csv`",
        "store": "requests are the table `requests` of the store `leave/desk`",
        "mails": "requests came as mails and lie in `leave/inbox`",
    }[office.facets.requests_in]
    blocked = ""
    if office.facets.blocked_in == "csv":
        blocked = ", blocked weeks in `leave/blocked.csv`"
    return brief.pick(
        f"{requests}, the staff in `people/staff.csv`{blocked}",
        f"`people/staff.csv` has teams and balances, {requests}{blocked}",
    )
