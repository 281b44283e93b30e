"""What inducers that ask a model have in common: their turns, their rows, their seeds.

Whom they ask for what, and what of an answer will do, is their own affair.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar

from envplatform.swe.candidate import BugCandidate, Cost
from envplatform.swe.inducers.base import Proposal, RefusedAnswer, Skip, SourceFile
from envplatform.swe.inducers.mutant import Maker, candidate_of, mutant_of
from envplatform.swe.inducers.mutation.source import ParsedSource

NOT_KEPT = frozenset({"no_answer", "context_length"})
"""Faults that the server may be to blame for: another time they may be gone."""

Turn = TypeVar("Turn")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One question, as rows tell of it."""

    model: str
    prompt_hash: str
    """SHA-256 (hex) of the first request and the model's name."""
    temperature: float
    cost: Cost
    """Of all that was asked because of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where in a file the question is about."""

    function: str
    """Dotted name; empty: the whole file."""
    line: int
    """Where it begins, from 1."""


class Answered:
    """What was made of the answers about one file so far."""

    def __init__(
        self, file: SourceFile, source: ParsedSource, *, inducer: str, seed: int
    ) -> None:
        self.candidates: list[BugCandidate] = []
        self.refused: list[RefusedAnswer] = []
        self._file = file
        self._source = source
        self._inducer = inducer
        self._seed = seed

    def take(self, asking: Asking, data: bytes, start: int, *, operator: str) -> None:
        """Make a candidate of a changed file, of which no byte before `start` differs."""
        made = Maker(
            inducer=self._inducer, operator=operator, seed=self._seed, cost=asking.cost
        )
        candidate = candidate_of(self._file, mutant_of(self._source, data, start), made)
        self.candidates.append(
            replace(
                candidate,
                model=asking.model,
                prompt_hash=asking.prompt_hash,
                temperature=asking.temperature,
            )
        )

    def refuse(  # noqa: PLR0913  a row has as many columns
        self,
        asking: Asking,
        spot: Spot,
        *,
        operator: str,
        reason: str,
        detail: str,
        repaired: bool = False,
        seed: int | None = None,
    ) -> None:
        """Keep a row of an answer that will not do; `seed`: of the question's own."""
        row = RefusedAnswer(
            repository=self._file.repository,
            commit=self._file.commit,
            inducer=self._inducer,
            path=self._file.path,
            function=spot.function,
            line=spot.line,
            operator=operator,
            reason=reason,
            detail=detail,
            repaired=repaired,
            model=asking.model,
            prompt_hash=asking.prompt_hash,
            temperature=asking.temperature,
            seed=self._seed if seed is None else seed,
            cost=asking.cost,
        )
        self.refused.append(row)

    def turns(
        self, waiting: Iterable[Turn], *, budget: int, attempts: int
    ) -> Iterator[list[Turn]]:
        """Yield turns, as many at once as there are candidates still wanted.

        `attempts`: turns taken at most for each candidate of the budget.
        """
        queue, left = deque(waiting), attempts * budget
        while queue and left and len(self.candidates) < budget:
            count = min(budget - len(self.candidates), left, len(queue))
            left -= count
            yield [queue.popleft() for _ in range(count)]

    def proposal(self, skipped: Mapping[Skip, int]) -> Proposal:
        """Return all that was found, beside what was skipped before anybody was asked."""
        counts = Counter(skipped)
        counts["refused_answer"] += len(self.refused)
        return Proposal(
            candidates=tuple(self.candidates),
            skipped={why: count for why, count in counts.items() if count},
            refused=tuple(self.refused),
        )


def seed_of(text: str) -> int:
    """A seed for a server, below 2 to the 31st: some servers take no more."""
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:4]) >> 1


async def all_of(
    asked: Iterable[Coroutine[Any, Any, Answer]],
) -> tuple[Answer, ...]:
    """Wait for all, in order; what one of them raised is raised when all have ended.

    So what the others were answered, and paid for, is kept.
    """
    found = await asyncio.gather(*asked, return_exceptions=True)
    answers: list[Answer] = []
    for each in found:
        if isinstance(each, BaseException):
            raise each
        answers.append(each)
    return tuple(answers)
