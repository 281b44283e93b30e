"""The `mined` inducer: patterns of real fixes, turned into bugs of other code.

Bug types take turns, so that a small budget is spent on many kinds of bug; within a
type patterns are drawn by their support, and places where nothing was changed yet come
first. Nothing is executed here.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from envplatform.swe.candidate import BugCandidate, Cost
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.inducers.base import (
    Proposal,
    Skip,
    SourceFile,
)
from envplatform.swe.inducers.mined.pattern import BugPattern, PatternLibrary
from envplatform.swe.inducers.mined.places import Place, Places, find_places
from envplatform.swe.inducers.mined.scope import undefined_names
from envplatform.swe.inducers.mutant import (
    Maker,
    Mutant,
    candidate_of,
    is_covered,
    mutant_of,
    no_clock,
    path_refusal,
)
from envplatform.swe.inducers.mutation.edits import apply_edits
from envplatform.swe.inducers.mutation.novelty import Novelty
from envplatform.swe.inducers.mutation.source import (
    ParsedSource,
    compiles,
    parse_source,
)

REVISION = 1
"""Grows whenever the same library, file, budget and seed give other candidates."""

ATTEMPTS = 8
"""Places tried for each candidate asked for: trying costs a compilation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedInducer:
    """The `mined` inducer. Raises `TemplateError` when made, if a pattern is none."""

    library: PatternLibrary
    clock: Callable[[], float] = no_clock
    """Seconds since some moment, for `cost`; by default no time is taken."""
    _places: Places = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", Places.of(self.library.templates()))

    @property
    def name(self) -> str:
        """The inducer's part of a candidate's id."""
        return "mined"

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
        found = find_places(self._places, source, Random(f"{seed}:{file.path}"))  # noqa: S311  no secret
        tested = [place for place in found if is_covered(place.lines, file)]
        if len(tested) < len(found):
            skipped["uncovered"] += len(found) - len(tested)
        if not found:
            skipped["no_site"] += 1
        trial = _Trial(source, skipped)
        candidates: list[BugCandidate] = []
        started = self.clock()
        for place in _in_turns(tested, seed, ATTEMPTS * budget):
            if len(candidates) >= budget:
                break
            mutant = trial.mutant(place)
            if mutant is None:
                continue
            now = self.clock()
            cost = Cost(seconds=now - started)
            made = Maker(
                inducer=self.name,
                operator=place.pattern.pattern_id,
                seed=seed,
                cost=cost,
            )
            candidates.append(candidate_of(file, mutant, made))
            started = now
        return Proposal(candidates=tuple(candidates), skipped=dict(skipped))


def _in_turns(places: Sequence[Place], seed: int, limit: int) -> Iterator[Place]:
    """Yield places, bug types in turn, patterns of a type by support, new lines first."""
    by_pattern: dict[str, list[Place]] = {}
    for place in places:
        by_pattern.setdefault(place.pattern.pattern_id, []).append(place)
    random = Random(f"turns {seed}")  # noqa: S311  no secret
    by_type: dict[BugType, deque[list[Place]]] = {}
    patterns = sorted(
        (found[0].pattern for found in by_pattern.values()),
        key=lambda pattern: _draw(pattern, random_of(pattern, seed)),
    )
    for pattern in patterns:
        queue = by_type.setdefault(pattern.bug_type, deque())
        queue.append(by_pattern[pattern.pattern_id])
    types = sorted(by_type)
    random.shuffle(types)
    turns = deque(by_type[bug_type] for bug_type in types)
    lines: Counter[int] = Counter()
    for _ in range(limit):
        if not turns:
            return
        queue = turns.popleft()
        waiting = queue.popleft()
        place = min(waiting, key=lambda each: lines[each.lines.start])
        waiting.remove(place)
        lines[place.lines.start] += 1
        if waiting:
            queue.append(waiting)
        if queue:
            turns.append(queue)
        yield place


def random_of(pattern: BugPattern, seed: int) -> Random:
    """Return the random numbers of one pattern, whatever else is in the library."""
    return Random(f"{seed}:{pattern.pattern_id}")  # noqa: S311  no secret


def _draw(pattern: BugPattern, random: Random) -> tuple[float, str]:
    """Sort key of a weighted draw without return: often seen patterns come early."""
    weight = max(pattern.support, 1)
    return -(random.random() ** (1 / weight)), pattern.pattern_id


@dataclass(slots=True)
class _Trial:
    """Tries places of one file."""

    source: ParsedSource
    skipped: Counter[Skip]
    novelty: Novelty = field(init=False)
    undefined: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.novelty = Novelty(self.source)
        self.undefined = undefined_names(self.source.data)

    def mutant(self, place: Place) -> Mutant | None:
        """Return the changed file; None, and a reason counted, if it is no candidate."""
        edits = place.edits(self.source)
        if not edits:
            self.skipped["unwritable"] += 1
            return None
        data = apply_edits(self.source.data, edits)
        start = min(edit.span.start for edit in edits)
        refusal = self.novelty.refusal(data, start) or self._refusal(place, data)
        if refusal is None:
            return mutant_of(self.source, data, start)
        self.skipped[refusal] += 1
        return None

    def _refusal(self, place: Place, data: bytes) -> Skip | None:
        if not compiles(data):
            return "does_not_compile"
        if place.pattern.may_break_names:
            return None
        lost = undefined_names(data) - self.undefined
        return "undefined_name" if lost else None
