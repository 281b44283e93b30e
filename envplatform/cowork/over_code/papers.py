"""What lies on the desk around a bug, and how the task is put."""

from dataclasses import dataclass

from envplatform.bundle import Environment
from envplatform.cowork.conversation import (
    all_of,
    changes,
    edit,
    has_fired,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import (
    Desk,
    Sheet,
    csv_text,
    insert_row,
    markdown_table,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.over_code.drawing import ALL_ELSE, Handover, Line, Ticket
from envplatform.cowork.prose import filled, instruction
from envplatform.user.plan import Fact, Plan, WorkspaceChange

REPORT = "report/issue.md"
POLICY = "docs/change_notes.md"
TRACKER = "tracker/tickets"
CALENDAR = "release/lines.csv"
OWNERS = "docs/owners.csv"
TRANSFORMABLE = ("calendar", "owners", "policy", "report", "tracker")
SEPARATOR = "\n\n---\n\n"
"""Between a report and the directions that follow it."""
_LINE_HEAD = ("line", "next_build", "freeze", "state")
_KEYS = (
    ("ticket", "key of the ticket"),
    ("severity", "severity of that ticket, as a word"),
    ("line", "release line that the repair goes to"),
    ("build", "next build of that line"),
    ("files", "list of the files of the repository that were changed, sorted"),
    ("owners", "list of those who own them, sorted"),
    ("approval", "number under which the repair was approved"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an environment of code says: of the defect, and of the work."""

    title: str
    text: str
    directions: str


def report_of(environment: Environment) -> Report:
    """Take the report out of an instruction."""
    text, mark, directions = environment.instruction.rpartition(SEPARATOR)
    if not mark:
        text, directions = environment.instruction, ""
    title = text.strip().partition("\n")[0].lstrip("# ").strip()
    return Report(title=title, text=f"{text.strip()}\n", directions=directions)


def desk_of(handover: Handover, report: Report, repository: str) -> Desk:
    """Lay out everything that is served."""
    desk = Desk()
    desk.document("report", REPORT, report.text, about="What was reported.")
    desk.document(
        "policy",
        POLICY,
        policy_text(handover, repository),
        about="How change notes are written.",
        kind="schema",
    )
    sheet = Sheet(
        columns={
            "key": "TEXT PRIMARY KEY",
            "title": "TEXT NOT NULL",
            "severity": "INTEGER NOT NULL",
            "state": "TEXT NOT NULL",
            "merged_into": "TEXT",
            "reporter": "TEXT NOT NULL",
        },
        rows=[_row(one) for one in handover.tickets],
    )
    desk.store("tracker", TRACKER, {"tickets": sheet}, about="Table tickets.")
    desk.rows(
        "calendar",
        CALENDAR,
        _LINE_HEAD,
        [_cells(one) for one in handover.lines],
        about="Release lines, oldest first.",
        kind="state",
    )
    desk.rows(
        "owners",
        OWNERS,
        ("prefix", "team", "contact"),
        [(one.prefix, one.team, one.contact) for one in handover.owners],
        about="Who owns which part of the code.",
    )
    return desk


def policy_text(handover: Handover, repository: str) -> str:
    """Return the document that says how the note is to be written."""
    first, last = {
        "age": ("oldest open line", "newest open line"),
        "freeze": ("open line that freezes first", "open line that freezes last"),
    }[handover.facets.order]
    words = ", ".join(f"{n} is `{word}`" for n, word in handover.words.items())
    who = {"team": "teams", "contact": "contacts"}[handover.facets.owners]
    return filled(
        f"# Change notes\n\n"
        f"{handover.project} ships its own builds of {repository}. Each repair is handed "
        "over with a change note, by which release and support find out what has come. "
        "A note is a JSON object with exactly these keys:\n\n"
        f"{markdown_table(('key', 'what it holds'), _KEYS)}\n"
        "## Tickets\n\n"
        "The report's title is the ticket's title in the tracker. A ticket that was "
        "merged is not named in a note any more: the one that it was merged into is, and "
        "its severity counts. The tracker has severities as numbers; in a note "
        f"{words}.\n\n"
        "## Release lines\n\n"
        f"{limit_sentence(handover.limit)} {first}, all others to the {last}. A line "
        "takes repairs while its state is `open`, whatever its dates say.\n\n"
        "## Files and owners\n\n"
        "A note lists files that the repository had and that the repair changes or "
        "removes. Tests and their settings are left out; files that are new may be "
        "named and need not. The owner of a file is found by the longest prefix with "
        f"which its path begins; `{ALL_ELSE}` fits what no other prefix fits. A note "
        f"names the {who} of all its files, each once.\n\n"
        "## Approval\n\n"
        f"{handover.manager} releases, and gives each repair an approval number on "
        "being told of it. The number is written down in the note only.\n"
    )


def limit_sentence(limit: int) -> str:
    """Return how the policy says which severities are urgent."""
    return f"Severities up to {limit} go to the"


def instruction_of(
    brief: Brief, handover: Handover, report: Report, repository: str
) -> str:
    """Return the goal, as the agent reads it."""
    pick = brief.pick
    task = pick(
        f'repair the defect of {repository} that is reported as "{report.title}", and '
        "hand the repair over with its change note.",
        f'somebody has to look into "{report.title}" in {repository}: repair it, please, '
        "and write the change note that goes with it.",
    )
    points = [
        f"The report is served: `ws read {REPORT}`; `ws list` tells what else there is.",
        f"- The note goes to `/workspace/{handover.note}`; `{POLICY}` says what it holds.",
        f"- Tickets: `{TRACKER}`; release lines: `{CALENDAR}`; owners: `{OWNERS}`.",
        f"- {handover.manager} can be reached with `ws say`, and gives the approval "
        + pick("number.", "number once you have looked at the papers."),
    ]
    marks = [
        pick(
            "the note has to be right for what the papers say when you hand over",
            "papers and tracker are worked on by others too, and the note is read "
            "against their last state",
        ),
        "a note without the repair is of no use to anybody",
    ]
    told = instruction(brief, task, points=points, marks=marks)
    return (
        f"{told.strip()}{SEPARATOR}{report.directions}" if report.directions else told
    )


def user_of(brief: Brief, handover: Handover) -> Plan:
    """Return the release manager, who changes something and knows the approval number."""
    views = {
        "merge": has_queried(TRACKER),
        "freeze": has_read(CALENDAR),
        "rule": has_read(POLICY),
    }
    looked = views[handover.facets.change]
    if handover.facets.waits == "policy":
        looked = all_of(looked, views["rule"])
    told = {
        "merge": ("I have just merged the ticket.", "The tracker has moved on since."),
        "freeze": ("One of the lines is frozen now.", "Look at the lines once more."),
        "rule": (
            "The policy has changed today.",
            "Read the policy again, I edited it.",
        ),
    }[handover.facets.change]
    return plan(
        brief,
        name=handover.manager,
        goal="wants a note that is right for what has changed meanwhile",
        signals=(
            changes("change", looked, change_of(handover)),
            tells(
                "approve",
                all_of(has_fired("change"), has_spoken()),
                brief.pick(
                    f"Good that you take it: {{approval}}. {told[0]}",
                    f"{told[1]} As for the repair, {{approval}}.",
                ),
            ),
        ),
        facts=(
            Fact(
                id="approval",
                text=f"it is approved under the number {handover.approval}",
                literals=(handover.approval,),
            ),
        ),
    )


def change_of(handover: Handover) -> WorkspaceChange:
    """Return what the user does to the papers."""
    ours, line = handover.ours, handover.frozen
    match handover.facets.change:
        case "merge":
            state = ("merged", handover.other.key)
            old = _row(ours)
            return edit(
                f"{TRACKER}.sql",
                insert_row("tickets", old),
                insert_row("tickets", (*old[:3], *state, old[5])),
            )
        case "freeze":
            before = csv_text((), [_cells(line)]).strip()
            return edit(CALENDAR, before, before.removesuffix("open") + "frozen")
        case _:
            return edit(
                POLICY,
                limit_sentence(handover.limit),
                limit_sentence(handover.later_limit),
            )


def _row(one: Ticket) -> tuple[str | int | None, ...]:
    into = one.merged_into or None
    return (one.key, one.title, one.severity, one.state, into, one.reporter)


def _cells(one: Line) -> tuple[str, ...]:
    return (one.name, one.build, one.freeze, one.state)
