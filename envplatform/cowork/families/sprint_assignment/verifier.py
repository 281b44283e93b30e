"""Grades a plan, worked out anew from what is held in the end."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from marks import csv_text, likeness
from seedlib import Final, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
ROOT = FACETS["root"]


class Work(NamedTuple):
    """One item."""

    number: str
    skill: str
    priority: int
    hours: int
    value: int
    created: str
    needs: frozenset[str]
    is_open: bool

    @property
    def rank(self) -> tuple[int | str, ...]:
        """By what it has its turn."""
        if FACETS["order"] == "value":
            return (-self.value, self.number)
        second = self.hours if FACETS["order"] == "smaller" else self.created
        return (self.priority, second, self.number)


class Member:
    """One person, and what they get."""

    def __init__(self, name: str, hours_a_day: int, skills: list[str]) -> None:
        self.name = name
        self.hours_a_day = hours_a_day
        self.skills = skills
        self.capacity = 0
        self.work: list[Work] = []

    @property
    def planned(self) -> int:
        """In hours, as `free`."""
        return sum(one.hours for one in self.work)

    @property
    def free(self) -> int:
        """What is left of the capacity."""
        return self.capacity - self.planned

    @property
    def percent(self) -> int:
        """What is planned of the capacity."""
        return 100 * self.planned // self.capacity

    def told(self) -> dict[str, int | list[str]]:
        """Return what an object tells of it."""
        items = sorted(one.number for one in self.work)
        return {"capacity": self.capacity, "planned": self.planned, "items": items}


class Plan:
    """The right plan; `misread` names a rule that is missed."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.team = [
            Member(row["person"], int(row["hours_a_day"]), row["skills"].split())
            for row in rows_of(final.held(f"{ROOT}/people.csv")) or []
        ]
        absences = [] if misread == "absences" else _absences(final)
        work = _work(final)
        if misread == "stale":
            absences, work = self._before(absences, work)
        for one in self.team:
            mine = [away[1:] for away in absences if away[0] == one.name]
            one.capacity = self._capacity(one, mine)
        self.turns: list[tuple[Work, Member]] = []
        self.left: dict[Work, str] = {}
        self._give_out(work)

    def _before(
        self, absences: list[list[str]], work: list[Work]
    ) -> tuple[list[list[str]], list[Work]]:
        """Return all as it was before the user changed it."""
        name, before = DRAWN["changed"], DRAWN["before"]
        for one in self.team:
            if FACETS["event"] == "part_time" and one.name == name:
                one.hours_a_day = before
        return (
            [one for one in absences if one[0] != name],
            [one._replace(hours=before) if one.number == name else one for one in work],
        )

    def _capacity(self, member: Member, absences: list[list[str]]) -> int:
        start, end = (date.fromisoformat(DRAWN[key]) for key in ("start", "end"))
        days = [start + timedelta(days=n) for n in range((end - start).days + 1)]
        texts = [str(d) for d in days if d.isoweekday() <= 5]
        there = dict.fromkeys(set(texts) - set(DRAWN["closed"]), 2)
        for first, last, kind, status in absences:
            is_half = FACETS["away"] == "training_half" and kind == "training"
            rest = 2 if (FACETS["away"], status) == ("approved", "requested") else 0
            for day in there:
                if first <= day <= last:
                    there[day] = min(there[day], rest or int(is_half))
        held_back = 0 if self.misread == "reserve" else DRAWN["reserve"]
        return sum(there.values()) * member.hours_a_day * (100 - held_back) // 200

    def _give_out(self, work: list[Work]) -> None:
        fixed = {one.number for one in work if not one.is_open}
        queue = sorted((one for one in work if one.is_open), key=lambda one: one.rank)
        while queue:
            taken = {one.number for one, _ in self.turns}
            allowed = fixed if FACETS["depends"] == "done_only" else fixed | taken
            at = 0
            if FACETS["depends"] == "first_ready":
                at = next((n for n, w in enumerate(queue) if w.needs <= allowed), 0)
            one = queue.pop(at)
            if not one.needs <= allowed and self.misread != "dependencies":
                self.left[one] = "dependency"
            else:
                self._place(one)

    def _place(self, work: Work) -> None:
        main = [one for one in self.team if one.skills[0] == work.skill]
        every = [one for one in self.team if work.skill in one.skills]
        tiers = {"main_only": [main], "main_first": [main, every]}.get(
            FACETS["skills"], [every]
        )
        fits = [[one for one in tier if one.free >= work.hours] for tier in tiers]
        able = next((tier for tier in fits if tier), [])
        if not able:
            self.left[work] = "capacity" if any(tiers) else "skill"
            return
        key = {
            "roster": lambda _: 0,
            "most_free": lambda one: -one.free,
            "fewest_items": lambda one: len(one.work),
        }[FACETS["chooses"]]
        chosen = min(able, key=key)
        chosen.work.append(work)
        self.turns.append((work, chosen))

    def rows(self) -> list[list[str]]:
        """Return the table that is wanted."""
        found = [(one, member.name) for one, member in self.turns]
        if FACETS["rows"] == "person":
            found = [(one, m.name) for m in self.team for one in m.work]
        if FACETS["rows"] == "item":
            found.sort()
        if FACETS["listed"] == "all":
            found += [(one, "-") for one in sorted(self.left)]
        return [[one.number, name, str(one.hours)] for one, name in found]

    def files(self) -> dict[str, str]:
        """Return all that is wanted, by path."""
        return {
            "plan.csv": csv_text([["item", "person", "hours"], *self.rows()]),
            **self._load(),
            **self._left(),
            **self._extra(),
        }

    def _load(self) -> dict[str, str]:
        if FACETS["load"] == "json":
            return {"load.json": json.dumps({m.name: m.told() for m in self.team})}
        last = "percent" if FACETS["load"] == "percent" else "free"
        told = ("capacity", "planned", last)
        rows = [[m.name, *(str(getattr(m, n)) for n in told)] for m in self.team]
        return {"load.csv": csv_text([["person", "capacity", "planned", last], *rows])}

    def _left(self) -> dict[str, str]:
        left = [(one, self.left[one]) for one in sorted(self.left)]
        if FACETS["left"] == "csv":
            rows = [[one.number, str(one.hours), why] for one, why in left]
            return {"left.csv": csv_text([["item", "hours", "reason"], *rows])}
        if FACETS["left"] == "txt":
            return {"left.txt": "".join(f"{o.number}: {why}\n" for o, why in left)}
        told: dict[str, list[str]] = {}
        for one, why in left:
            told.setdefault(why, []).append(one.number)
        return {"left.json": json.dumps(told)}

    def _extra(self) -> dict[str, str]:
        if FACETS["extra"] == "skills":
            rows = []
            for skill in sorted({one.skill for one in self.left}):
                mine = [one.hours for one in self.left if one.skill == skill]
                rows.append([skill, str(len(mine)), str(sum(mine))])
            return {"skills.csv": csv_text([["skill", "items", "hours"], *rows])}
        if FACETS["extra"] == "none":
            return {}
        fullest = min(self.team, key=lambda one: one.free)
        lines = [
            f"Taken: {len(self.turns)} of {len(self.turns) + len(self.left)}",
            f"Hours planned: {sum(one.planned for one in self.team)}",
            f"Hours free: {sum(one.free for one in self.team)}",
            f"Fullest: {fullest.name}",
        ]
        return {"note.md": "\n".join([*lines, ""])}


