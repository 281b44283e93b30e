"""What may be said: facts that were told or are told now, and no canary.

Looks for the marks of facts as whole words, whatever case and blanks, in what is about
to be said. A paraphrase that keeps no mark passes: marks are chosen with that in mind.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from envplatform.user.plan import Plan

Breach = Literal["canary", "untold_fact", "missing_fact", "invented_number"]

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overstepping:
    """One thing that must not be said, or one that must and is not."""

    breach: Breach
    what: str
    """Id of the fact, or the number; `canary` for one, which is not repeated."""


def oversteps(
    text: str,
    plan: Plan,
    *,
    told: Iterable[str],
    tells: Iterable[str],
    known: Iterable[str],
) -> tuple[Overstepping, ...]:
    """Return what is wrong with saying `text`; empty if nothing is.

    `told`: facts of earlier turns, which may be repeated; `tells`: those that this turn
    must tell; `known`: texts that a number in `text` may come from.
    """
    wanted = tuple(tells)
    allowed = {*told, *wanted}
    found = [
        Overstepping(breach="canary", what="canary")
        for canary in plan.canaries
        if canary in text
    ]
    for fact in plan.facts:
        if fact.id in wanted and not all(has(text, mark) for mark in fact.marks):
            found.append(Overstepping(breach="missing_fact", what=fact.id))
        if fact.id not in allowed and any(
            has(text, mark) and not _is_told(mark, plan, allowed) for mark in fact.marks
        ):
            found.append(Overstepping(breach="untold_fact", what=fact.id))
    sources = [*known, *(fact.text for fact in plan.facts)]
    numbers = {number for source in sources for number in _NUMBER.findall(source)}
    found += [
        Overstepping(breach="invented_number", what=number)
        for number in dict.fromkeys(_NUMBER.findall(text))
        if number not in numbers
    ]
    return tuple(found)


def has(text: str, mark: str) -> bool:
    """Whether `mark` stands in `text` as words of its own."""
    words = r"\s+".join(map(re.escape, mark.split()))
    return re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) is not None


def _is_told(mark: str, plan: Plan, allowed: set[str]) -> bool:
    """Whether an allowed fact gives the same mark away anyway."""
    return any(
        has(other, mark)
        for fact in plan.facts
        if fact.id in allowed
        for other in (*fact.marks, fact.text)
    )
