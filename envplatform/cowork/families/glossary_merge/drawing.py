"""What is drawn: departments, their lists of terms, and the rules of the common glossary."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

from envplatform.cowork.words import Names
from envplatform.toml_file import parse_toml

_FILE = "terms.toml"
LEAST_CHOICES = 5
"""Terms of which the rule decides whose definition is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    winner: Literal["newest", "ranked", "longest"]
    """Whose definition is taken where several departments have one."""
    retired: Literal["dropped", "marked", "apart"]
    """What becomes of terms that are retired in all lists."""
    order: Literal["alphabet", "department", "newest"]
    form: Literal["list", "table", "headings"]
    place: Literal["shared", "file"]
    extra: Literal["none", "conflicts", "counts"]
    owners: Literal["none", "brackets", "line"]
    """Whether entries name the department."""
    source: Literal["folder", "store"]
    at: str
    """Where the lists are."""
    glossary: str
    """Name of the common one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of one department's list."""

    department: str
    term: str
    definition: str
    changed: str
    retired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """All that this one is about."""

    facets: Facets
    departments: tuple[str, ...]
    """By rank, the first one's word counts most."""
    entries: tuple[Entry, ...]
    old: tuple[tuple[str, str], ...]
    """What the common glossary has at the beginning."""


class _Terms(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    terms: dict[str, tuple[str, ...]]


def draw_lists(chance: random.Random, names: Names) -> Lists:
    """Draw lists with conflicts, other spellings, and terms that were given up."""
    departments = names.some("department", chance.randint(3, 5))
    chosen = chance.sample(sorted(_terms().items()), chance.randint(20, 26))
    facets = Facets(
        winner=chance.choice(("newest", "ranked", "longest")),
        retired=chance.choice(("dropped", "marked", "apart")),
        order=chance.choice(("alphabet", "department", "newest")),
        form=chance.choice(("list", "table", "headings")),
        place=chance.choice(("shared", "file")),
        extra=chance.choice(("none", "conflicts", "counts")),
        owners=chance.choice(("none", "brackets", "line")),
        source=chance.choice(("folder", "store")),
        at=chance.choice(("lists", "departments/terms", "terms")),
        glossary=chance.choice(
            ("kb/glossary.md", "wiki/terms.md", "handbook/words.md")
        ),
    )
    while True:
        entries = [
            entry
            for place, (term, definitions) in enumerate(chosen)
            for entry in _entries(chance, term, definitions, departments, place)
        ]
        if _choices(entries, facets, departments) >= LEAST_CHOICES:
            break
    chance.shuffle(entries)
    known = chance.sample(chosen, 4)
    return Lists(
        facets=facets,
        departments=tuple(departments),
        entries=tuple(entries),
        old=tuple((term, definitions[-1]) for term, definitions in sorted(known)),
    )


def _choices(
    entries: Sequence[Entry], facets: Facets, departments: Sequence[str]
) -> int:
    """Count terms of which another definition than the oldest is taken."""
    live: dict[str, list[Entry]] = {}
    for one in entries:
        if not one.retired:
            live.setdefault(one.term.lower(), []).append(one)
    best: Mapping[str, Callable[[Entry], tuple[str, int]]] = {
        "newest": lambda one: (one.changed, 0),
        "longest": lambda one: ("", len(one.definition)),
        "ranked": lambda one: ("", -departments.index(one.department)),
    }
    return sum(
        max(of, key=best[facets.winner]) != min(of, key=lambda one: one.changed)
        for of in live.values()
    )


def _entries(
    chance: random.Random,
    term: str,
    definitions: tuple[str, ...],
    departments: list[str],
    place: int,
) -> list[Entry]:
    """Return one to three entries; every fifth term is retired wherever it stands."""
    count = min(len(definitions), 1 + place % 3, len(departments))
    owners = chance.sample(departments, count)
    texts = chance.sample(definitions, count)
    retired = place % 5 == 4
    days = chance.sample(range(1, 29), count)
    return [
        Entry(
            department=owner,
            term=_spelled(chance, term),
            definition=text,
            changed=f"2025-{chance.randint(1, 6):02}-{day:02}",
            retired=retired or (count > 1 and number == 0 and place % 4 == 1),
        )
        for number, (owner, text, day) in enumerate(
            zip(owners, texts, days, strict=True)
        )
    ]


def _spelled(chance: random.Random, term: str) -> str:
    return chance.choice((term, term, term.capitalize(), term.title()))


@cache
def _terms() -> dict[str, tuple[str, ...]]:
    folder = resources.files("envplatform.cowork.families.glossary_merge")
    text = (folder / _FILE).read_text("utf-8")
    return parse_toml(_Terms, text, source=_FILE).terms
