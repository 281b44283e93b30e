"""The marks by which a template tells turns, which nobody else may write.

An agent that writes one ends its own turn, or opens another's, in the middle of its text:
no mask over its tokens would be true, and training on it teaches to speak for others.
"""

from collections.abc import Callable, Sequence

from transformers import PreTrainedTokenizerBase

from envplatform.llm.chat import Message


def turn_marks(
    tokenizer: PreTrainedTokenizerBase, render: Callable[[Sequence[Message]], str]
) -> tuple[str, ...]:
    """What only a template may write: special tokens, and what opens or closes turns.

    Raises:
        MaskError: of `render`.
    """
    special = {
        str(token)
        for token in (*tokenizer.all_special_tokens, *_special_added(tokenizer))
    }
    ask, word = Message(role="user", content="qz0zq"), "qz1zq"
    before = render([ask])
    whole = render([ask, Message(role="assistant", content=word)])
    opening, _, closing = whole[len(before) :].partition(word)
    found = {mark.strip() for mark in (*special, opening, closing)}
    return tuple(sorted(mark for mark in found if mark))


def written_mark(messages: Sequence[Message], marks: Sequence[str]) -> str:
    """Where an agent writes a mark; empty if nowhere."""
    for number, message in enumerate(messages):
        if message.role == "assistant":
            calls = [f"{call.name} {call.arguments}" for call in message.tool_calls]
            for mark in marks:
                if any(mark in text for text in (message.content, *calls)):
                    return f"message {number} holds {mark!r}"
    return ""


def _special_added(tokenizer: PreTrainedTokenizerBase) -> list[str]:
    added = tokenizer.added_tokens_decoder.values()
    return [token.content for token in added if token.special]
