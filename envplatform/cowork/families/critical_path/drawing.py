"""What is drawn: a net of tasks, a calendar, and mistakes in the list."""

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

_STARTS = ("2025-03-03", "2025-04-07", "2025-05-05", "2025-09-01", "2025-10-06")
_COUNT = 24
_VERBS = (
    "Survey",
    "Order",
    "Prepare",
    "Install",
    "Test",
    "Approve",
    "Paint",
    "Connect",
)
_THINGS = (
    *("cabling", "floor", "racks", "ventilation", "doors", "signage", "network"),
    *("lighting", "fire alarm", "furniture", "archive", "kitchen"),
)
TEAMS = ("building", "electrics", "IT", "movers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    week: Literal["five", "six", "four"]
    """Workdays a week, from Monday on."""
    wait: Literal["none", "listed", "handover"]
    """Workdays between two tasks."""
    earliest: Literal["none", "some"]
    """Whether tasks have an earliest date of their own."""
    double: Literal["revised", "longer"]
    """Which of two entries of a task counts."""
    slack: Literal["total", "free"]
    tasks_in: Literal["csv", "store", "sheets"]
    root: str
    listed: Literal["all", "critical", "slack"]
    rows: Literal["task", "start", "team"]
    dates: Literal["iso", "points"]
    summary: Literal["project", "teams", "months"]
    problems: Literal["csv", "json", "txt"]
    extra: Literal["none", "milestones", "running"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One entry of the list."""

    number: str
    name: str
    team: str
    days: int
    """Workdays; 0 where somebody forgot."""
    after: tuple[str, ...]
    """Numbers of tasks, with `+2` where 2 workdays lie between."""
    earliest: str
    revised: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """All that this one is about."""

    facets: Facets
    name: str
    start: str
    holidays: tuple[str, ...]
    default_days: int
    """For a task without a duration."""
    milestones: Mapping[str, tuple[str, ...]]
    """Name to the tasks that must have ended."""
    asked: str
    """The day of which one wants to know what runs."""
    tasks: tuple[Task, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules for the verifier."""
        return {
            "facets": dict(asdict(self.facets)),
            "start": self.start,
            "holidays": list(self.holidays),
            "default_days": self.default_days,
            "milestones": {name: list(of) for name, of in self.milestones.items()},
            "asked": self.asked,
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        week=chance.choice(("five", "six", "four")),
        wait=chance.choice(("none", "listed", "handover")),
        earliest=chance.choice(("none", "some")),
        double=chance.choice(("revised", "longer")),
        slack=chance.choice(("total", "free")),
        tasks_in=chance.choice(("csv", "store", "sheets")),
        root=chance.choice(("plan", "project", "move/planning")),
        listed=chance.choice(("all", "critical", "slack")),
        rows=chance.choice(("task", "start", "team")),
        dates=chance.choice(("iso", "points")),
        summary=chance.choice(("project", "teams", "months")),
        problems=chance.choice(("csv", "json", "txt")),
        extra=chance.choice(("none", "milestones", "running")),
    )


def draw_project(chance: random.Random, names: Names) -> Project:
    """Draw a project whose list has one mistake of each kind."""
    facets = draw_facets(chance)
    start = date.fromisoformat(chance.choice(_STARTS))
    tasks = _with_mistakes(chance, _tasks(chance, facets, start))
    numbers = sorted({one.number for one in tasks})
    chosen = chance.sample(numbers, 9)
    goals = ("Handover", "First move", "Inspection")
    return Project(
        facets=facets,
        name=names.some("project", 1)[0],
        start=start.isoformat(),
        holidays=tuple(
            (start + timedelta(days=days)).isoformat()
            for days in (chance.choice((1, 2)), chance.choice((8, 9)), 24)
        ),
        default_days=chance.choice((1, 2, 4)),
        milestones={
            goal: tuple(sorted(chosen[place * 3 : place * 3 + 3]))
            for place, goal in enumerate(goals)
        },
        asked=(start + timedelta(days=chance.choice((14, 15, 16, 21)))).isoformat(),
        tasks=tuple(chance.sample(tasks, len(tasks))),
    )


def _tasks(chance: random.Random, facets: Facets, start: date) -> list[Task]:
    """Return a net without mistakes: each comes after some before it in this list."""
    numbers = [f"T-{place:02}" for place in range(1, _COUNT + 1)]
    chance.shuffle(numbers)
    titles = [f"{verb} the {thing}" for verb in _VERBS for thing in _THINGS]
    found: list[Task] = []
    for at, title in enumerate(chance.sample(titles, _COUNT)):
        near = numbers[max(0, at - 6) : at]
        after = (
            chance.sample(near, min(len(near), chance.choice((1, 1, 2))))
            if at > 2
            else []
        )
        if facets.wait == "listed":
            after = [
                o + f"+{chance.randint(1, 3)}" * (chance.random() < 0.4) for o in after
            ]
        # The last holiday comes later: it moves whatever waits for such a day, too.
        late = facets.earliest == "some" and chance.random() < 0.2
        found.append(
            Task(
                number=numbers[at],
                name=title,
                team=chance.choice(TEAMS),
                days=chance.randint(1, 7),
                after=tuple(sorted(after)),
                earliest=_day(start, chance.randint(8, 21)) if late else "",
                revised=_day(start, -chance.randint(5, 60)),
            )
        )
    return found


def _with_mistakes(chance: random.Random, tasks: list[Task]) -> list[Task]:
    """Put in one mistake of each kind, each at another task."""
    found = list(tasks)
    spare = chance.sample(range(6, _COUNT), 4)
    unknown, itself, empty, double = spare
    found[unknown] = _more(found[unknown], f"T-{chance.randint(60, 90)}")
    found[itself] = _more(found[itself], found[itself].number)
    found[empty] = replace(found[empty], days=0)
    at, before = _pair(tasks, spare)
    found[before] = _more(found[before], found[at].number)
    one = found[double]
    days, revised = one.days + chance.choice((2, 3)), date.fromisoformat(one.revised)
    found.append(replace(one, days=days, revised=_day(revised, chance.choice((-4, 3)))))
    return found


def _pair(tasks: list[Task], spare: list[int]) -> tuple[int, int]:
    """Return a task and one before it that no other way leads to, as their places."""
    place = {one.number: at for at, one in enumerate(tasks)}
    before = [{place[name[:4]] for name in one.after} for one in tasks]
    reached: list[set[int]] = []
    for mine in before:
        reached.append(set(mine).union(*(reached[one] for one in mine)))
    return next(
        (at, one)
        for at in range(3, len(tasks))
        for one in sorted(before[at])
        if at not in spare
        and one not in spare
        and not any(one in reached[other] for other in before[at] - {one})
    )


def _more(one: Task, number: str) -> Task:
    return replace(one, after=tuple(sorted((*one.after, number))))


def _day(start: date, days: int) -> str:
    return (start + timedelta(days=days)).isoformat()
