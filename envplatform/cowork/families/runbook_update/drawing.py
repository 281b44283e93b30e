"""What is drawn: runbooks, requests to change them, rules of editing."""

import datetime as dt
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

FACTS = ("Host", "Port", "Log file", "Restart", "Backup", "On call")
CASES = (
    *("fine",) * 6,
    *("draft",) * 2,
    *("withdrawn",) * 2,
    *("stranger",) * 3,
    *("later",) * 3,
    *("on_day", "soon"),
    *("pair",) * 3,
    *("unknown",) * 2,
    *("same",) * 2,
    *("stopped", "postponed", "overtaken"),
)
"""What facts are asked to change for; the last three are met by the user's news."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    approval: Literal["status", "owner", "board"]
    """Whose approval counts."""
    due: Literal["by_day", "before_day", "week_after"]
    """Which effective dates are due."""
    conflict: Literal["effective", "number", "approved"]
    """What is latest of the change that wins."""
    reach: Literal["facts", "everywhere", "facts_was"]
    reviewed: Literal["changed", "all", "numbered"]
    day: Literal["iso", "long", "dotted"]
    order: Literal["number", "runbook", "decision"]
    extra: Literal["none", "owners", "pending"]
    news: Literal["stopped_overtaken", "postponed_overtaken", "stopped_postponed"]
    requests: Literal["csv", "store", "folder"]
    at: str
    runbooks: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Runbook:
    """One service's runbook."""

    service: str
    owner: str
    reviewed: str
    facts: Mapping[str, str]
    minutes: int
    moved: str
    """Day since which it runs where it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request for a change of one fact."""

    number: str
    service: str
    fact: str
    value: str
    status: Literal["approved", "draft", "withdrawn"]
    approver: str
    """Empty where nobody has approved it."""
    approved: str
    effective: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """All that this one is about."""

    facets: Facets
    day: dt.date
    """Of the review."""
    manager: str
    """The user inside."""
    board: tuple[str, ...]
    runbooks: tuple[Runbook, ...]
    requests: tuple[Request, ...]
    edited: Mapping[str, Request]
    """By number, how the user leaves requests that were there before."""
    added: tuple[Request, ...]

    def parameters(self, texts: Mapping[str, str]) -> Mapping[str, Json]:
        """Return what the verifier needs: rules, and the runbooks before any work."""
        return {
            "facets": dict(asdict(self.facets)),
            "day": self.day.isoformat(),
            "board": list(self.board),
            "runbooks": dict(texts),
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        approval=chance.choice(("status", "owner", "board")),
        due=chance.choice(("by_day", "before_day", "week_after")),
        conflict=chance.choice(("effective", "number", "approved")),
        reach=chance.choice(("facts", "everywhere", "facts_was")),
        reviewed=chance.choice(("changed", "all", "numbered")),
        day=chance.choice(("iso", "long", "dotted")),
        order=chance.choice(("number", "runbook", "decision")),
        extra=chance.choice(("none", "owners", "pending")),
        news=chance.choice(
            ("stopped_overtaken", "postponed_overtaken", "stopped_postponed")
        ),
        requests=chance.choice(("csv", "store", "folder")),
        at=chance.choice(("changes", "ops/changes", "requests/open")),
        runbooks=chance.choice(("runbooks", "shared/runbooks", "wiki/runbooks")),
    )


def draw_shelf(chance: random.Random, names: Names) -> Shelf:
    """Draw runbooks and requests among which each rule decides something."""
    facets = draw_facets(chance)
    people = names.people(22)
    runbooks = tuple(
        _runbook(chance, service, people) for service in names.some("service", 6)
    )
    board, strangers = (people.pop(), people.pop()), (people.pop(), people.pop())
    day = dt.date(2025, 3, 3) + dt.timedelta(days=chance.randint(0, 80))
    places = [(book, fact) for book in runbooks for fact in FACTS]
    chance.shuffle(places)
    found: list[tuple[str, Request]] = []
    for case in CASES:
        book, fact = places.pop()
        for part in range(2 if case == "pair" else 1):
            one = Request(
                number="",
                service=book.service,
                fact=fact,
                value=_value(chance, book.service, fact, people),
                status="approved",
                approver=book.owner
                if facets.approval == "owner"
                else chance.choice(board),
                approved=_before(chance, day, 30 - 10 * part, 38 - 10 * part),
                effective=_before(chance, day, 2 + 10 * part, 9 + 10 * part),
            )
            found.append((case, _for(case, part, one, book, strangers, day)))
    chance.shuffle(found)
    numbered = [
        (case, replace(one, number=f"CR-{chance.randint(0, 2) + 301 + 4 * at}"))
        for at, (case, one) in enumerate(found)
    ]
    edited, added = _news(chance, facets, numbered, day, people)
    return Shelf(
        facets=facets,
        day=day,
        manager=people.pop(),
        board=tuple(sorted(board)),
        runbooks=runbooks,
        requests=tuple(one for _, one in numbered),
        edited=edited,
        added=added,
    )


