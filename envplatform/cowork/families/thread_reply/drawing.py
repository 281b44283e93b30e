"""What is drawn: a thread in which an order and its questions change, and prices."""

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

TOPICS: Mapping[str, tuple[str, str, str]] = {
    "warranty": ("how long is the warranty?", "24 months", "quality"),
    "colour": ("which colours can we have?", "grey or black", "product management"),
    "packing": ("how is it packed?", "on pallets of 40", "logistics"),
    "spare parts": ("for how long are there spare parts?", "10 years", "service"),
    "manual": ("in which languages is the manual?", "English and German", "service"),
    "noise": ("how loud is it at full load?", "54 dB at one metre", "quality"),
    "payment": ("until when do we have to pay?", "30 days net", "accounts"),
    "returns": ("until when can we send things back?", "14 days", "logistics"),
    "training": ("do you train our people?", "half a day on site", "service"),
    "storage": ("how warm may it be stored?", "up to 40 degrees", "quality"),
}
"""Topic to question, answer and who answers where the sheet does not."""
_KINDS = ("answered", "answered", "told", "told", "settled", "open", "open", "open")
"""What becomes of the questions, in a drawn order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    tiers: Literal["article", "order", "none"]
    """By which quantity a price is found."""
    vat: Literal["none", "20", "25"]
    """Percent that the reply adds."""
    thread_in: Literal["folder", "file"]
    prices_in: Literal["csv", "store", "sheet"]
    lines: Literal["ordered", "name", "dearest"]
    """Order of articles in the reply."""
    answers: Literal["lines", "topics", "none"]
    points: Literal["csv", "json", "txt"]
    """Form of the open points."""
    sorted_by: Literal["number", "owner", "oldest"]
    extra: Literal["none", "changes", "articles"]
    untold: Literal["discount", "freight", "rounding"]
    trigger: Literal["thread", "prices"]
    root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article; prices in cents from 1, 10 and 50 on."""

    name: str
    prices: tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail of the thread."""

    day: str
    sender: str
    ours: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that this one is about."""

    facets: Facets
    lead: str
    """The user inside."""
    customer: str
    company: str
    subject: str
    articles: tuple[Article, ...]
    mails: tuple[Mail, ...]
    told: tuple[str, ...]
    """Topics that the product sheet answers."""
    decision: int
    """Percent, or cents, that the user decides."""

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules for the verifier, and what only the user knows."""
        return {
            "facets": dict(asdict(self.facets)),
            "customer": self.customer,
            "subject": self.subject,
            "decision": self.decision,
            "answers": {topic: TOPICS[topic][1] for topic in self.told},
            "owners": {topic: of[2] for topic, of in TOPICS.items()},
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        tiers=chance.choice(("article", "order", "none")),
        vat=chance.choice(("none", "20", "25")),
        thread_in=chance.choice(("folder", "file")),
        prices_in=chance.choice(("csv", "store", "sheet")),
        lines=chance.choice(("ordered", "name", "dearest")),
        answers=chance.choice(("lines", "topics", "none")),
        points=chance.choice(("csv", "json", "txt")),
        sorted_by=chance.choice(("number", "owner", "oldest")),
        extra=chance.choice(("none", "changes", "articles")),
        untold=chance.choice(("discount", "freight", "rounding")),
        trigger=chance.choice(("thread", "prices")),
        root=chance.choice(("sales", "offers/current", "accounts")),
    )


def draw_case(chance: random.Random, names: Names) -> Case:
    """Draw a thread in which quantities change and some questions stay open."""
    facets = draw_facets(chance)
    lead, customer, other, seller, engineer = names.people(5)
    articles = tuple(
        Article(name=name, prices=_prices(chance)) for name in names.products(14)
    )
    ordered = chance.sample(articles, 7)
    topics = chance.sample(list(TOPICS), 8)
    kinds = chance.sample(_KINDS, len(_KINDS))
    becomes = {
        kind: [at for at, one in enumerate(kinds) if one == kind] for kind in set(kinds)
    }
    return Case(
        facets=facets,
        lead=lead,
        customer=customer,
        company=names.companies(1)[0],
        subject=chance.choice(
            ("Equipment for the new site", "Your offer", "Our order")
        ),
        articles=articles,
        mails=_mails(
            chance, ordered, topics, becomes, (customer, other, seller, engineer)
        ),
        told=tuple(sorted(topics[at] for at in becomes["told"])),
        decision={
            "discount": chance.choice((3, 4, 6, 7)),
            "freight": 100 * chance.randint(45, 190),
            "rounding": 100 * chance.randint(20, 90),
        }[facets.untold],
    )


def _prices(chance: random.Random) -> tuple[int, int, int]:
    price = chance.randint(900, 24000)
    return (price, price - price // 12, price - price // 7)


def _mails(
    chance: random.Random,
    ordered: list[Article],
    topics: list[str],
    becomes: Mapping[str, list[int]],
    people: tuple[str, str, str, str],
) -> tuple[Mail, ...]:
    """Return the thread, oldest first."""
    customer, other, seller, engineer = people
    sizes = [chance.choice((4, 6, 8, 12, 15, 20, 30, 55, 60)) for _ in ordered]
    wanted = [f"{n} x {one.name}" for n, one in zip(sizes, ordered, strict=True)]
    asked = [
        f"Question {n} ({topic}): {TOPICS[topic][0]}"
        for n, topic in enumerate(topics, 1)
    ]
    answers = [
        f"Answer {at + 1}: {TOPICS[topics[at]][1]}." for at in becomes["answered"]
    ]
    first, second, third, fourth = (one.name for one in ordered[:4])
    texts = [
        (
            customer,
            "We are furnishing our new site and would need:\n\n"
            + "\n".join(wanted[:5]),
        ),
        (seller, "Thank you, that sounds good. We will come back to you with prices."),
        (other, f"Two things from my side.\n\n{asked[0]}\n{asked[1]}"),
        (customer, "I forgot something, please add:\n\n" + "\n".join(wanted[5:])),
        (customer, f"We counted again.\n\n{first}: make it {sizes[0] + 7} instead."),
        (other, "A few more.\n\n" + "\n".join(asked[2:5])),
        (seller, "We have noted all of it. The colleagues are looking into it."),
        (
            customer,
            f"The hall is smaller than planned.\n\n{second}: we do not need it.",
        ),
        (other, "And the last ones, I promise.\n\n" + "\n".join(asked[5:])),
        (engineer, "\n".join([*answers, "", "The rest is for others."])),
        (customer, f"One correction.\n\n{third}: make it {sizes[2] + 40} instead."),
        (other, f"Question {becomes['settled'][0] + 1} is settled, forget about it."),
        (customer, f"{first}: make it {sizes[0] + 3} instead.\n\n{fourth}: as it was."),
        (customer, "When can we have your reply? The board meets next week."),
    ]
    day = date.fromisoformat("2025-03-03")
    found = []
    for sender, text in texts:
        day += timedelta(days=chance.randint(1, 2))
        while day.isoweekday() > 5:
            day += timedelta(days=1)
        ours = sender in {seller, engineer}
        found.append(Mail(day=day.isoformat(), sender=sender, ours=ours, text=text))
    return tuple(found)
