"""What is drawn: review rules, people, roles, accounts."""

import datetime as dt
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CASES = (
    *("fine",) * 10,
    *("left", "left", "left", "orphan", "orphan", "conflict", "conflict", "conflict"),
    *("dormant", "dormant", "dormant", "foreign", "foreign", "new"),
)
"""What each account is drawn for; `new` was never used, and is too young to be dormant."""
ROLES = {
    "order_create": "order",
    "order_approve": "order",
    "invoice_post": "pay",
    "payment_release": "pay",
    "user_admin": "admin",
    "report_read": "read",
    "stock_count": "stock",
}
CONFLICTS = (
    ("order_create", "order_approve"),
    ("invoice_post", "payment_release"),
    ("payment_release", "user_admin"),
)
Severity = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    several: Literal["first", "all", "worst"]
    """What is reported of an account with several findings."""
    leaver: Literal["at_once", "grace", "month_end"]
    service: Literal["excepted", "owner", "listed"]
    """How service accounts are reviewed."""
    columns: Literal["short", "full", "person"]
    order_by: Literal["account", "severity", "system"]
    overview: Literal["by_finding", "by_system", "by_severity"]
    revoke: Literal["csv", "txt", "json"]
    accounts_in: Literal["store", "csv", "folder"]
    roles_in: Literal["policy", "csv"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One of the staff list; `left` is empty for who is still there."""

    number: str
    name: str
    department: str
    left: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One account; roles with a blank between; `last_login` may be empty."""

    account: str
    system: str
    kind: Literal["user", "service"]
    owner: str
    roles: str
    created: str
    last_login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """All that this one is about."""

    facets: Facets
    today: dt.date
    dormant_days: int
    grace_days: int
    severities: Mapping[str, Severity]
    allowed: Mapping[str, tuple[str, ...]]
    """Departments that may have a role; a role that is not named is open to all."""
    people: tuple[Person, ...]
    accounts: tuple[Account, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules, for the verifier."""
        return {
            "facets": dict(asdict(self.facets)),
            "today": self.today.isoformat(),
            "dormant_days": self.dormant_days,
            "grace_days": self.grace_days,
            "severities": dict(self.severities),
            "allowed": {role: list(of) for role, of in self.allowed.items()},
            "conflicts": [list(one) for one in CONFLICTS],
            "systems": [*sorted({one.system for one in self.accounts})],
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        several=chance.choice(("first", "all", "worst")),
        leaver=chance.choice(("at_once", "grace", "month_end")),
        service=chance.choice(("excepted", "owner", "listed")),
        columns=chance.choice(("short", "full", "person")),
        order_by=chance.choice(("account", "severity", "system")),
        overview=chance.choice(("by_finding", "by_system", "by_severity")),
        revoke=chance.choice(("csv", "txt", "json")),
        accounts_in=chance.choice(("store", "csv", "folder")),
        roles_in=chance.choice(("policy", "csv")),
    )


def draw_review(chance: random.Random, names: Names) -> Review:
    """Draw accounts in which every rule decides something."""
    today = dt.date(2025, 3, 10) + dt.timedelta(days=chance.randrange(240))
    departments, systems = names.some("department", 4), names.some("service", 3)
    dormant_days = chance.choice((60, 90, 120))
    drawn = chance.sample(CASES, len(CASES))
    staff = names.people(len(drawn))
    numbers = chance.sample(range(4001, 4990), len(drawn))
    people, accounts = [], []
    for at, (case, name, number) in enumerate(zip(drawn, staff, numbers, strict=True)):
        left = today - dt.timedelta(days=chance.randint(70, 300))
        department = departments[at % 2 if case != "foreign" else 3]
        person = Person(
            number=str(number),
            name=name,
            department=department,
            left=left.isoformat() if case == "left" else "",
        )
        if case != "orphan":
            people.append(person)
        accounts.append(_account(chance, case, person, systems, today, dormant_days))
    gone = next(one for one in people if one.left)
    there = next(one for one in people if not one.left)
    for at, owner in enumerate((gone, there)):
        accounts.append(_service(owner, systems[at], today, at))
    severity: tuple[Severity, ...] = ("high", "medium", "low")
    return Review(
        facets=draw_facets(chance),
        today=today,
        dormant_days=dormant_days,
        grace_days=chance.choice((14, 30)),
        severities={
            "leaver": "high",
            "orphan": chance.choice(severity[:2]),
            "conflict": chance.choice(severity[:2]),
            "role": "medium",
            "dormant": "low",
        },
        allowed={
            "payment_release": tuple(sorted(departments[:3])),
            "user_admin": tuple(sorted(departments[:2])),
        },
        people=tuple(sorted(people, key=lambda one: one.number)),
        accounts=tuple(sorted(accounts, key=lambda one: one.account)),
    )


def _account(
    chance: random.Random,
    case: str,
    person: Person,
    systems: list[str],
    today: dt.date,
    dormant_days: int,
) -> Account:
    pool = ["report_read", "stock_count", "order_create", "invoice_post"]
    roles = chance.sample(pool, chance.randint(1, 2))
    if case == "conflict" or (case == "left" and chance.random() < 0.7):
        roles = [*chance.choice(CONFLICTS), *chance.sample(pool[:2], 1)]
    elif case == "foreign":
        roles = [chance.choice(("payment_release", "user_admin")), "report_read"]
    ago = chance.randint(1, dormant_days - 5)
    if case == "dormant" or (case == "orphan" and chance.random() < 0.7):
        ago = dormant_days + chance.randint(1, 200)
    last = today - dt.timedelta(days=ago)
    is_unused = case == "new" or (case == "dormant" and chance.random() < 0.4)
    created = today - dt.timedelta(days=20 if case == "new" else ago + 400)
    first, _, surname = person.name.lower().partition(" ")
    return Account(
        account=f"{first[0]}{surname}",
        system=chance.choice(systems),
        kind="user",
        owner=person.number,
        roles=" ".join(sorted(roles)),
        created=created.isoformat(),
        last_login="" if is_unused else last.isoformat(),
    )


def _service(owner: Person, system: str, today: dt.date, at: int) -> Account:
    day = (today - dt.timedelta(days=500 + at)).isoformat()
    return Account(
        account=f"svc-{system}-{at + 1}",
        system=system,
        kind="service",
        owner=owner.number,
        roles="invoice_post payment_release",
        created=day,
        last_login=day,
    )
