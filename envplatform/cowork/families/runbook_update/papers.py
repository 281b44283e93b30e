"""How runbooks, rules, requests and the instruction are worded."""

import datetime as dt
from collections.abc import Mapping

from envplatform.cowork.families.runbook_update.drawing import (
    Facets,
    Request,
    Runbook,
    Shelf,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

_FORMS = {"iso": "%Y-%m-%d", "long": "%-d %B %Y", "dotted": "%d.%m.%Y"}


def runbook_text(one: Runbook, facets: Facets) -> str:
    """Return a runbook as it is before any work."""
    facts, listed = one.facts, "".join(f"- {k}: {v}\n" for k, v in one.facts.items())
    day = dt.date.fromisoformat(one.reviewed).strftime(_FORMS[facets.day])
    return f"""# Runbook: {one.service}

Owner: {one.owner}
Last reviewed: {day}

What to do when {one.service} is slow or does not answer. Write down what you did; the
shift after yours will ask.

## Facts

{listed}
## When it does not answer

1. Log in to {facts["Host"]} and read the end of {facts["Log file"]}.
2. Try whether port {facts["Port"]} of {facts["Host"]} takes a connection.
3. If it does not, run `{facts["Restart"]}` and wait {one.minutes} minutes.
4. Before anything is deleted, check that the backup ({facts["Backup"]}) has run.
5. Still nothing: call {facts["On call"]}, then {one.owner}.

## History

- {one.moved}: moved to {facts["Host"]}, port {facts["Port"]}.
- {one.reviewed}: reviewed with {facts["On call"]}.
"""


def rules_text(shelf: Shelf) -> str:
    """Return by which rules requests are taken over."""
    facets, day = shelf.facets, shelf.day.isoformat()
    approval = {
        "status": "Who approved it does not matter: the status tells.",
        "owner": "It must have been approved by the owner whom the runbook names. "
        "Approved by anybody else: `wrong_approver`.",
        "board": "It must have been approved by a member of the change board, which is "
        f"{' and '.join(shelf.board)}. Approved by anybody else: `wrong_approver`.",
    }[facets.approval]
    due = {
        "by_day": "later than the day of the review",
        "before_day": "not earlier than the day of the review; the day itself is too late",
        "week_after": "more than 7 days after the day of the review",
    }[facets.due]
    conflict = {
        "effective": "the one with the latest effective date",
        "number": "the one with the highest number",
        "approved": "the one that was approved last",
    }[facets.conflict]
    return filled(f"""# Keeping runbooks current

Runbooks are read at night by people in a hurry. What they say must be so, and nothing
is put into them that has not been decided.

The day of this review is {day}. For each request the first rule that applies decides.

1. There is no runbook of that service, or its facts have no such line: `unknown`.
2. The status is not `approved`: `not_approved`.
3. {approval}
4. It takes effect {due}: `not_yet`.
5. Among the requests for the same fact that are left by now, {conflict} is taken; any
other is `superseded`.
6. The runbook says so already: `no_change`.
7. Otherwise the change is made: `applied`.

A value is taken over as it is spelled in the request. The history of a runbook tells what
was, and is never changed.
""")


def request_text(one: Request) -> str:
    """Return a request as a ticket."""
    return (
        f"Request: {one.number}\nService: {one.service}\nFact: {one.fact}\n"
        f"New value: {one.value}\nStatus: {one.status}\n"
        f"Approved by: {one.approver or '-'}\nApproved on: {one.approved or '-'}\n"
        f"Effective: {one.effective}\n"
    )


def instruction_of(brief: Brief, shelf: Shelf) -> str:
    """Return the request."""
    facets = shelf.facets
    where = {
        "csv": f"`{facets.at}.csv`",
        "store": f"the store `{facets.at}`",
        "folder": f"the folder `{facets.at}/`",
    }[facets.requests]
    task = brief.pick(
        f"bring the runbooks in `{facets.runbooks}/` up to date with the change requests "
        f"in {where}.",
        f"work the change requests in {where} into our runbooks (`{facets.runbooks}/`).",
        f"our runbooks in `{facets.runbooks}/` are behind; the change requests in {where} "
        "have to get into them.",
    )
    user = brief.pick(
        f"{shelf.manager} keeps the requests and hears you through `ws say`; tell when "
        "you have been through them, before you edit anything",
        f"before the first edit, report to {shelf.manager} (`ws say`), in whose hands the "
        "requests are, what you have read",
    )
    rules = brief.pick(
        "which requests are taken over is laid down in `docs/`",
        "decide by the rules in `docs/`",
        "the document in `docs/` says what counts as decided, and in which order",
    )
    points = [
        brief.pick(
            "- Edit the runbooks where they are (`ws edit` or `ws write`). ",
            "- The edits are made in the shared runbooks themselves, with `ws`. ",
        )
        + _reach(brief, facets)
        + " "
        + _reviewed(brief, facets)
        + brief.pick(
            " Everything else stays as it is, to the letter.",
            " No other line may differ afterwards.",
        ),
        _log(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=(rules, user))


def _reach(brief: Brief, facets: Facets) -> str:
    return {
        "facts": brief.pick(
            "A changed value is changed in the list of facts only; the steps are "
            "rewritten by the owners.",
            "Touch the line in the list of facts and leave the steps below alone, even "
            "where they repeat it.",
        ),
        "everywhere": brief.pick(
            "A changed value is replaced in the list of facts and wherever the steps "
            "repeat it.",
            "Facts and steps must agree: replace the old value in both.",
        ),
        "facts_was": brief.pick(
            "In the list of facts, and there only, the line gets the new value and the "
            "old one behind it, like `- Port: 9000 (was 8000)`.",
            "Change the list of facts only, and keep the old value in brackets: "
            "`- Port: 9000 (was 8000)`.",
        ),
    }[facets.reach]


def _reviewed(brief: Brief, facets: Facets) -> str:
    form = {
        "iso": "the day of the review, like `2024-05-31`",
        "long": "the day of the review, written like `31 May 2024`",
        "dotted": "the day of the review, written like `31.05.2024`",
    }[facets.day]
    return {
        "changed": f"`Last reviewed:` gets {form}, in runbooks that were changed and in "
        "no others.",
        "all": f"Every runbook, changed or not, has been reviewed: `Last reviewed:` gets "
        f"{form}.",
        "numbered": brief.pick(
            f"In each changed runbook, `Last reviewed:` gets {form}, and behind it, in "
            "brackets, the numbers of what was applied: `(CR-1, CR-2)`, in rising order.",
            f"Where something was applied, `Last reviewed:` gets {form}, followed by the "
            "rising numbers of what was applied, as `(CR-1, CR-2)`.",
        ),
    }[facets.reviewed]


def _log(brief: Brief, facets: Facets) -> str:
    order = {
        "number": "in the order of their numbers",
        "runbook": "by service, those of one service by number",
        "decision": "by decision in alphabetical order, those of one decision by number",
    }[facets.order]
    opening = brief.pick(
        "- `/workspace/changelog.csv` lists all requests",
        "- Keep a log of all requests in `/workspace/changelog.csv`",
    )
    return (
        f"{opening}, {order}: `request`, `decision`, `service`, `fact`, `before` and "
        "`after` under a head line. Before and after are the values of what was applied "
        "and empty for everything else."
    )


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    owners = brief.pick(
        "- `/workspace/owners.json` tells the owners: an object with the name of each "
        "whose runbooks were changed, and the sorted numbers of what was applied there.",
        "- For the owners, `/workspace/owners.json`: owner of a changed runbook to the "
        "list of the applied numbers in it, sorted.",
    )
    pending = brief.pick(
        "- `/workspace/pending.txt` has a line `DATE NUMBER SERVICE` for each request "
        "decided `not_yet`, by effective date and then number.",
        "- What is decided `not_yet` we come back to: `/workspace/pending.txt`, lines "
        "`DATE NUMBER SERVICE` with the effective date, earliest first, then by number.",
    )
    return {"owners": (owners,), "pending": (pending,)}.get(facets.extra, ())


def texts_of(shelf: Shelf) -> Mapping[str, str]:
    """Return all runbooks by file name."""
    books = sorted(shelf.runbooks, key=lambda one: one.service)
    return {f"{one.service}.md": runbook_text(one, shelf.facets) for one in books}
