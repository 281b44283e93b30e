"""What is drawn: an outage, its alerts, the channel in which it was handled, deployments."""

import random
from dataclasses import dataclass
from typing import Literal

from envplatform.cowork.words import Names

DAY = "2025-05-14"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    starts: Literal["first_critical", "deployment", "first_of_service"]
    """What counts as the beginning."""
    detected: Literal["acknowledged", "first_message", "declared"]
    ends: Literal["last_critical_closed", "all_clear", "rolled_back"]
    severity: Literal["minutes", "services", "customers"]
    listed: Literal["all", "critical", "affected"]
    """Which alerts the timeline has."""
    order: Literal["oldest", "newest", "service"]
    clock: Literal["utc", "local"]
    """In which times are delivered; all documents are in UTC."""
    extra: Literal["none", "services", "people"]
    alerts: str
    channel: str
    store: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert; minutes after midnight."""

    number: str
    service: str
    level: Literal["critical", "warning", "info"]
    opened: int
    closed: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message in the channel."""

    minute: int
    who: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """One release of one service."""

    number: str
    service: str
    minute: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """All that this one is about."""

    facets: Facets
    service: str
    """Where it began."""
    manager: str
    """The user inside."""
    offset: int
    """Hours of local time before UTC."""
    limits: tuple[int, int]
    """From which the severity is 2, and 1."""
    customers: dict[str, int]
    """Customers of each service."""
    alerts: tuple[Alert, ...]
    late: tuple[Alert, ...]
    """Those that the user adds."""
    channel: tuple[Said, ...]
    deployments: tuple[Deployment, ...]


def clock(minute: int) -> str:
    """Return a time of the day as the documents have it."""
    return f"{DAY}T{minute // 60:02}:{minute % 60:02}Z"


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        starts=chance.choice(("first_critical", "deployment", "first_of_service")),
        detected=chance.choice(("acknowledged", "first_message", "declared")),
        ends=chance.choice(("last_critical_closed", "all_clear", "rolled_back")),
        severity=chance.choice(("minutes", "services", "customers")),
        listed=chance.choice(("all", "critical", "affected")),
        order=chance.choice(("oldest", "newest", "service")),
        clock=chance.choice(("utc", "local")),
        extra=chance.choice(("none", "services", "people")),
        alerts=chance.choice(("monitoring/alerts.csv", "alerts.csv", "ops/alerts.csv")),
        channel=chance.choice(("chat/incident.md", "channel/log.md")),
        store=chance.choice(("stores/releases", "releases", "ops/releases")),
    )


def draw_outage(chance: random.Random, names: Names) -> Outage:
    """Draw an outage in which what is late matters for times and severity."""
    services = names.some("service", 6)
    people = names.people(4)
    begin = chance.randint(9 * 60, 14 * 60)
    declared = begin + chance.randint(12, 25)
    rolled_back = declared + chance.randint(25, 50)
    clear = rolled_back + chance.randint(14, 30)
    alerts = _alerts(chance, services, begin, clear)
    facets = draw_facets(chance)
    return Outage(
        facets=facets,
        service=services[0],
        manager=people[3],
        offset=chance.choice((1, 2, 3)),
        limits=_limits(facets, services, begin, clear),
        customers={
            name: 100 * chance.randint(2, 30) + place
            for place, name in enumerate(services)
        },
        alerts=alerts,
        late=(
            Alert(
                number="A-990",
                service=services[4],
                level="critical",
                opened=begin - 6,
                closed=clear + 9,
                what="errors above 5 %",
            ),
            Alert(
                number="A-991",
                service=services[0],
                level="warning",
                opened=begin - 3,
                closed=begin + 2,
                what="slow answers",
            ),
        ),
        channel=_channel(chance, services[0], people, (declared, rolled_back, clear)),
        deployments=_deployments(chance, services, people, begin),
    )


def _alerts(
    chance: random.Random, services: list[str], begin: int, clear: int
) -> tuple[Alert, ...]:
    found = []
    for place, service in enumerate((*services[:4], *services[:3])):
        opened = begin + (0 if place == 0 else chance.randint(2, 20) + place)
        found.append(
            (
                "critical",
                service,
                opened,
                clear - chance.randint(1, 9),
                "errors above 5 %",
            )
        )
    for service in (*services, *services):
        opened = begin + chance.randint(1, 60)
        length = chance.randint(2, 8)
        level = chance.choice(("warning", "info"))
        found.append((level, service, opened, opened + length, "slow answers"))
    for _ in range(4):  # hours before, and over
        opened = begin - chance.randint(90, 200)
        found.append(("warning", services[0], opened, opened + 5, "disk is filling"))
    chance.shuffle(found)
    return tuple(
        Alert(
            number=f"A-{310 + number * 4}",
            service=service,
            level=level,  # type: ignore[arg-type]  # one of the three above
            opened=opened,
            closed=closed,
            what=what,
        )
        for number, (level, service, opened, closed, what) in enumerate(found)
    )


def _limits(
    facets: Facets, services: list[str], begin: int, clear: int
) -> tuple[int, int]:
    """Return limits that the late alerts reach or the outage passes."""
    del services, begin, clear
    return {
        "minutes": (30, 60),
        "services": (3, 5),
        "customers": (2500, 5000),
    }[facets.severity]


def _channel(
    chance: random.Random, service: str, people: list[str], at: tuple[int, int, int]
) -> tuple[Said, ...]:
    declared, rolled_back, clear = at
    first, second, third = people[:3]
    acknowledged = declared - chance.randint(4, 9)
    lines = [
        (acknowledged - 3, second, f"anyone else seeing trouble with {service}?"),
        (acknowledged, first, f"ack, I am on {service}"),
        (declared, first, "declared: this is an incident, I take the lead"),
        (declared + 4, third, "support has the first tickets"),
        (declared + 9, second, "nothing odd in the database"),
        (rolled_back - 6, second, "suspect the release, preparing to go back"),
        (rolled_back, second, f"rolled back {service}"),
        (rolled_back + 5, third, "tickets are getting fewer"),
        (clear, first, "all clear, thanks everybody"),
        (clear + 20, third, "ack on the follow-up for support"),
    ]
    return tuple(Said(minute=m, who=who, text=text) for m, who, text in lines)


def _deployments(
    chance: random.Random, services: list[str], people: list[str], begin: int
) -> tuple[Deployment, ...]:
    minutes = [
        (services[0], begin - chance.randint(8, 14)),
        (services[0], begin - chance.randint(180, 400)),
        (services[0], begin + chance.randint(100, 140)),
        *((name, begin - chance.randint(20, 240)) for name in services[1:]),
    ]
    chance.shuffle(minutes)
    return tuple(
        Deployment(
            number=f"R-{2200 + number * 3}",
            service=service,
            minute=minute,
            by=chance.choice(people[:3]),
        )
        for number, (service, minute) in enumerate(minutes)
    )
