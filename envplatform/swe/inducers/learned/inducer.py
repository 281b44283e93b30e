"""The inducers `model` and `pattern`: places in a file, samples of each, candidates.

A place is a part of a file that a model is shown: all of it where that fits, else what
stands around one function that tests run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from envplatform.errors import ConfigError
from envplatform.llm.chat import ChatRequest
from envplatform.swe.candidate import BugCandidate, Cost
from envplatform.swe.fixes.patterns.text import PatternText, read_pattern
from envplatform.swe.inducers.answers import Answered, Asking, Spot
from envplatform.swe.inducers.base import Proposal, Skip, SourceFile
from envplatform.swe.inducers.learned.fault import Fault
from envplatform.swe.inducers.learned.judge import Judge
from envplatform.swe.inducers.learned.plan import Draw, SamplingPlan
from envplatform.swe.inducers.learned.prompts import (
    REVISION as PROMPTING,
)
from envplatform.swe.inducers.learned.prompts import (
    Asked,
    bug_question,
    change_question,
    pattern_question,
)
from envplatform.swe.inducers.learned.sampling import REVISION as SAMPLING
from envplatform.swe.inducers.learned.sampling import Sample, Sampler, request_of
from envplatform.swe.inducers.learned.shown import Shown, show, text_lines
from envplatform.swe.inducers.llm.entities import find_entities
from envplatform.swe.inducers.mutant import is_covered, path_refusal
from envplatform.swe.inducers.mutation.source import ParsedSource, parse_source

REVISION = 1 + PROMPTING + SAMPLING
"""Grows whenever the same file, budget, seed and samples give other candidates."""

LearnedName = Literal["model", "pattern"]
_EXECUTOR_TEMPERATURE = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedInducer:
    """`model`, whose sampler writes diffs, or `pattern`, whose sampler writes patterns."""

    name: LearnedName
    sampler: Sampler
    plan: SamplingPlan
    executor: Sampler | None = None
    """Who carries patterns out, unaware of what for; `pattern` alone has one."""

    def __post_init__(self) -> None:
        """Check that there is somebody for each part.

        Raises:
            ConfigError: `pattern` has no executor, or `model` has one.
        """
        if (self.name == "pattern") != (self.executor is not None):
            msg = "an executor carries out what `pattern` proposes, and nothing else"
            raise ConfigError(msg)

    @property
    def revision(self) -> int:
        """See `REVISION`."""
        return REVISION

    @property
    def is_paid(self) -> bool:
        """A model answers."""
        return True

    def candidates(
        self, file: SourceFile, budget: int, seed: int
    ) -> Iterator[BugCandidate]:
        """Yield the candidates of `propose`."""
        yield from self.propose(file, budget, seed).candidates

    def propose(self, file: SourceFile, budget: int, seed: int) -> Proposal:
        """Propose at most `budget` candidates; samples of no use come as rows.

        Raises:
            ModelError: the server failed, or the budget is spent. What was sampled is
                kept, so that another call goes on from there.
        """
        refused = path_refusal(file.path)
        source = refused or parse_source(file.data)
        if isinstance(source, str):
            return Proposal(candidates=(), skipped={source: 1})
        places, skipped = _places(file, source, self.plan, seed)
        samples = _Samples(self, file, source)
        found = Answered(file, source, inducer=self.name, seed=seed)
        rounds = _in_rounds(places, self.plan, seed, file.path)
        attempts = self.plan.attempts
        for turns in found.turns(rounds, budget=budget, attempts=attempts):
            for turn, drawn in zip(turns, samples.drawn(turns), strict=True):
                samples.settle(found, turn, drawn)
        return found.proposal(skipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What a model is shown, and how the place is called in rows."""

    shown: Shown
    spot: Spot


def _places(
    file: SourceFile, source: ParsedSource, plan: SamplingPlan, seed: int
) -> tuple[list[_Place], Counter[Skip]]:
    """Return the places in the order in which they are sampled, and what is left out."""
    entities = find_entities(source)
    covered = [each for each in entities if is_covered(each.lines, file)]
    skipped: Counter[Skip] = Counter()
    if not entities:
        skipped["no_site"] = 1
    if len(entities) > len(covered):
        skipped["uncovered"] = len(entities) - len(covered)
    if not covered:
        return [], skipped
    every = range(1, len(text_lines(file.data)) + 1)
    whole = show(file.path, file.data, every, plan.shown_characters, 0.0)
    if whole.lines == every:
        return [_Place(shown=whole, spot=Spot(function="", line=1))], skipped
    Random(f"{seed}:{file.path}").shuffle(covered)  # noqa: S311  no secret
    seen: dict[range, _Place] = {}
    for each in covered:
        wanted = range(each.node.lineno, each.lines.stop)
        shown = show(file.path, file.data, wanted, plan.shown_characters, 0.5)
        spot = Spot(function=each.name, line=each.node.lineno)
        seen.setdefault(shown.lines, _Place(shown=shown, spot=spot))
    return list(seen.values()), skipped


