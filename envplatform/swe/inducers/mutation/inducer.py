"""Choose mutations: seeded, balanced over operators, each new and compilable.

Operators take turns, each with its own shuffled list of places, so that a small budget
is spent on many kinds of bug, and a larger budget only adds to a smaller one's
candidates. Nothing is executed here.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from envplatform.swe.candidate import BugCandidate, Cost
from envplatform.swe.inducers.base import (
    Proposal,
    Skip,
    SourceFile,
)
from envplatform.swe.inducers.mutant import (
    Maker,
    Mutant,
    candidate_of,
    is_covered,
    mutant_of,
    no_clock,
    path_refusal,
)
from envplatform.swe.inducers.mutation.edits import Mutation, apply_edits
from envplatform.swe.inducers.mutation.novelty import Novelty
from envplatform.swe.inducers.mutation.operators import OPERATORS
from envplatform.swe.inducers.mutation.source import (
    ParsedSource,
    compiles,
    parse_source,
)

REVISION = 1
"""Grows whenever the same file, budget and seed give other candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationInducer:
    """The `mutation` inducer."""

    clock: Callable[[], float] = no_clock
    """Seconds since some moment, for `cost`; by default no time is taken."""

    @property
    def name(self) -> str:
        """The inducer's part of a candidate's id."""
        return "mutation"

    @property
    def revision(self) -> int:
        """See `REVISION`."""
        return REVISION

    @property
    def is_paid(self) -> bool:
        """No model takes part."""
        return False

    def candidates(
        self, file: SourceFile, budget: int, seed: int
    ) -> Iterator[BugCandidate]:
        """Yield the candidates of `propose`."""
        yield from self.propose(file, budget, seed).candidates

    def propose(self, file: SourceFile, budget: int, seed: int) -> Proposal:
        """Propose at most `budget` candidates for one file, and count what was skipped."""
        refused = path_refusal(file.path)
        source = refused or parse_source(file.data)
        if isinstance(source, str):
            return Proposal(candidates=(), skipped={source: 1})
        skipped: Counter[Skip] = Counter()
        turns = _turns(file, source, seed, skipped)
        found: list[BugCandidate] = []
        novelty = Novelty(source)
        started = self.clock()
        while turns and len(found) < budget:
            operator, places = turns.popleft()
            mutant = _next_mutant(source, novelty, places, skipped)
            if places:
                turns.append((operator, places))
            if mutant is None:
                continue
            now = self.clock()
            cost = Cost(seconds=now - started)
            made = Maker(inducer=self.name, operator=operator, seed=seed, cost=cost)
            found.append(candidate_of(file, mutant, made))
            started = now
        return Proposal(candidates=tuple(found), skipped=dict(skipped))


_Turn = tuple[str, list[Mutation]]
"""An operator's name and its places still untried, the next one last."""


def _turns(
    file: SourceFile, source: ParsedSource, seed: int, skipped: Counter[Skip]
) -> deque[_Turn]:
    turns: list[_Turn] = []
    for name, operator in OPERATORS.items():
        random = Random(f"{seed}:{file.path}:{name}")  # noqa: S311
        places = list(operator(source, random))
        random.shuffle(places)
        tested = [place for place in places if is_covered(place.lines, file)]
        if len(tested) < len(places):
            skipped["uncovered"] += len(places) - len(tested)
        if tested:
            turns.append((name, tested))
    if not turns and not skipped:
        skipped["no_site"] += 1
    Random(f"{seed}:{file.path}").shuffle(turns)  # noqa: S311
    return deque(turns)


def _next_mutant(
    source: ParsedSource,
    novelty: Novelty,
    places: list[Mutation],
    skipped: Counter[Skip],
) -> Mutant | None:
    """Take places off the list until one gives a mutant that is new and compiles."""
    while places:
        edits = places.pop().edits
        data = apply_edits(source.data, edits)
        start = min(edit.span.start for edit in edits)
        refusal = novelty.refusal(data, start) or (
            None if compiles(data) else "does_not_compile"
        )
        if refusal is None:
            return mutant_of(source, data, start)
        skipped[refusal] += 1
    return None
