"""Say whether an answer, put into its file, is a change worth executing."""

from dataclasses import dataclass
from functools import cached_property

from envplatform.llm.chat import ChatResponse
from envplatform.swe.inducers.facts import SourceFacts
from envplatform.swe.inducers.llm.answer import read_answer
from envplatform.swe.inducers.llm.entities import Entity
from envplatform.swe.inducers.llm.fault import Fault
from envplatform.swe.inducers.llm.layout import splice
from envplatform.swe.inducers.mutation.novelty import Novelty
from envplatform.swe.inducers.mutation.source import ParsedSource


@dataclass(frozen=True)
class Judge:
    """Judges answers about one file. What it needs of the file is worked out once."""

    source: ParsedSource

    def change(self, answer: ChatResponse, entity: Entity) -> bytes | Fault:
        """Return the changed file, or what is wrong."""
        body = read_answer(
            answer.message.content,
            answer.finish_reason,
            entity,
            known=self._facts.signs,
            comments=self._facts.comments,
        )
        if isinstance(body, Fault):
            return body
        data = splice(self.source, entity, body)
        if isinstance(data, Fault):
            return data
        if Novelty(self.source).refusal(data, entity.body.start) == "same_ast":
            return Fault("same_ast")
        lost = self._facts.lost_name(data)
        return data if lost is None else Fault("undefined_name", lost)

    @cached_property
    def _facts(self) -> SourceFacts:
        return SourceFacts(self.source)