def _runbook(chance: random.Random, service: str, people: list[str]) -> Runbook:
    facts = {
        fact: _value(chance, service, fact, people, is_first=True) for fact in FACTS
    }
    return Runbook(
        service=service,
        owner=people.pop(),
        reviewed=f"2024-{chance.randint(7, 12):02}-{chance.randint(1, 28):02}",
        facts=facts,
        minutes=chance.randint(2, 6),
        moved=f"2023-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
    )


def _value(
    chance: random.Random,
    service: str,
    fact: str,
    people: list[str],
    *,
    is_first: bool = False,
) -> str:
    """Return a value; first ones and later ones never agree."""
    number = chance.randint(1, 40) + (0 if is_first else 40)
    match fact:
        case "Host":
            return f"{service}-{number:02}.core.example"
        case "Port":
            return str(7000 + 13 * number + chance.randint(0, 12))
        case "Log file":
            return f"/var/log/{service}/{'app' if is_first else 'node'}{number}.log"
        case "Restart":
            how = "systemctl restart" if is_first else "opsctl cycle --wait"
            return f"{how} {service}@{number}"
        case "Backup":
            return f"{'daily' if is_first else 'nightly'} at {number % 6:02}:{number % 60:02}"
        case _:
            return people.pop() if is_first else chance.choice(people)


def _for(
    case: str,
    part: int,
    one: Request,
    book: Runbook,
    strangers: tuple[str, str],
    day: dt.date,
) -> Request:
    """Return a request as its case wants it."""
    changes: Mapping[str, Mapping[str, str]] = {
        "draft": {"status": "draft", "approver": "", "approved": ""},
        "withdrawn": {"status": "withdrawn"},
        "stranger": {"approver": strangers[0]},
        "later": {"effective": _after(day, 9 + part + len(one.value))},
        "on_day": {"effective": day.isoformat()},
        "soon": {"effective": _after(day, 5)},
        "unknown": {"fact": "Proxy"},
        "same": {"value": book.facts[one.fact]},
    }
    return replace(one, **changes.get(case, {}))  # type: ignore[arg-type]  # fields


def _news(
    chance: random.Random,
    facets: Facets,
    numbered: list[tuple[str, Request]],
    day: dt.date,
    people: list[str],
) -> tuple[Mapping[str, Request], tuple[Request, ...]]:
    """Return what the user edits, by number, and what it adds."""
    of = dict(numbered)
    stopped = replace(of["stopped"], status="withdrawn")
    postponed = replace(of["postponed"], effective=_after(day, 41))
    old = of["overtaken"]
    newer = replace(
        old,
        number="CR-441",
        value=_value(chance, old.service, old.fact, people, is_first=False),
        approved=_before(chance, day, 1, 1),
        effective=_before(chance, day, 1, 1),
    )
    if newer.value == old.value:  # an on call person drawn twice
        newer = replace(newer, value=next(one for one in people if one != old.value))
    edited = {
        "stopped_overtaken": (stopped,),
        "postponed_overtaken": (postponed,),
        "stopped_postponed": (stopped, postponed),
    }[facets.news]
    added = () if facets.news == "stopped_postponed" else (newer,)
    return {one.number: one for one in edited}, added


def _before(chance: random.Random, day: dt.date, least: int, most: int) -> str:
    return (day - dt.timedelta(days=chance.randint(least, most))).isoformat()


def _after(day: dt.date, days: int) -> str:
    return (day + dt.timedelta(days=days)).isoformat()
