"""A conversation as a student's tokens, with the agent's own ones marked.

A token is the agent's if it lies in one of the agent's turns; white space of the
template that a tokenizer joins to the turn's first word does not matter. What closes a
turn is the agent's, white space after it is not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import jinja2
from transformers import PreTrainedTokenizerBase
from transformers.utils.chat_template_utils import render_jinja_template

from envplatform.learning.conversation import (
    Conversation,
    JsonObject,
    template_messages,
    template_tools,
)
from envplatform.learning.marks import turn_marks, written_mark
from envplatform.learning.protocol import SkipReason
from envplatform.learning.turns import (
    MaskError,
    Render,
    Span,
    assistant_spans,
    check_marks,
    check_rendering,
)
from envplatform.llm.chat import Message

_MARK = re.compile(r"\{%-?\s*generation\s*-?%\}")
_FIXED_DATE = "{%- macro strftime_now(format) -%}26 Jul 2024{%- endmacro -%}"
"""The day must not change a score. The date is the default of Llama's templates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """Tokens of one conversation."""

    token_ids: tuple[int, ...]
    agent: tuple[int, ...]
    """Places in `token_ids` that the agent said, ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """No score, and why."""

    reason: SkipReason
    detail: str
    length: int = 0
    """Tokens of the whole conversation; 0 where it could not be rendered."""


def held_to(seen: Rendered | Skipped, max_length: int | None) -> Rendered | Skipped:
    """What was `seen`, if it is no longer than `max_length`; None: any length."""
    if isinstance(seen, Skipped) or max_length is None:
        return seen
    length = len(seen.token_ids)
    if length <= max_length:
        return seen
    detail = f"{length} tokens, and {max_length} are read at most"
    return Skipped(reason="over_length", detail=detail, length=length)


class Renderer:
    """Turns conversations into tokens with one tokenizer and one chat template."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, template: str) -> None:
        self.template = template
        self._tokenizer = tokenizer

    def render(self, conversation: Conversation) -> Rendered | Skipped:
        """Tokens and mask, or why the agent's tokens can't be told apart."""
        messages = conversation.messages
        tools = template_tools(conversation.tools)
        write: Render = partial(self._text, tools=tools)
        try:
            mark = written_mark(messages, self._turn_marks)
            if mark:
                return Skipped(reason="turn_marks", detail=mark)
            whole = check_rendering(messages, write)
            if _MARK.search(self.template):
                spans = self._marks(messages, tools)
                check_marks(messages, write, whole, spans)
            else:
                spans = assistant_spans(messages, write, whole)
        except MaskError as error:
            return Skipped(reason=error.fault, detail=str(error))
        return self._masked(whole, spans)

    def written(self, conversation: Conversation) -> str:
        """The conversation as the template writes it, without looking for the agent.

        Raises:
            MaskError: the template refuses it.
        """
        return self._text(conversation.messages, template_tools(conversation.tools))

    def _text(self, messages: Sequence[Message], tools: list[JsonObject] | None) -> str:
        return self._jinja(messages, tools, marks=False)[0]

    def _marks(
        self, messages: Sequence[Message], tools: list[JsonObject] | None
    ) -> tuple[Span, ...]:
        _, marks = self._jinja(messages, tools, marks=True)
        return tuple(Span(start, end) for start, end in marks)

    def _jinja(
        self,
        messages: Sequence[Message],
        tools: list[JsonObject] | None,
        *,
        marks: bool,
    ) -> tuple[str, list[tuple[int, int]]]:
        """The template is a stranger's: transformers runs it in jinja's sandbox."""
        try:
            texts, indices = render_jinja_template(
                [template_messages(messages)],
                tools=tools,
                chat_template=_FIXED_DATE + self.template,
                return_assistant_tokens_mask=marks,
                **self._special,
            )
        except (jinja2.TemplateError, TypeError, ValueError, KeyError) as error:
            detail = f"the chat template refuses the conversation: {error}"
            raise MaskError(detail, fault="template_error") from error
        return texts[0], indices[0] if marks else []

    @cached_property
    def _turn_marks(self) -> tuple[str, ...]:
        return turn_marks(self._tokenizer, partial(self._text, tools=None))

    @cached_property
    def _special(self) -> dict[str, object]:
        """`bos_token` and its like, which templates name."""
        return dict(self._tokenizer.special_tokens_map)

    @cached_property
    def _special_ids(self) -> frozenset[int]:
        added = self._tokenizer.added_tokens_decoder
        ids = {number for number, token in added.items() if token.special}
        return frozenset({*ids, *self._tokenizer.all_special_ids})

    def _masked(self, text: str, spans: Sequence[Span]) -> Rendered | Skipped:
        encoded = self._tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        ids: list[int] = encoded["input_ids"]
        places = [Span(*offsets) for offsets in encoded["offset_mapping"]]
        agent: list[int] = []
        first = 0
        for span in spans:
            first = _skip(places, first, span)
            within = _within(text, places, first, span)
            agent += self._without_tail(text, ids, places, within)
        if agent and agent[0] == 0:
            del agent[0]  # nothing comes before it to foretell it
        if not agent:
            detail = "no token is the agent's"
            return Skipped(reason="no_agent_tokens", detail=detail, length=len(ids))
        return Rendered(token_ids=tuple(ids), agent=tuple(agent))

    def _without_tail(
        self, text: str, ids: list[int], places: list[Span], within: list[int]
    ) -> list[int]:
        """Without the white space that follows what closes the turn."""
        kept = list(within)
        while kept and not text[places[kept[-1]].start : places[kept[-1]].end].strip():
            kept.pop()
        closed = bool(kept) and ids[kept[-1]] in self._special_ids
        return kept if closed else within


def _skip(places: Sequence[Span], first: int, span: Span) -> int:
    """The first token at or after `first` that ends after the span's beginning."""
    while first < len(places) and places[first].end <= span.start:
        first += 1
    return first


def _within(text: str, places: Sequence[Span], first: int, span: Span) -> list[int]:
    """Tokens of the span; the first may begin with the template's white space."""
    found: list[int] = []
    for index in range(first, len(places)):
        place = places[index]
        if place.end > span.end:
            break
        lead = text[place.start : span.start]  # empty from the second token on
        if place.end > max(place.start, span.start) and not lead.strip():
            found.append(index)
    return found
