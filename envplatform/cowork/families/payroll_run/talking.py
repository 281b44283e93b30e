"""The user: what is entered while the agent works, when, and how it is told."""

from dataclasses import astuple

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
from envplatform.cowork.desk import csv_text, insert_row
from envplatform.cowork.families.payroll_run.papers import SCALE, rate_text, scale_line
from envplatform.cowork.families.payroll_run.records import Contract, Entry, Payroll
from envplatform.cowork.family import Brief
from envplatform.user.plan import Plan, Signal, WorkspaceChange
from envplatform.user.predicates import Predicate

STORE = "time/clock"
ENTRIES = "time/entries.csv"
SHEETS = "time/sheets"
CONTRACTS = "hr/contracts.csv"
LETTERS = "hr/contracts"


def contract_row(run: Payroll, one: Contract) -> tuple[str | int, ...]:
    """Return a contract as the list has it; rates stand elsewhere if there is a scale."""
    row = astuple(one)
    return row[:-1] if run.facets.contracts_in == "scale" else row


def user_of(brief: Brief, run: Payroll) -> Plan:
    """Return a user that enters something once it has been looked at."""
    edits = _edits(run)
    message = _message(brief, run)
    looked = _looked(run)
    signals: tuple[Signal, ...] = (
        changes("entering", all_of(looked, has_spoken()), *edits, message=message),
    )
    if run.facets.telling == "quiet":
        signals = (
            changes("entering", looked, *edits),
            tells("tell", all_of(has_fired("entering"), has_spoken()), message),
        )
    return plan(
        brief,
        name=run.clerk,
        goal="wants the run to rest on what is entered now",
        signals=signals,
    )


def _looked(run: Payroll) -> Predicate:
    """Whether what will change has been looked at."""
    if run.facets.event == "rate":
        return {
            "csv": has_read(CONTRACTS),
            "letters": has_read(f"{LETTERS}/{_raised(run)[0][0].number}.txt"),
            "scale": has_read(SCALE),
        }[run.facets.contracts_in]
    return {
        "store": has_queried(STORE),
        "csv": has_read(ENTRIES),
        "folder": has_read(f"{SHEETS}/{_mended(run)[0][0].number}.csv"),
    }[run.facets.sheets_in]


def _raised(run: Payroll) -> list[tuple[Contract, Contract]]:
    pairs = zip(run.contracts, run.contracts_after, strict=True)
    return [(old, new) for old, new in pairs if old != new]


def _mended(run: Payroll) -> list[tuple[Entry, Entry]]:
    pairs = zip(run.entries, run.entries_after, strict=True)
    return [(old, new) for old, new in pairs if old != new]


def _edits(run: Payroll) -> list[WorkspaceChange]:
    if run.facets.event == "rate":
        edits = [_new_rate(run, old, new) for old, new in _raised(run)]
        return edits[:1] if run.facets.contracts_in == "scale" else edits
    return [_new_entry(run, old, new) for old, new in _mended(run)]


def _new_rate(run: Payroll, old: Contract, new: Contract) -> WorkspaceChange:
    match run.facets.contracts_in:
        case "csv":
            lines = (_line(contract_row(run, one)) for one in (old, new))
            return edit(CONTRACTS, *lines)
        case "letters":
            texts = (rate_text(one) for one in (old, new))
            return edit(f"{LETTERS}/{old.number}.txt", *texts)
        case _:
            rows = (scale_line(one.grade, one.rate_cents) for one in (old, new))
            return edit(SCALE, *rows)


def _new_entry(run: Payroll, old: Entry, new: Entry) -> WorkspaceChange:
    if run.facets.sheets_in == "store":
        rows = (insert_row("entries", astuple(one)) for one in (old, new))
        return edit(f"{STORE}.sql", *rows)
    path = ENTRIES
    if run.facets.sheets_in == "folder":
        path = f"{SHEETS}/{old.number}.csv"
    # A row ends with its line, or the name of who approves would be left over.
    lines = (f"{_line(astuple(one))}\n" for one in (old, new))
    return edit(path, *lines)


def _line(row: tuple[str | int, ...]) -> str:
    return csv_text(list(map(str, row)), ()).strip()


def _message(brief: Brief, run: Payroll) -> str:
    is_named = run.facets.telling == "named"
    match run.facets.event:
        case "rate":
            people = [old.name for old, _ in _raised(run)]
            what = f"the rate of {', '.join(people)}" if is_named else "a new rate"
            return brief.pick(
                f"I have just entered {what}; it holds for this period already.",
                f"The management signed a pay rise this morning, so {what} was entered "
                "a minute ago. Please look again.",
            )
        case "sheet":
            days = [f"{old.number} on {old.day}" for old, _ in _mended(run)]
            what = (
                f"the sheets of {', '.join(days)}" if is_named else "some time sheets"
            )
            return brief.pick(
                f"Wait, {what} came back corrected, and I have put that in just now.",
                f"I have corrected {what}. What you have read is out of date.",
            )
        case _:
            numbers = [old.entry for old, _ in _mended(run)]
            what = ", ".join(numbers) if is_named else "Some more entries"
            return brief.pick(
                f"{what}: approved at last, it is in the system since a minute ago.",
                f"{what} got their approval while you were reading, please look again.",
            )
