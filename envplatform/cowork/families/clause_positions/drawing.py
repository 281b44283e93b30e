"""What is drawn: a playbook, an agreement that keeps to it or not, and what sales knows."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.families.clause_positions.topics import (
    OTHERS,
    TOPICS,
    Topic,
)
from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

KINDS = ("standard", "pilot", "strategic", "framework")
LAWS = (
    "Austria",
    "Germany",
    "Denmark",
    "Ireland",
    "Spain",
    "Brazil",
    "Japan",
    "Canada",
)
CASES = (*("equal",) * 2, *("over",) * 3, *("far",) * 2, *("between",) * 3, "missing")
"""How figures lie to the limit; `between`: to that of a standard deal otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    conceded: Literal["none", "figure", "clause"]
    escalate: Literal["column", "double", "half"]
    others: Literal["accept", "escalate", "leave_out"]
    missing: Literal["add", "escalate", "leave_out"]
    order: Literal["clause", "position", "heading"]
    redline: Literal["sections", "object", "whole"]
    note: Literal["lines", "table", "object"]
    extra: Literal["none", "counts", "gaps"]
    agreement: Literal["document", "folder"]
    limits: Literal["table", "csv"]
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of the agreement; numbers from 1."""

    number: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """All that this one is about."""

    facets: Facets
    ours: str
    theirs: str
    seller: str
    """The user inside."""
    kind: str
    """Known to the user only; never `standard`."""
    kinds: tuple[str, ...]
    """In the order of the playbook's columns."""
    limits: Mapping[str, Mapping[str, int]]
    """Heading to kind to limit."""
    accepted: tuple[str, ...]
    replaced: tuple[str, ...]
    """Laws that are accepted, and those that are replaced by the first of these."""
    conceded: str
    """Heading, empty if nothing is."""
    conceded_figure: int
    """0 if whatever they write is accepted."""
    clauses: tuple[Clause, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules, and what the user tells."""
        return {
            "facets": dict(asdict(self.facets)),
            "kind": self.kind,
            "limits": {name: dict(of) for name, of in self.limits.items()},
            "topics": {
                one.heading: [one.bound, one.step, one.standard] for one in TOPICS
            },
            "laws": [list(self.accepted), list(self.replaced)],
            "conceded": [self.conceded, self.conceded_figure],
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        conceded=chance.choice(("none", "figure", "clause")),
        escalate=chance.choice(("column", "double", "half")),
        others=chance.choice(("accept", "escalate", "leave_out")),
        missing=chance.choice(("add", "escalate", "leave_out")),
        order=chance.choice(("clause", "position", "heading")),
        redline=chance.choice(("sections", "object", "whole")),
        note=chance.choice(("lines", "table", "object")),
        extra=chance.choice(("none", "counts", "gaps")),
        agreement=chance.choice(("document", "folder")),
        limits=chance.choice(("table", "csv")),
        at=chance.choice(("agreement", "incoming/agreement", "deals/draft")),
    )


def draw_deal(chance: random.Random, names: Names) -> Deal:
    """Draw an agreement in which kind of deal and every rule decide something."""
    facets = draw_facets(chance)
    kinds = tuple(chance.sample(KINDS, len(KINDS)))
    kind = chance.choice([one for one in kinds if one != "standard"])
    laws = chance.sample(LAWS, len(LAWS))
    ours, theirs = names.companies(2)
    limits = {one.heading: _limits(chance, one, kinds) for one in TOPICS}
    cases = _cases(chance)
    law = chance.choice((laws[0], laws[1], laws[2], laws[3], laws[5], laws[6]))
    drawn = [("Governing law", f"Disputes are decided under the law of {law}.")]
    drawn += chance.sample(OTHERS, 4)
    for one in TOPICS:
        if cases[one.heading] != "missing":
            figure = _figure(one, cases[one.heading], limits[one.heading], kind)
            text = chance.choice(one.incoming).replace("{n}", str(figure))
            drawn.append((one.heading, text))
    chance.shuffle(drawn)
    over = [one for one in TOPICS if cases[one.heading] == "over"]
    conceded = chance.choice(over)
    more = conceded.step if conceded.bound == "at most" else -conceded.step
    has_figure = facets.conceded == "figure"
    return Deal(
        facets=facets,
        ours=ours,
        theirs=theirs,
        seller=names.people(1)[0],
        kind=kind,
        kinds=kinds,
        limits=limits,
        accepted=tuple(laws[:2]),
        replaced=tuple(sorted(laws[2:5])),
        conceded="" if facets.conceded == "none" else conceded.heading,
        conceded_figure=limits[conceded.heading][kind] + more if has_figure else 0,
        clauses=tuple(
            Clause(number=at, heading=heading, text=text)
            for at, (heading, text) in enumerate(drawn, 1)
        ),
    )


def _cases(chance: random.Random) -> Mapping[str, str]:
    """Return how each figure lies; two least ones, of which one may be conceded, do not."""
    least = [one.heading for one in TOPICS if one.bound == "at least"]
    while True:
        drawn = chance.sample(CASES, len(CASES))
        cases = dict(zip((one.heading for one in TOPICS), drawn, strict=True))
        if sum(cases[heading] in {"over", "far"} for heading in least) > 1:
            return cases


def _limits(
    chance: random.Random, topic: Topic, kinds: Sequence[str]
) -> Mapping[str, int]:
    """Return ten to seventeen steps, different for each kind."""
    first, ranks = chance.randint(10, 14), chance.sample(range(4), 4)
    pairs = zip(kinds, ranks, strict=True)
    return {kind: (first + rank) * topic.step for kind, rank in pairs}


def _figure(topic: Topic, case: str, limits: Mapping[str, int], kind: str) -> int:
    """Return what the agreement says."""
    mine, usual, is_most = limits[kind], limits["standard"], topic.bound == "at most"
    match case:
        case "over":
            return mine + 2 * topic.step * (1 if is_most else -1)
        case "far":
            return 2 * mine + topic.step if is_most else 4 * topic.step
        case "between":
            return max(mine, usual) if is_most else min(mine, usual)
    return mine


def threshold(topic: Topic) -> int:
    """Return beyond which a figure is escalated, where a column says so."""
    return topic.step * (20 if topic.bound == "at most" else 6)
