"""What is drawn: a code book, answers in which its rules decide, what is left open."""

import random
from dataclasses import dataclass, replace
from typing import Literal

from envplatform.cowork.words import Names

DOMAINS = {
    "canteen": (
        ("price", ("prices", "cost of a menu")),
        ("taste", ("seasoning", "cold dishes")),
        ("choice", ("vegetarian dishes", "salad bar")),
        ("waiting", ("queue", "waiting time")),
        ("room", ("noise", "seats by the window")),
        ("staff", ("people at the counter", "cashiers")),
        ("hours", ("opening hours", "late lunch")),
        ("hygiene", ("dirty trays", "smell")),
    ),
    "commuting": (
        ("parking", ("car park", "charging points")),
        ("bus", ("shuttle", "bus stop")),
        ("rail", ("train tickets", "station")),
        ("bicycle", ("bike racks", "showers")),
        ("remote", ("home office", "fixed office days")),
        ("road", ("crossing", "roadworks")),
        ("money", ("allowance", "fuel card")),
        ("safety", ("street lights", "icy paths")),
    ),
    "training": (
        ("content", ("examples", "exercises")),
        ("trainer", ("instructor", "explanations")),
        ("pace", ("speed", "breaks")),
        ("material", ("slides", "handouts")),
        ("technique", ("projector", "login")),
        ("room", ("ventilation", "chairs")),
        ("booking", ("registration", "calendar entry")),
        ("benefit", ("daily work", "certificate")),
    ),
    "helpdesk": (
        ("speed", ("response time", "hotline queue")),
        ("tone", ("friendliness", "greeting")),
        ("skill", ("second level", "workarounds")),
        ("portal", ("ticket form", "search box")),
        ("updates", ("status mails", "callbacks")),
        ("hours", ("weekend cover", "evenings")),
        ("devices", ("loan laptops", "headsets")),
        ("access", ("password reset", "badge")),
    ),
}
_ABOUT = (
    "I would change the {}.",
    "Please do something about the {}.",
    "My main point is the {}.",
    "The {} could be better.",
    "What bothers me: the {}, every week.",
    "We talk about the {} a lot in our team.",
)
_PRAISE = "No complaint about the {}."
_OTHER = (
    "All in all I am content.",
    "Things were different ten years ago.",
    "Ask me again in spring, please.",
    "My colleagues know more about that.",
    "It depends on the day, I would say.",
)
_NOTHING = ("-", "none", "no comment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    domain: Literal["canteen", "commuting", "training", "helpdesk"]
    precedence: Literal["book", "mention", "weight"]
    """Which code comes first where several apply."""
    codes: Literal["one", "two"]
    """How many an answer gets at most."""
    praise: Literal["left_out", "counted"]
    again: Literal["first", "last", "both"]
    """Which answer counts of who answered twice."""
    open: Literal["merged", "dropped", "batch_out", "batch_apart"]
    """What the user alone knows."""
    data: Literal["csv", "store", "folder"]
    order: Literal["answer", "code", "batch"]
    label: Literal["number", "name"]
    frequencies: Literal["total", "by_batch", "percent"]
    unclassified: Literal["list", "texts"]
    extra: Literal["none", "examples", "repeats"]
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One code of the book."""

    number: str
    name: str
    terms: tuple[str, ...]
    weight: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One open answer."""

    number: str
    batch: str
    person: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """All that this one is about."""

    facets: Facets
    owner: str
    """The user inside."""
    codes: tuple[Code, ...]
    answers: tuple[Answer, ...]
    unclear: str
    """Number of the code, or name of the batch, that is left open."""
    target: str
    """The code that it is merged into."""

    @property
    def is_about_a_code(self) -> bool:
        """Whether a code is left open, not a batch."""
        return self.facets.open in {"merged", "dropped"}


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        domain=chance.choice(("canteen", "commuting", "training", "helpdesk")),
        precedence=chance.choice(("book", "mention", "weight")),
        codes=chance.choice(("one", "two")),
        praise=chance.choice(("left_out", "counted")),
        again=chance.choice(("first", "last", "both")),
        open=chance.choice(("merged", "dropped", "batch_out", "batch_apart")),
        data=chance.choice(("csv", "store", "folder")),
        order=chance.choice(("answer", "code", "batch")),
        label=chance.choice(("number", "name")),
        frequencies=chance.choice(("total", "by_batch", "percent")),
        unclassified=chance.choice(("list", "texts")),
        extra=chance.choice(("none", "examples", "repeats")),
        place=chance.choice(("survey/answers", "answers", "fieldwork", "data/open")),
    )


def draw_survey(chance: random.Random, names: Names) -> Survey:
    """Draw answers of which each rule decides some."""
    facets = draw_facets(chance)
    book = chance.sample(DOMAINS[facets.domain], 8)
    weights = chance.sample(range(1, 9), 8)
    codes = tuple(
        Code(number=f"{n:02}", name=name, terms=terms, weight=weight)
        for n, ((name, terms), weight) in enumerate(zip(book, weights, strict=True), 1)
    )
    unclear, target = chance.sample(codes, 2)
    batches = names.some("city", 4)
    texts = _texts(chance, codes, unclear)
    answers = [
        Answer(
            number=f"A{101 + place}",
            batch=batches[place % 4],
            person=f"R{number}",
            text=text,
        )
        for place, (text, number) in enumerate(
            zip(texts, chance.sample(range(200, 999), len(texts)), strict=True)
        )
    ]
    for early, late in ((4, 21), (9, 31), (13, 40)):  # who answered twice
        answers[late] = replace(answers[late], person=answers[early].person)
    return Survey(
        facets=facets,
        owner=names.people(1)[0],
        codes=codes,
        answers=tuple(answers),
        unclear=unclear.number
        if facets.open in {"merged", "dropped"}
        else chance.choice(batches),
        target=target.number,
    )


def _texts(chance: random.Random, codes: tuple[Code, ...], unclear: Code) -> list[str]:
    """Return the answers in a drawn order."""
    others = [one for one in codes if one is not unclear]
    kinds: list[list[Code]] = [[one] for one in codes for _ in range(2)]
    kinds += [chance.sample(codes, 2) for _ in range(9)]
    kinds += [chance.sample(codes, 3) for _ in range(3)]
    kinds += [[unclear], [unclear]]
    kinds += [chance.sample((unclear, one), 2) for one in chance.sample(others, 3)]
    texts = [_said(chance, kind) for kind in kinds]
    for _ in range(3):
        praised, one = chance.sample(others, 2)
        liked = _PRAISE.format(chance.choice(praised.terms))
        texts.append(f"{liked} {_said(chance, [one])}")
    texts += [_PRAISE.format(chance.choice(one.terms)) for one in others[:3]]
    texts += [*_OTHER, *_NOTHING]
    return chance.sample(texts, len(texts))


def _said(chance: random.Random, codes: list[Code]) -> str:
    """Return a sentence about each, none begun like another."""
    forms = chance.sample(_ABOUT, len(codes))
    return " ".join(
        form.format(chance.choice(one.terms))
        for form, one in zip(forms, codes, strict=True)
    )
