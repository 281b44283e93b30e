"""What is drawn: rules of merging, and records of the same people from three sources."""

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CASES = (
    *("single",) * 5,
    *("spelling",) * 4,
    *("phone",) * 3,
    *("chain",) * 3,
    *("namesake",) * 5,
    *("desk",) * 4,
    *("unwanted",) * 3,
    *("silent",) * 2,
)
"""What people are drawn for. `desk`: two people behind one address of a company."""
OWN = "ourhouse.example"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    key: Literal["email", "email_or_phone", "name_company"]
    survivor: Literal["newest", "source", "fullest"]
    consent: Literal["strictest", "latest", "crm"]
    unwanted: Literal["internal", "competitor", "stale"]
    number: Literal["lowest", "oldest", "crm_first"]
    segment: Literal["size", "sources", "region"]
    target: Literal["store", "csv"]
    leftovers: Literal["file", "report", "mapping"]
    report: Literal["segments", "sources", "sizes"]
    cards: Literal["csv", "folder"]
    order_by: Literal["id", "company", "updated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """One record; empty fields are unknown."""

    id: str
    source: str
    """`crm`, `form` or `fair`."""
    name: str
    company: str
    email: str
    phone: str
    city: str
    employees: int
    opt_in: str
    """`yes` or `no`."""
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """All that this one is about."""

    facets: Facets
    rivals: tuple[str, ...]
    """Mail domains of competitors."""
    stale_before: str
    sizes: tuple[int, int]
    regions: Mapping[str, str]
    """City to region."""
    leads: tuple[Lead, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules."""
        return {
            "facets": dict(asdict(self.facets)),
            "rivals": list(self.rivals),
            "stale_before": self.stale_before,
            "sizes": list(self.sizes),
            "regions": dict(self.regions),
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        key=chance.choice(("email", "email_or_phone", "name_company")),
        survivor=chance.choice(("newest", "source", "fullest")),
        consent=chance.choice(("strictest", "latest", "crm")),
        unwanted=chance.choice(("internal", "competitor", "stale")),
        number=chance.choice(("lowest", "oldest", "crm_first")),
        segment=chance.choice(("size", "sources", "region")),
        target=chance.choice(("store", "csv")),
        leftovers=chance.choice(("file", "report", "mapping")),
        report=chance.choice(("segments", "sources", "sizes")),
        cards=chance.choice(("csv", "folder")),
        order_by=chance.choice(("id", "company", "updated")),
    )


def draw_pool(chance: random.Random, names: Names) -> Pool:
    """Draw records in which every rule decides something."""
    facets = draw_facets(chance)
    cities = names.some("city", 9)
    companies = names.companies(len(CASES))
    people = names.people(len(CASES) + 3)
    rivals = tuple(f"{_plain(one)}.example" for one in companies[-3:-1])
    days = chance.sample(range(30, 700), 90)
    leads: list[Lead] = []
    for case, company in zip(CASES, companies, strict=True):
        first = _person(chance, people.pop(), company, cities)
        group = _group(chance, case, first, people, facets)
        if case == "unwanted" and facets.unwanted == "competitor":
            group = [
                replace(
                    one, email=one.email.split("@")[0] + f"@{chance.choice(rivals)}"
                )
                for one in group
            ]
        for one in group:
            age = days.pop()
            is_stale = case == "unwanted" and facets.unwanted == "stale"
            leads.append(_dated(one, age + 800 if is_stale else age))
    return Pool(
        facets=facets,
        rivals=rivals,
        stale_before="2023-06-01",
        sizes=chance.choice(((50, 250), (20, 100), (100, 500))),
        regions={
            city: ("North", "South", "Coast")[at % 3] for at, city in enumerate(cities)
        },
        leads=_numbered(chance, leads),
    )


def _plain(company: str) -> str:
    return company.lower().replace(" ", "-")


def _person(
    chance: random.Random, name: str, company: str, cities: Sequence[str]
) -> Lead:
    """Return a full record."""
    mail = f"{name.lower().replace(' ', '.')}@{_plain(company)}.example"
    number = chance.randint(100_000, 999_999)
    return Lead(
        id="",
        source="crm",
        name=name,
        company=company,
        email=mail,
        phone=f"+43 {chance.choice((1, 662, 732))} {number}",
        city=chance.choice(cities),
        employees=chance.choice((8, 15, 35, 60, 90, 130, 240, 420, 900)),
        opt_in=chance.choice(("yes", "yes", "no")),
        updated="",
    )


def _group(
    chance: random.Random, case: str, one: Lead, people: list[str], facets: Facets
) -> list[Lead]:
    """Return the records of a case; what repeats differs in other fields."""
    other = _varied(chance, one, "form")
    third = _varied(chance, one, "fair")
    user, _, domain = one.email.partition("@")
    elsewhere = f"{user.split('.')[0]}@{domain}"
    new_phone = f"+43 1 {chance.randint(100_000, 999_999)}"
    if case in {"single", "unwanted", "silent"}:
        source = chance.choice(("crm", "form", "fair"))
        alone = replace(one, source=source)
        if case == "silent":
            return [replace(alone, email="", phone="")]
        if case == "unwanted" and facets.unwanted == "internal":
            return [replace(alone, email=f"{user}@{OWN}")]
        return [alone]
    return {
        "spelling": [one, replace(other, email=one.email.title())],
        "phone": [replace(third, email=elsewhere), replace(other, phone=_spelt(one))],
        "chain": [
            one,
            replace(other, phone=new_phone, city=""),
            replace(
                third, email=elsewhere, phone=_spelt(replace(one, phone=new_phone))
            ),
        ],
        "namesake": [one, replace(third, email=elsewhere, phone=new_phone)],
        "desk": [
            replace(one, email=f"office@{domain}", phone=""),
            replace(
                third,
                name=people[0],
                email=f"Office@{domain}",
                phone=new_phone,
                city="",
            ),
        ],
    }[case]


def _varied(chance: random.Random, one: Lead, source: str) -> Lead:
    """Return the same person as another source has it."""
    opt = {"yes": "no", "no": "yes"}[one.opt_in]
    name = chance.choice((one.name, one.name.upper(), f" {one.name}"))
    return replace(
        one,
        source=source,
        name=name,
        city=chance.choice(("", one.city)),
        opt_in=chance.choice((opt, one.opt_in)),
        employees=chance.choice((one.employees, one.employees * 2)),
    )


def _spelt(one: Lead) -> str:
    """Return a phone number as people write it in forms."""
    return "00" + one.phone[1:].replace(" ", "-").replace("-", "/", 1)


def _dated(one: Lead, age: int) -> Lead:
    return replace(one, updated=str(dt.date(2025, 9, 1) - dt.timedelta(days=age)))


def _numbered(chance: random.Random, leads: Sequence[Lead]) -> tuple[Lead, ...]:
    """Return records with an id that tells the source, in a drawn order."""
    letters = {"crm": "C", "form": "F", "fair": "T"}
    numbers = chance.sample(range(1000, 9999), len(leads))
    return tuple(
        replace(one, id=f"{letters[one.source]}{number}")
        for one, number in zip(
            chance.sample(list(leads), len(leads)), numbers, strict=True
        )
    )
