"""Choose which functions to ask about: seeded, each before any is asked about again."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from envplatform.llm.chat import ChatRequest
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.inducers.answers import Answered, Asking, Spot, seed_of
from envplatform.swe.inducers.base import Proposal, SourceFile
from envplatform.swe.inducers.llm.asking import REVISION as ASKING
from envplatform.swe.inducers.llm.asking import Outcome, Prompting, Question, ask_all
from envplatform.swe.inducers.llm.entities import Entity, find_entities
from envplatform.swe.inducers.llm.fault import FaultName
from envplatform.swe.inducers.llm.judge import Judge
from envplatform.swe.inducers.llm.prompts import PROMPTS, PromptName
from envplatform.swe.inducers.llm.prompts import REVISION as PROMPTING
from envplatform.swe.inducers.mutant import is_covered, path_refusal
from envplatform.swe.inducers.mutation.novelty import Novelty
from envplatform.swe.inducers.mutation.source import ParsedSource, parse_source

REVISION = 1 + ASKING + PROMPTING
"""Grows whenever the same file, budget, seed and answers give other candidates."""

ROUNDS = 3
"""Times that one function is asked about at most."""
ATTEMPTS = 2
"""Functions asked about for each candidate wanted: some answers are of no use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedInducer:
    """The inducers `llm_modify` and `llm_rewrite`."""

    name: PromptName
    prompting: Prompting

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
        """Propose at most `budget` candidates; answers of no use come as rows.

        Raises:
            ModelError: the server failed, or the budget is spent. What was answered is
                kept, so that another call goes on from there.
        """
        refused = path_refusal(file.path)
        source = refused or parse_source(file.data)
        if isinstance(source, str):
            return Proposal(candidates=(), skipped={source: 1})
        entities = find_entities(source)
        covered = [each for each in entities if is_covered(each.lines, file)]
        questions = _Questions(self, file, source, seed)
        found = Answered(file, source, inducer=self.name, seed=seed)
        rounds = _in_rounds(covered, file, seed)
        for turns in found.turns(rounds, budget=budget, attempts=ATTEMPTS):
            asked = ask_all(self.prompting, [questions.about(*turn) for turn in turns])
            outcomes = self.prompting.run(asked)
            for (entity, _), outcome in zip(turns, outcomes, strict=True):
                questions.settle(found, entity, outcome)
        return found.proposal(
            {
                "uncovered": len(entities) - len(covered),
                "no_site": 0 if entities else 1,
            }
        )


def _in_rounds(
    entities: list[Entity], file: SourceFile, seed: int
) -> Iterator[tuple[Entity, int]]:
    order = list(entities)
    Random(f"{seed}:{file.path}").shuffle(order)  # noqa: S311  no secret
    for turn in range(ROUNDS):
        yield from ((entity, turn) for entity in order)


class _Questions:
    """Asks about the functions of one file, and settles what came of it."""

    def __init__(
        self,
        inducer: PromptedInducer,
        file: SourceFile,
        source: ParsedSource,
        seed: int,
    ) -> None:
        self._inducer = inducer
        self._source = source
        self._named = f"{seed}:{file.path}"
        self._judge = Judge(source)
        self._novelty = Novelty(source)

    def about(self, entity: Entity, turn: int) -> Question:
        """Word the question of one turn."""
        prompting, name = self._inducer.prompting, self._inducer.name
        return Question(
            judge=self._judge,
            entity=entity,
            request=ChatRequest(
                messages=PROMPTS[name](self._source, entity),
                temperature=prompting.temperature,
                max_tokens=prompting.answer_tokens,
                seed=seed_of(f"{self._named}:{entity.name}:{turn}"),
            ),
            repairs_same=name == "llm_modify",
        )

    def settle(self, found: Answered, entity: Entity, outcome: Outcome) -> None:
        """Make a candidate of an outcome, or say why there is none."""
        asking = Asking(
            model=self._inducer.prompting.model.name,
            prompt_hash=outcome.prompt_hash,
            temperature=self._inducer.prompting.temperature,
            cost=outcome.cost,
        )
        data, fault = self._changed(entity, outcome)
        if fault is None:
            found.take(asking, data, entity.body.start, operator=entity.kind)
            return
        found.refuse(
            asking,
            Spot(function=entity.name, line=entity.node.lineno),
            operator=entity.kind,
            reason=fault,
            detail=outcome.detail,
            repaired=outcome.repaired,
        )

    def _changed(
        self, entity: Entity, outcome: Outcome
    ) -> tuple[bytes, FaultName | None]:
        """The changed file, and what is wrong with it."""
        if outcome.code is None:
            return b"", outcome.fault or "no_answer"
        body, healthy = entity.body, self._source.data
        data = healthy[: body.start] + outcome.code.encode() + healthy[body.end :]
        is_old = self._novelty.refusal(data, body.start) is not None
        return data, "duplicate" if is_old else None