_Turn = tuple[_Place, Draw]


def _in_rounds(
    places: Sequence[_Place], plan: SamplingPlan, seed: int, path: str
) -> Iterator[_Turn]:
    """Sample each place once before any is sampled again."""
    draws = [
        list(plan.draws(seed, f"{path}:{place.shown.lines.start}")) for place in places
    ]
    for number in range(plan.samples):
        yield from (
            (place, each[number]) for place, each in zip(places, draws, strict=True)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """All that models said for one turn."""

    first: Sample
    executed: Sample | None = None
    """The executor's, where there was a pattern to carry out."""
    fault: Fault | None = None
    """What is wrong before anything is applied."""

    @property
    def cost(self) -> Cost:
        """Of both samples."""
        one, other = self.first.cost, self.executed.cost if self.executed else Cost()
        return Cost(
            tokens=one.tokens + other.tokens,
            seconds=one.seconds + other.seconds,
            usd=one.usd + other.usd,
        )


class _Samples:
    """Samples places of one file, and settles what came of it."""

    def __init__(
        self, inducer: LearnedInducer, file: SourceFile, source: ParsedSource
    ) -> None:
        self._inducer = inducer
        self._judge = Judge(file, source)

    def drawn(self, turns: Sequence[_Turn]) -> list[_Drawn]:
        """Sample each turn; in order.

        Raises:
            ModelError: as `Sampler.sample`.
        """
        ask = bug_question if self._inducer.name == "model" else pattern_question
        asked = [self._request(ask([place.shown]), draw) for place, draw in turns]
        samples = self._inducer.sampler.sample(asked)
        if self._inducer.executor is None:
            return [_Drawn(first=sample) for sample in samples]
        return self._executed(turns, samples, self._inducer.executor)

    def settle(self, found: Answered, turn: _Turn, drawn: _Drawn) -> None:
        """Make a candidate of what was drawn, or say why there is none."""
        place, draw = turn
        asking = Asking(
            model=self._models,
            prompt_hash=drawn.first.prompt_hash,
            temperature=draw.temperature,
            cost=drawn.cost,
        )
        judged = drawn.fault or self._judge.judge(drawn.executed or drawn.first)
        if not isinstance(judged, Fault):
            found.take(asking, judged.data, judged.start, operator=judged.rung)
            return
        found.refuse(
            asking,
            place.spot,
            operator="refused",
            reason=judged.name,
            detail=judged.detail,
            seed=draw.seed,
        )

    def _request(self, asked: Asked, draw: Draw) -> ChatRequest:
        return request_of(
            asked,
            temperature=draw.temperature,
            seed=draw.seed,
            answer_tokens=self._inducer.plan.answer_tokens,
        )

    def _executed(
        self, turns: Sequence[_Turn], samples: Sequence[Sample], executor: Sampler
    ) -> list[_Drawn]:
        """Have each pattern that can be read carried out."""
        patterns = [_pattern_of(sample) for sample in samples]
        asked = [
            self._request(
                change_question([place.shown], pattern),
                replace(draw, temperature=_EXECUTOR_TEMPERATURE),
            )
            for (place, draw), pattern in zip(turns, patterns, strict=True)
            if isinstance(pattern, PatternText)
        ]
        done = iter(executor.sample(asked))
        return [
            _Drawn(first=sample, fault=pattern)
            if isinstance(pattern, Fault)
            else _Drawn(first=sample, executed=next(done))
            for sample, pattern in zip(samples, patterns, strict=True)
        ]

    @property
    def _models(self) -> str:
        executor = self._inducer.executor
        own = self._inducer.sampler.model.name
        return f"{own} + {executor.model.name}" if executor else own


def _pattern_of(sample: Sample) -> PatternText | Fault:
    if sample.missing:
        return Fault(sample.missing)
    if sample.finish == "length":
        return Fault("cut_off")
    found = read_pattern(sample.text)
    return Fault(found) if isinstance(found, str) else found
