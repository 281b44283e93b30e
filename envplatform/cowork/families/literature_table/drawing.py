"""What is drawn: studies of one question, and a protocol by which they are taken."""

import random
from dataclasses import dataclass, replace
from typing import Literal

from envplatform.cowork.words import Names

TOPICS = {
    "desks": ("Standing desks", "back pain", "points", "below"),
    "calls": ("Reminder calls", "missed appointments", "visits per 100", "below"),
    "light": ("Dimmed night lights", "sleep", "minutes", "above"),
    "tutoring": ("Peer tutoring", "reading scores", "points", "above"),
    "walking": ("Walking meetings", "daily steps", "hundred steps", "above"),
}
_TAILS = (
    "a field study",
    "results from the workplace",
    "what follow-up shows",
    "a report",
    "evidence from practice",
    "a second look",
)
_RANDOMISED, _COHORT = "randomised trial", "cohort with a control group"
_WEAK_DESIGNS = ("cross-sectional survey", "case series")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    topic: Literal["desks", "calls", "light", "tutoring", "walking"]
    designs: Literal["randomised", "controlled"]
    """Which designs are taken."""
    people: Literal["enrolled", "analysed"]
    """Which number of people counts."""
    moment: Literal["first", "last", "nearest"]
    """Which point in time the effect is taken from."""
    conflict: Literal["table", "text", "neither"]
    """What counts where text and table differ."""
    repeats: Literal["largest", "latest", "first"]
    """Which of several reports of one study is taken."""
    layout: Literal["prose", "headings", "record"]
    listed: Literal["included", "all"]
    order: Literal["study", "year", "people"]
    open: Literal["lists", "studies"]
    summary: Literal["flow", "direction", "range"]
    extra: Literal["none", "excluded", "references"]
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One effect as printed; empty texts where nothing is."""

    week: int
    value: str
    low: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One report."""

    number: str
    title: str
    author: str
    year: int
    city: str
    registration: str
    design: str
    enrolled: int
    analysed: int
    effects: tuple[Effect, ...]
    """As the table has them, by week."""
    told: Effect
    """As the text has it, of the point in time that is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """All that this one is about."""

    facets: Facets
    least_people: int
    least_weeks: int
    least_year: int
    studies: tuple[Study, ...]


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        topic=chance.choice(("desks", "calls", "light", "tutoring", "walking")),
        designs=chance.choice(("randomised", "controlled")),
        people=chance.choice(("enrolled", "analysed")),
        moment=chance.choice(("first", "last", "nearest")),
        conflict=chance.choice(("table", "text", "neither")),
        repeats=chance.choice(("largest", "latest", "first")),
        layout=chance.choice(("prose", "headings", "record")),
        listed=chance.choice(("included", "all")),
        order=chance.choice(("study", "year", "people")),
        open=chance.choice(("lists", "studies")),
        summary=chance.choice(("flow", "direction", "range")),
        extra=chance.choice(("none", "excluded", "references")),
        place=chance.choice(("studies", "library/studies", "papers", "review/reports")),
    )


def draw_review(chance: random.Random, names: Names) -> Review:
    """Draw studies of which each rule of the protocol decides some."""
    facets = draw_facets(chance)
    people, weeks = chance.choice((60, 80, 100)), chance.choice((8, 10))
    year = chance.choice((2008, 2010, 2012))
    found = _kinds(chance, facets, people, year)
    cities = names.some("city", 7)
    intervention, outcome, _, _ = TOPICS[facets.topic]
    authors = [one.split()[-1] for one in names.people(len(found))]
    order = chance.sample(found, len(found))
    studies = tuple(
        replace(
            one,
            number=f"S{place:02}",
            author=author,
            city=chance.choice(cities),
            title=f"{intervention} and {outcome}: {chance.choice(_TAILS)}",
            registration=one.registration or f"REG-{4000 + 17 * place}",
        )
        for place, (one, author) in enumerate(zip(order, authors, strict=True), 1)
    )
    return Review(
        facets=facets,
        least_people=people,
        least_weeks=weeks,
        least_year=year,
        studies=studies,
    )


def _kinds(
    chance: random.Random, facets: Facets, people: int, year: int
) -> list[Study]:
    """Return studies without names, one or more for each rule."""

    def one(more: int = 0) -> Study:
        return _plain(chance, facets, people + more, year)

    kinds = [one() for _ in range(5)]
    kinds += [replace(one(), design=design) for design in _WEAK_DESIGNS]
    kinds += [replace(one(), design=_COHORT) for _ in range(3)]
    kinds.append(replace(one(), enrolled=people + 9, analysed=people - 5))
    kinds.append(replace(one(), enrolled=people + 4, analysed=people - 11))
    kinds.append(replace(one(), enrolled=people - 7, analysed=people - 19))
    early = one()
    kinds.append(replace(early, effects=early.effects[:2], told=early.effects[1]))
    kinds.append(replace(one(), year=year - chance.randint(1, 6)))
    large, small = one(90), one()
    kinds += [
        replace(large, registration="REG-7101", year=year + 3),
        replace(small, registration="REG-7101", year=year + 6),
        replace(one(), registration="REG-7144", year=year + 2),
        replace(one(90), registration="REG-7144", year=year + 8),
    ]
    for study in (one(), one(), one()):
        value = _number(_tenths(study.told.value) + chance.choice((-4, 3, 5)))
        kinds.append(replace(study, told=replace(study.told, value=value)))
    for bare in (one(), one()):
        rows = tuple(replace(row, low="", high="") for row in bare.effects)
        kinds.append(
            replace(bare, effects=rows, told=replace(bare.told, low="", high=""))
        )
    mute = one()
    rows = tuple(replace(row, value="", low="", high="") for row in mute.effects)
    kinds.append(replace(mute, effects=rows, told=_taken(facets, rows)))
    return kinds


def _plain(chance: random.Random, facets: Facets, people: int, year: int) -> Study:
    """Return a study that passes everything."""
    analysed = people + chance.randint(10, 55)
    points = (4, 6, chance.randint(11, 14), chance.choice((20, 24, 26)))
    base, width = chance.randint(-13, 27), chance.randint(5, 20)
    if TOPICS[facets.topic][3] == "below":
        base = -base
    effects = tuple(
        _effect(week, base + chance.randint(-5, 5) or 1, width=width + place)
        for place, week in enumerate(points)
    )
    return Study(
        number="",
        title="",
        author="",
        year=year + chance.randint(1, 12),
        city="",
        registration="",
        design=_RANDOMISED,
        enrolled=analysed + chance.randint(3, 20),
        analysed=analysed,
        effects=effects,
        told=_taken(facets, effects),
    )


def _effect(week: int, middle: int, *, width: int) -> Effect:
    return Effect(
        week=week,
        value=_number(middle),
        low=_number(middle - width),
        high=_number(middle + width),
    )


def _taken(facets: Facets, effects: tuple[Effect, ...]) -> Effect:
    if facets.moment == "nearest":
        return min(effects, key=lambda one: abs(one.week - 12))
    return effects[0 if facets.moment == "first" else -1]


def _number(tenths: int) -> str:
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"


def _tenths(text: str) -> int:
    return int(text.replace(".", ""))
