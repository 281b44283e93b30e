"""Say whether an answer, put into its file, is a change worth executing."""

import io
import tokenize
from dataclasses import dataclass
from functools import cached_property

from envplatform.llm.chat import ChatResponse
from envplatform.swe.inducers.llm.answer import read_answer
from envplatform.swe.inducers.llm.entities import Entity
from envplatform.swe.inducers.llm.fault import Fault
from envplatform.swe.inducers.llm.layout import splice
from envplatform.swe.inducers.mined.scope import undefined_names
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
            known=self._signs,
            comments=self._comments,
        )
        if isinstance(body, Fault):
            return body
        data = splice(self.source, entity, body)
        if isinstance(data, Fault):
            return data
        if Novelty(self.source).refusal(data, entity.body.start) == "same_ast":
            return Fault("same_ast")
        lost = undefined_names(data) - self._undefined
        return Fault("undefined_name", min(lost)) if lost else data

    @cached_property
    def _signs(self) -> frozenset[str]:
        return frozenset(self.source.data.decode("utf-8"))

    @cached_property
    def _undefined(self) -> frozenset[str]:
        return undefined_names(self.source.data)

    @cached_property
    def _comments(self) -> frozenset[str]:
        """Comments of the file; none where it can't be taken apart."""
        try:
            tokens = tokenize.tokenize(io.BytesIO(self.source.data).readline)
            return frozenset(t.string for t in tokens if t.type == tokenize.COMMENT)
        except (tokenize.TokenError, SyntaxError):
            return frozenset()
