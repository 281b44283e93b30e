"""Choose which functions to ask about: seeded, each before any is asked about again."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from random import Random

from envplatform.llm.chat import ChatRequest
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.inducers.base import Proposal, RefusedAnswer, SourceFile
from envplatform.swe.inducers.llm.asking import REVISION as ASKING
from envplatform.swe.inducers.llm.asking import Outcome, Prompting, Question, ask_all
from envplatform.swe.inducers.llm.entities import Entity, find_entities
from envplatform.swe.inducers.llm.fault import FaultName
from envplatform.swe.inducers.llm.judge import Judge
from envplatform.swe.inducers.llm.prompts import PROMPTS, PromptName
from envplatform.swe.inducers.llm.prompts import REVISION as PROMPTING
from envplatform.swe.inducers.mutant import (
    Maker,
    candidate_of,
    is_covered,
    mutant_of,
    path_refusal,
)
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
        found = _Found(self, file, source, seed)
        waiting = deque(_in_rounds(covered, file, seed))
        left = ATTEMPTS * budget
        while waiting and left and len(found.candidates) < budget:
            count = min(budget - len(found.candidates), left, len(waiting))
            turns = [waiting.popleft() for _ in range(count)]
            left -= count
            questions = [found.question(*turn) for turn in turns]
            asked = ask_all(self.prompting, questions)
            for (entity, _), outcome in zip(
                turns, self.prompting.run(asked), strict=True
            ):
                found.take(entity, outcome)
        skipped = {"uncovered": len(entities) - len(covered)}
        skipped |= {
            "no_site": 0 if entities else 1,
            "refused_answer": len(found.refused),
        }
        return Proposal(
            candidates=tuple(found.candidates),
            skipped={why: count for why, count in skipped.items() if count},  # type: ignore[misc]  # a display of literals widens to str
            refused=tuple(found.refused),
        )


def _in_rounds(
    entities: list[Entity], file: SourceFile, seed: int
) -> Iterator[tuple[Entity, int]]:
    order = list(entities)
    Random(f"{seed}:{file.path}").shuffle(order)  # noqa: S311  no secret
    for turn in range(ROUNDS):
        yield from ((entity, turn) for entity in order)


class _Found:
    """What was made of one file so far."""

    def __init__(
        self,
        inducer: PromptedInducer,
        file: SourceFile,
        source: ParsedSource,
        seed: int,
    ) -> None:
        self.candidates: list[BugCandidate] = []
        self.refused: list[RefusedAnswer] = []
        self._inducer = inducer
        self._file = file
        self._source = source
        self._seed = seed
        self._judge = Judge(source)
        self._novelty = Novelty(source)

    def question(self, entity: Entity, turn: int) -> Question:
        """Word the question of one turn."""
        prompting, name = self._inducer.prompting, self._inducer.name
        seeded = f"{self._seed}:{self._file.path}:{entity.name}:{turn}"
        return Question(
            judge=self._judge,
            entity=entity,
            request=ChatRequest(
                messages=PROMPTS[name](self._source, entity),
                temperature=prompting.temperature,
                max_tokens=prompting.answer_tokens,
                seed=int.from_bytes(sha256(seeded.encode()).digest()[:4]) >> 1,
            ),
            repairs_same=name == "llm_modify",
        )

    def take(self, entity: Entity, outcome: Outcome) -> None:
        """Make a candidate of an outcome, or say why there is none."""
        if outcome.code is None:
            self._refuse(entity, outcome, outcome.fault or "no_answer")
            return
        start, end = entity.body.start, entity.body.end
        healthy = self._source.data
        data = healthy[:start] + outcome.code.encode() + healthy[end:]
        if self._novelty.refusal(data, start) is not None:
            self._refuse(entity, outcome, "duplicate")
            return
        made = Maker(
            inducer=self._inducer.name,
            operator=entity.kind,
            seed=self._seed,
            cost=outcome.cost,
        )
        candidate = candidate_of(self._file, mutant_of(self._source, data, start), made)
        self.candidates.append(
            replace(
                candidate,
                model=self._inducer.prompting.model.name,
                prompt_hash=outcome.prompt_hash,
                temperature=self._inducer.prompting.temperature,
            )
        )

    def _refuse(self, entity: Entity, outcome: Outcome, reason: FaultName) -> None:
        row = RefusedAnswer(
            repository=self._file.repository,
            commit=self._file.commit,
            inducer=self._inducer.name,
            path=self._file.path,
            function=entity.name,
            line=entity.node.lineno,
            operator=entity.kind,
            reason=reason,
            detail=outcome.detail,
            repaired=outcome.repaired,
            model=self._inducer.prompting.model.name,
            prompt_hash=outcome.prompt_hash,
            temperature=self._inducer.prompting.temperature,
            seed=self._seed,
            cost=outcome.cost,
        )
        self.refused.append(row)
