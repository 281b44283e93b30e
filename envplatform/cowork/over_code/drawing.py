"""What is drawn around one bug: tickets, release lines, owners, and what will change.

Pure. Whatever is drawn, the user's change decides: the ticket or the release line that
the note has to name is another one afterwards.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from types import MappingProxyType
from typing import Literal

from envplatform.cowork.words import Names

Change = Literal["merge", "freeze", "rule"]
"""The ticket is merged into another; its release line is frozen; the policy's limit moves."""
Severity = Literal[1, 2, 3, 4]
State = Literal["open", "frozen", "closed", "planned"]

ALL_ELSE = "*"
"""Prefix of the owners of whatever no other prefix fits."""
MOST_PREFIXES = 14
SEVERITIES: tuple[Mapping[int, str], ...] = tuple(
    MappingProxyType(one)
    for one in (
        {1: "blocker", 2: "major", 3: "minor", 4: "cosmetic"},
        {1: "critical", 2: "high", 3: "medium", 4: "low"},
        {1: "outage", 2: "defect", 3: "nuisance", 4: "wish"},
    )
)
_OTHERS = (
    "Build log is hard to read on a dark terminal",
    "Changelog of the last build names a wrong date",
    "Documentation build warns about a missing label",
    "Examples in the handbook use an old signature",
    "Mirror of the package index times out at night",
    "Nightly run is slower since the new machine",
    "Readme links to a page that has moved",
    "Spelling mistakes in the installation guide",
    "Support asks for a shorter error message",
    "Wheel is larger than it has to be",
)
_FOLLOW_UPS = (
    "Wrong results in production, several customers",
    "Customers see this too: collected reports",
    "Umbrella: defects found by support this month",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A row of the tracker."""

    key: str
    title: str
    severity: Severity
    reporter: str
    merged_into: str = ""

    @property
    def state(self) -> str:
        """`open` or `merged`."""
        return "merged" if self.merged_into else "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A release line."""

    name: str
    build: str
    """The next one."""
    freeze: str
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who is asked about files below a folder."""

    prefix: str
    team: str
    contact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Which variants were drawn."""

    change: Change
    order: Literal["age", "freeze"]
    """By what lines are told apart: the version, or the date of their freeze."""
    owners: Literal["team", "contact"]
    waits: Literal["one", "policy"]
    """What has to be read before the user acts: what changes, or the policy too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """Everything that a colleague has around one bug."""

    facets: Facets
    project: str
    manager: str
    """The user inside, who releases."""
    tickets: tuple[Ticket, ...]
    """In the order of the tracker."""
    ours: Ticket
    other: Ticket
    """What ours is merged into, if it is."""
    words: Mapping[int, str]
    lines: tuple[Line, ...]
    """Oldest first."""
    limit: int
    """Severities up to this are urgent."""
    later_limit: int
    """What the policy says after a change of the rule."""
    frozen: Line
    """Where the repair would go at first; a change may freeze it."""
    owners: tuple[Owner, ...]
    approval: str
    note: str
    """Where the note is wanted, below /workspace."""


def draw_handover(
    chance: random.Random,
    names: Names,
    *,
    title: str,
    repository: str,
    paths: Iterable[str],
) -> Handover:
    """Draw it.

    Args:
        chance: decides all of it.
        names: of people and projects.
        title: of the report, which the ticket bears too.
        repository: what the code base is called.
        paths: of all files of the code base.
    """
    files = tuple(paths)
    facets = Facets(
        change=chance.choice(("merge", "freeze", "rule")),
        order=chance.choice(("age", "freeze")),
        owners=chance.choice(("team", "contact")),
        waits=chance.choice(("one", "policy")),
    )
    urgent: Severity = chance.choice((2, 3))
    ours_urgent = chance.random() < 0.5  # noqa: PLR2004  as often as not
    limit = urgent if ours_urgent else urgent - 1
    ours, other, tickets = _tickets(
        chance, names, title, repository, urgent, 4 if ours_urgent else 1
    )
    lines = _lines(chance)
    return Handover(
        facets=facets,
        project=names.some("project", 1)[0],
        manager=names.people(1)[0],
        tickets=tickets,
        ours=ours,
        other=other,
        words=chance.choice(SEVERITIES),
        lines=lines,
        limit=limit,
        later_limit=urgent - 1 if ours_urgent else urgent,
        frozen=due_line(lines, facets.order, is_urgent=ours_urgent),
        owners=_owners(chance, names, files),
        approval=f"{''.join(chance.sample('ABDEGHKLMRST', 3))}-{chance.randrange(1000, 10000)}",
        note=_free(files, chance.choice(("change_note", "handover", "release_note"))),
    )


def due_line(lines: Iterable[Line], order: str, *, is_urgent: bool) -> Line:
    """Return the open line that takes a repair."""
    found = [one for one in lines if one.state == "open"]
    if order == "freeze":
        found.sort(key=lambda one: one.freeze)
    return found[0 if is_urgent else -1]


def _tickets(
    chance: random.Random,
    names: Names,
    title: str,
    repository: str,
    severity: Severity,
    others: Severity,
) -> tuple[Ticket, Ticket, tuple[Ticket, ...]]:
    letters = "".join(c for c in repository.upper() if c.isascii() and c.isalpha())
    key = f"{letters}REP"[:3]
    keys = [f"{key}-{one}" for one in sorted(chance.sample(range(100, 900), 9))]
    people = names.people(5)
    drawn = [
        Ticket(
            key=keys[0],
            title=name,
            severity=chance.choice((1, 2, 3, 4)),
            reporter=chance.choice(people),
        )
        for name in chance.sample(_OTHERS, 7)
    ]
    ours = Ticket(
        key=keys[0], title=title, severity=severity, reporter=chance.choice(people)
    )
    other = replace(ours, title=chance.choice(_FOLLOW_UPS), severity=others)
    shuffled = chance.sample([*drawn, ours, other], 9)
    numbered = [
        replace(one, key=name) for one, name in zip(shuffled, keys, strict=True)
    ]
    mine = next(one for one in numbered if one.title == title)
    theirs = next(one for one in numbered if one.title == other.title)
    # One that was merged long ago, so that the tracker shows what that looks like.
    plain = [one for one in numbered if one not in {mine, theirs}]
    old, into = chance.sample(plain, 2)
    tickets = tuple(
        replace(one, merged_into=into.key) if one is old else one for one in numbered
    )
    return mine, theirs, tickets


def _lines(chance: random.Random) -> tuple[Line, ...]:
    year, first = chance.randrange(2023, 2026), chance.randrange(1, 3)
    day = date(year + 2, 2, chance.randrange(1, 20))
    gaps = (0, *chance.choice(((62, 20, 41), (41, 62, 20), (62, 41, 20))), 150)
    states: tuple[State, ...] = ("closed", "open", "open", "open", "planned")
    found = []
    for number, (gap, state) in enumerate(zip(gaps, states, strict=True)):
        name = f"{year + (first + number) // 3}.{(first + number) % 3 + 1}"
        build = f"{name}.{0 if state == 'planned' else chance.randrange(2, 19)}"
        freeze = (day + timedelta(days=gap)).isoformat()
        found.append(Line(name=name, build=build, freeze=freeze, state=state))
    return tuple(found)


def _owners(
    chance: random.Random, names: Names, paths: Iterable[str]
) -> tuple[Owner, ...]:
    """Return owners of folders of the code base, outer ones before inner ones."""
    folders = {
        "/".join(path.split("/")[:depth])
        for path in paths
        for depth in (1, 2)
        if path.count("/") >= depth and _is_plain(path)
    }
    drawn = sorted(chance.sample(sorted(folders), min(len(folders), MOST_PREFIXES)))
    teams = names.some("service", 5)
    contacts = dict(zip(teams, names.people(5), strict=True))
    chosen = [(ALL_ELSE, teams[0])]
    chosen += [(f"{folder}/", chance.choice(teams)) for folder in drawn]
    return tuple(
        Owner(prefix=prefix, team=team, contact=contacts[team])
        for prefix, team in chosen
    )


def _is_plain(path: str) -> bool:
    return path.isascii() and path.isprintable() and not path.startswith(".")


def _free(paths: Iterable[str], stem: str) -> str:
    """Return a name that the code base does not have."""
    known = set(paths)
    while f"{stem}.json" in known:
        stem += "_"
    return f"{stem}.json"