def _absences(final: Final) -> list[list[str]]:
    if FACETS["absences_in"] == "csv":
        rows = rows_of(final.held(f"{ROOT}/absences.csv")) or []
        return [list(row.values()) for row in rows]
    text = final.held(f"{ROOT}/calendar.md") or ""
    lines = [line[2:] for line in text.splitlines() if line.startswith("- ")]
    return [re.split(r": | to |, | \(", line.rstrip(")")) for line in lines]


def _work(final: Final) -> list[Work]:
    if FACETS["items_in"] == "csv":
        rows = rows_of(final.held(f"{ROOT}/items.csv")) or []
        told = [list(row.values()) for row in rows]
    elif FACETS["items_in"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(f"{ROOT}/items.sql") or "")
        told = [list(map(str, row)) for row in store.execute("SELECT * FROM items")]
    else:
        folder = Path(final.served / "held" / ROOT / "items")
        told = [
            _ticket(path.read_text("utf-8")) for path in sorted(folder.glob("*.md"))
        ]
    return [
        Work(
            number,
            skill,
            int(priority),
            int(hours),
            int(value),
            created,
            frozenset(re.findall(r"W-\d+", needs)),
            status == "open",
        )
        for number, _, skill, priority, hours, value, created, needs, status in told
    ]


def _ticket(text: str) -> list[str]:
    head, _, body = text.partition("\n\n")
    status, *rest = [line.partition(": ")[2] for line in body.splitlines()]
    skill, priority, hours, *others = rest
    number = head.split()[1]
    return [number, head, skill, priority, hours.split()[0], *others, status]


def _like(final: Final, path: str) -> float:
    """How far a file agrees with the right one; see `likeness`."""
    return float(likeness(path, final.text(path), Plan(final).files()[path]))


PATHS = {
    "plan": "plan.csv",
    "load": "load.json" if FACETS["load"] == "json" else "load.csv",
    "left": f"left.{FACETS['left']}",
    "extra": {"note": "note.md", "skills": "skills.csv"}.get(FACETS["extra"], ""),
}
CRITERIA = spelt(
    {name: partial(_like, path=path) for name, path in PATHS.items() if path},
    lambda final: Plan(final).files(),
)
MISREADINGS = {
    "what was read first": lambda final: Plan(final, "stale").files(),
    "absences do not count": lambda final: Plan(final, "absences").files(),
    "nothing is held back": lambda final: Plan(final, "reserve").files(),
    "dependencies are passed over": lambda final: Plan(final, "dependencies").files(),
}
