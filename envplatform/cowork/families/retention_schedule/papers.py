"""How retention rules, holds and the request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.retention_schedule.drawing import Archive, Hold
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def rules_text(archive: Archive) -> str:
    """Return the retention rules."""
    facets = archive.facets
    begins = {
        "closed": "The time begins on the day on which a file was closed and is over so "
        "many years later, on the same day of the year.",
        "year_end": "The time begins on 31 December of the year in which a file was closed "
        "and is over so many years later, on 31 December.",
        "month_end": "The time begins on the last day of the month in which a file was "
        "closed and is over so many years later, on the last day of that month.",
    }[facets.begins]
    in_use = {
        "keep": "A file in use (not closed) is kept, without a date.",
        "review": f"A file in use (not closed) that was created more than {archive.review_years} "
        "years before today is for review, since it has probably been forgotten; any other one "
        "is kept, without a date.",
        "created": "For a file in use (not closed) the day on which it was created takes "
        "the place of the day of closing.",
    }[facets.in_use]
    special = {
        "personal": f"Files with personal data are held for {archive.special_years} years "
        "at the most, however long their class is kept.",
        "historic": "Files marked as historic are never deleted: once their time is over "
        "the decision is `archive`, and they go to the city archive.",
        "site": f"Files at the site in {archive.special_site} are held for "
        f"{archive.special_years} years longer than their class says, as local law demands.",
    }[facets.special]
    rows = [(name, str(years)) for name, years in sorted(archive.years.items())]
    return filled(f"""# Retention of records

Approved by the data protection officer. Records are held as long as the law or a legal
interest demands, and no longer.

## Decisions

The first that applies decides.

1. `hold`: a legal hold covers the file. It has no date.
2. `review`: its class is not in the table below. It has no date.
3. {in_use}
4. `delete`: its time was over before today. The date is the last day of that time.
5. `keep`: otherwise, and the date is the same.

Where there is no date, write `-`.

## Times

{markdown_table(("Class", "Years"), rows)}
{begins}

{special}

## Legal holds

A hold covers files of its scope that were created within its days, the first and the last
included, whether closed or in use. A hold that was released covers nothing, from the day
of the release on.
""")


def hold_text(hold: Hold, archive: Archive) -> str:
    """Return a notice of a hold; `days_text` and `state_text` stand in it once."""
    return filled(f"""# Legal hold {hold.number}

Matter: {hold.matter}. Scope: {scope_text(hold, archive)}.

{days_text(hold)} {state_text(hold)}

Questions go to the legal department; custodians were informed in writing.
""")


def scope_text(hold: Hold, archive: Archive) -> str:
    """Return which files a hold is about."""
    return {
        "class_department": f"files of the class {hold.kind} of {hold.department}",
        "department": f"all files of {hold.department}",
        "project": f"all files on project {hold.project}",
    }[archive.facets.scope]


def days_text(hold: Hold) -> str:
    """Return the sentence about its days."""
    return f"Created from {hold.first} to {hold.last} ({hold.number})."


def state_text(hold: Hold) -> str:
    """Return the sentence about its state."""
    state = f"released on {hold.released}" if hold.released else "in force"
    return f"Hold {hold.number} is {state}."


def instruction_of(brief: Brief, archive: Archive) -> str:
    """Return the request."""
    today = archive.today.isoformat()
    task = brief.pick(
        f"work out what of our records is deleted, kept or looked at, as of {today}.",
        f"the yearly clean-up of the records is due. Decide file by file; today is {today}.",
        f"make the retention schedule for the records we hold, day of reference {today}.",
    )
    points = [_table(brief, archive), _overview(brief, archive), _extra(brief, archive)]
    return instruction(
        brief,
        task,
        points=points,
        marks=(_where(brief, archive), _user(brief, archive)),
    )


def _table(brief: Brief, archive: Archive) -> str:
    facets = archive.facets
    columns = {
        "short": "`record`, `decision` and `date`",
        "full": "`record`, `class`, `decision`, `date` and `hold` (the numbers of the holds "
        "that cover it, sorted, with a blank between; `-` if none does)",
        "plan": "`date`, `decision`, `record`, `department` and `boxes`",
    }[facets.columns]
    order = {
        "record": brief.pick("by record", "sorted by record number"),
        "date": brief.pick(
            "by date and, where it is the same, by record; those without one first",
            "those without a date first, then the earliest; by record if equal",
        ),
        "department": brief.pick(
            "by department, those of one by record", "by department, then record"
        ),
    }[facets.order_by]
    listed = {
        "all": brief.pick("one line for every file", "all files, a line each"),
        "no_keep": "a line for every file that is not simply kept (`keep` is left out)",
        "dated": "a line for every file whose decision has a date, and for those on hold; "
        "the others are left out",
    }[facets.listed]
    return f"- `/workspace/schedule.csv` has {columns}: {listed}, {order}."


def _overview(brief: Brief, archive: Archive) -> str:
    what = {
        "by_department": "the departments, each with an object of its decisions and how "
        "many files have them (only those that occur)",
        "by_year": "the years in which the time of files ends that are kept with a date, "
        "and how many files each",
        "boxes": "the decisions that occur, each with the number of boxes",
    }[archive.facets.overview]
    return brief.pick(
        f"- `/workspace/overview.json`: one object with {what}; of all files, listed or not.",
        f"- For the storage contract I need `/workspace/overview.json`, an object with "
        f"{what}. It is about all files.",
    )


def _extra(brief: Brief, archive: Archive) -> str:
    del brief
    return {
        "held": "- Legal gets `/workspace/holds.json`: every hold in force, by number, with "
        "the sorted list of the records that it covers (empty if none).",
        "orders": "- `/workspace/shredding.txt` for the contractor: a line `SITE RECORD "
        "BOXES` for each file that is deleted, sorted by site and then record.",
        "gone": "- `/workspace/gone.csv`: what leaves us (`delete` or `archive`), the "
        "columns `record`, `title` and `boxes`, the largest number of boxes first and, "
        "where it is the same, by record.",
    }[archive.facets.extra]


def _where(brief: Brief, archive: Archive) -> str:
    records = {
        "store": "the inventory is the table `records` in `archive/inventory`",
        "csv": "the inventory is `archive/inventory.csv`",
    }[archive.facets.records_in]
    holds = {
        "folder": "notices of legal holds lie in `legal/holds`",
        "list": "legal holds are listed in `legal/holds.md`",
    }[archive.facets.holds_in]
    return brief.pick(
        f"{records}, {holds}, and `docs/retention.md` has the rules",
        f"{holds}; {records}; decide by `docs/retention.md`",
    )


def _user(brief: Brief, archive: Archive) -> str:
    return brief.pick(
        f"holds come and go, so tell {archive.clerk} in Legal (`ws say`) when you have "
        "been through holds and inventory, and look at the holds again after that",
        f"{archive.clerk} from Legal answers `ws say`; get in touch once you have read "
        "inventory and holds, before anything is written",
        f"before you deliver, check with {archive.clerk} (Legal, `ws say`) what you have "
        "read of inventory and holds, as it must be right on the day",
    )
