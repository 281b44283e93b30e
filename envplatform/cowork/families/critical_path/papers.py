"""How guide, task sheets and request are worded."""

from datetime import date

from envplatform.cowork.families.critical_path.drawing import Facets, Project, Task
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def guide_text(project: Project) -> str:
    """Return how dates are worked out, and what is done about mistakes."""
    facets = project.facets
    week = {
        "five": "Monday to Friday",
        "six": "Monday to Saturday",
        "four": "Monday to Thursday",
    }[facets.week]
    wait = {
        "none": "It begins on the next workday after the last of the tasks that it comes "
        "after has ended.",
        "listed": "It begins on the next workday after all tasks have ended that it comes "
        "after. Where the list says `T-01+2`, at least 2 whole workdays lie between the "
        "end of that task and the beginning of this one.",
        "handover": "It begins on the next workday after all tasks have ended that it "
        "comes after. Between it and each of these that belongs to another team lies at "
        "least 1 whole workday for the handover.",
    }[facets.wait]
    earliest = {
        "none": "Tasks that come after nothing begin on the first workday of the project.",
        "some": "Tasks that come after nothing begin on the first workday of the "
        "project. None begins before its earliest date, where it has one; if that is no "
        "workday, the next workday counts.",
    }[facets.earliest]
    double = {
        "revised": "the entry that was revised later counts",
        "longer": "the entry with more days counts",
    }[facets.double]
    slack = {
        "total": "Slack is by how many workdays a task may begin later without the end of "
        "the project moving.",
        "free": "Slack, in our tables, is by how many workdays a task may begin later "
        "without any other task or the end of the project moving.",
    }[facets.slack]
    goals = "\n".join(
        f"- {name}: {', '.join(of)}" for name, of in project.milestones.items()
    )
    holidays = ", ".join(project.holidays[:-1]) + f" and {project.holidays[-1]}"
    return filled(
        f"""# Dates of project {project.name}

The list of tasks was kept by several people and shows it. Dates are worked out anew each
time, nobody types them in.

## Workdays

We work {week}. {holidays} are holidays. The project begins on {project.start}.

## Tasks

- A task takes its days, all of them workdays, and ends on the last of them.
- {wait} {earliest}
- The project ends with the task that ends last.
- {slack} A task is *critical* if it can't begin later at all without the end of the
  project moving.

## Mistakes in the list

They are told, and until somebody has put them right we go on like this:

- `unknown`: it comes after a task that is not in the list. That is ignored.
- `itself`: it comes after itself. That is ignored.
- `mutual`: two tasks come after one another. That the one with the lower number comes
  after the other is ignored; the mistake is told for this one.
- `no_days`: it has 0 days. It is counted with {project.default_days}.
- `double`: it is in the list twice; {double}.

## Milestones

A milestone is reached on the day on which the last of its tasks ends.

{goals}

Changes of scope go to the steering group, not into the list.
"""
    )


def sheet_text(one: Task) -> str:
    """Return a task as a sheet."""
    earliest = f"Not before: {one.earliest}\n" if one.earliest else ""
    return (
        f"{one.number} {one.name}\n\n"
        f"Team: {one.team}\nDays: {one.days}\nAfter: {', '.join(one.after) or '-'}\n"
        f"{earliest}Revised: {one.revised}\n"
    )


def instruction_of(brief: Brief, project: Project) -> str:
    """Return the request."""
    facets, name = project.facets, project.name
    task = brief.pick(
        f"work out the dates of project {name} and what its end depends on.",
        f"the steering group wants to see when {name} ends, and which tasks it hangs on.",
        f"project {name} needs a schedule from the list of tasks, mistakes and all.",
    )
    guide = brief.pick(
        f"how dates are counted stands in `{facets.root}/guide.md`",
        f"count as `{facets.root}/guide.md` says, holidays included",
        f"`{facets.root}/guide.md` decides what is a workday and what to do about mistakes",
    )
    honest = brief.pick(
        "do not put the list right in silence",
        "whatever is wrong in the list has to be told",
    )
    points = [
        _table(brief, facets),
        _summary(brief, facets),
        _problems(brief, facets),
        *_extra(brief, project),
    ]
    return instruction(brief, task, points=points, marks=(guide, honest))


def _form(facets: Facets) -> str:
    return {"iso": "dates like `2025-01-31`", "points": "dates like `31.01.2025`"}[
        facets.dates
    ]


def _table(brief: Brief, facets: Facets) -> str:
    rows = {
        "task": "by number",
        "start": "by start, those of the same day by number",
        "team": "by team in alphabetical order (capitals first), then by number",
    }[facets.rows]
    which = {
        "all": "every task",
        "critical": "the critical tasks only",
        "slack": "the tasks that are not critical",
    }[facets.listed]
    columns = "`task`, `team`, `start`, `end`, `slack`"
    critical = " and `critical` (`yes` or `no`)" if facets.listed == "all" else ""
    return brief.pick(
        f"- `/workspace/schedule.csv` has {which}, one a line, {rows}: {columns}{critical}; "
        f"{_form(facets)}, slack in workdays.",
        f"- Write {which} to `/workspace/schedule.csv` with the columns {columns}{critical}, "
        f"{rows}. Slack is in workdays, {_form(facets)}.",
    )


def _summary(brief: Brief, facets: Facets) -> str:
    what = {
        "project": "`end` (date), `workdays` (from the first workday to the end, both "
        "included, a number) and `critical` (numbers of all critical tasks, sorted)",
        "teams": "each team with an object of `tasks` (how many), `days` (of its tasks "
        "together) and `ends` (date of its last end)",
        "months": "each month in which a task ends (`2025-01`) with the sorted list of the "
        "tasks that do, and `end` with the date on which the project does",
    }[facets.summary]
    dates = f"; {_form(facets)}"
    return brief.pick(
        f"- `/workspace/summary.json` is an object: {what}{dates}.",
        f"- Sum up in `/workspace/summary.json`, one object: {what}{dates}.",
    )


def _problems(brief: Brief, facets: Facets) -> str:
    return {
        "csv": brief.pick(
            "- What is wrong in the list goes into `/workspace/problems.csv`, by number: "
            "`task`, `problem` (the word that the guide has for it).",
            "- `/workspace/problems.csv` with `task` and `problem`, by number, tells each "
            "mistake of the list by the guide's word for it.",
        ),
        "json": "- `/workspace/problems.json`: an object, the guide's word for each kind of "
        "mistake that occurs to the sorted list of the tasks that have it.",
        "txt": brief.pick(
            "- `/workspace/problems.txt`: a line `NUMBER: WORD` for each mistake in the "
            "list, by number, with the guide's word for it.",
            "- Mistakes of the list are told in `/workspace/problems.txt`, by number, one a "
            "line: `NUMBER: WORD`, the word as the guide has it.",
        ),
    }[facets.problems]


def _extra(brief: Brief, project: Project) -> tuple[str, ...]:
    asked = date.fromisoformat(project.asked)
    milestones = brief.pick(
        "- `/workspace/milestones.csv`, by date: `milestone` and `date`; those of one day by "
        "name.",
        "- Tell in `/workspace/milestones.csv` when milestones are reached, the first one "
        "first (on one day by name): `milestone`, `date`.",
    )
    running = (
        f"- `/workspace/running.txt`: the numbers of the tasks that run on {asked:%A}, "
        f"{asked} (begun and not ended before that day), sorted, one a line. First stands "
        "a line `Running: N` with how many."
    )
    extra = {"milestones": (milestones,), "running": (running,)}
    return extra.get(project.facets.extra, ())
