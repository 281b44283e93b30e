"""Where in a rendered conversation the agent speaks; knows templates, not tokens.

Templates are programs of others, few of them mark what the agent said, and some drop or
rewrite it. So each turn is found by rendering: what comes before it, the conversation up
to it, and the same with a made-up word in its place. A turn counts only if the
whole conversation has it at that very place, word for word.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from envplatform.errors import EnvPlatformError
from envplatform.llm.chat import Message, Role

MaskFault = Literal[
    "template_error",  # the template itself refuses the conversation
    "drops_context",  # a system, user or tool message is not, or not wholly, rendered
    "drops_tool_calls",
    "alters_content",  # what the agent said is dropped or changed
    "rewrites_turns",  # earlier turns change with later ones, or turns are merged
    "mismarked_turns",  # the template's own marks are not one for each turn
]
"""Why it can't be said honestly which tokens are the agent's."""

Render = Callable[[Sequence[Message]], str]
"""Messages to text, tools included, without a prompt for the next answer."""

_CONTEXT_ROLES: tuple[Role, ...] = ("system", "user", "tool")


class MaskError(EnvPlatformError):
    """A conversation can't be masked; caught where it is counted with its reason."""

    def __init__(self, detail: str, *, fault: MaskFault) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault: MaskFault = fault


@dataclass(frozen=True, slots=True)
class Span:
    """Characters from `start` up to, not including, `end`."""

    start: int
    end: int


def check_rendering(messages: Sequence[Message], render: Render) -> str:
    """The rendered conversation, if it holds every message that is not the agent's.

    Raises:
        MaskError: something is dropped.
    """
    whole = render(messages)
    word = _unused_word(whole)
    for role in _CONTEXT_ROLES:
        of_role = [one.role == role and bool(one.content.strip()) for one in messages]
        if any(of_role):
            changed = [
                replace(one, content=word) if hit else one
                for one, hit in zip(messages, of_role, strict=True)
            ]
            if render(changed).count(word) < sum(of_role):
                detail = f"the template does not render every {role} message"
                raise MaskError(detail, fault="drops_context")
    return whole


def assistant_spans(
    messages: Sequence[Message], render: Render, whole: str
) -> tuple[Span, ...]:
    """Where each of the agent's turns stands in `whole`, with what closes the turn.

    Raises:
        MaskError: a turn can't be found for certain.
    """
    spans: list[Span] = []
    for index, message in enumerate(messages):
        if message.role == "assistant":
            span = _find(messages, index, render, whole)
            if spans and span.start < spans[-1].end:
                detail = f"message {index} overlaps another"
                raise MaskError(detail, fault="rewrites_turns")
            spans.append(span)
    return tuple(spans)


def check_marks(
    messages: Sequence[Message], render: Render, whole: str, marks: Sequence[Span]
) -> None:
    """Hold a template's own marks, `{% generation %}`, to what the agent said.

    Raises:
        MaskError: a turn has no mark, more than one, or one that lacks its text.
    """
    turns = [index for index, one in enumerate(messages) if one.role == "assistant"]
    if len(turns) != len(marks):
        detail = f"the template marks {len(marks)} turns of {len(turns)}"
        raise MaskError(detail, fault="mismarked_turns")
    for index, mark in zip(turns, marks, strict=True):
        _said(messages, index, render)
        if messages[index].content.strip() not in whole[mark.start : mark.end]:
            detail = f"the template does not mark message {index} as the agent said it"
            raise MaskError(detail, fault="alters_content")


def _find(messages: Sequence[Message], index: int, render: Render, whole: str) -> Span:
    said = _said(messages, index, render)
    before = render(messages[:index]) if index else ""
    opened = _opened(messages, index, render, said)
    if not (whole.startswith(before) and opened.startswith(before)):
        detail = f"what comes before message {index} changes with what follows"
        raise MaskError(detail, fault="rewrites_turns")
    header, body = opened[len(before) :], _body(said, opened, index)
    if messages[index].content.strip() not in body:
        detail = f"the template does not render message {index} as the agent said it"
        raise MaskError(detail, fault="alters_content")
    # Templates may open the last turn with more than others, such as empty reasoning.
    for kept in range(len(header), -1, -1):
        start = len(before) + kept
        opens = whole.startswith(header[:kept], len(before))
        if opens and whole.startswith(body, start):
            return Span(start, start + len(body))
    detail = f"message {index} is rendered in another way when it is the last"
    raise MaskError(detail, fault="rewrites_turns")


def _said(messages: Sequence[Message], index: int, render: Render) -> str:
    """The conversation up to and with the turn, if the turn's calls are in it."""
    turn = messages[index]
    said = render(messages[: index + 1])
    if turn.tool_calls:
        without = [*messages[:index], replace(turn, tool_calls=())]
        if render(without) == said:
            detail = "the template does not render tool calls"
            raise MaskError(detail, fault="drops_tool_calls")
    return said


def _opened(messages: Sequence[Message], index: int, render: Render, said: str) -> str:
    """Everything up to the first character of the turn's own text."""
    word = _unused_word(said)
    made_up = replace(messages[index], content=word, tool_calls=())
    opened, _, closing = render([*messages[:index], made_up]).partition(word)
    if not opened or word in closing:
        detail = f"the text of message {index} is not rendered exactly once"
        raise MaskError(detail, fault="alters_content")
    return opened


def _body(said: str, opened: str, index: int) -> str:
    """The turn itself. White space that only text is led in by is no part of a call."""
    for start in (opened, opened.rstrip()):
        if said.startswith(start):
            return said[len(start) :]
    detail = f"message {index} is opened in another way than plain text"
    raise MaskError(detail, fault="rewrites_turns")


def _unused_word(text: str) -> str:
    """A word that no template escapes or trims, and that `text` does not hold."""
    number = 0
    while (word := f"qz{number}zq") in text:
        number += 1
    return word
