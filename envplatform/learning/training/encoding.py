"""Rows as tokens, with labels on what the assistant says and nowhere else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from transformers import PreTrainedTokenizerBase

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation
from envplatform.learning.rendering import Renderer, Skipped
from envplatform.learning.training.rows import LeftOut
from envplatform.llm.chat import Message

IGNORED = -100
"""The label of a token that is read and not learnt, as torch has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One row, ready to be trained on."""

    row_id: str
    input_ids: tuple[int, ...]
    labels: tuple[int, ...]
    """The token itself where the assistant said it, else `IGNORED`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """All rows."""

    examples: tuple[Example, ...]
    """In the order of the rows."""
    left_out: tuple[LeftOut, ...]


class Encoder:
    """Turns conversations into examples with one tokenizer and one chat template."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, renderer: Renderer, max_length: int
    ) -> None:
        self._renderer = renderer
        self._max_length = max_length
        self._marks = turn_marks(tokenizer, renderer)

    def encode(self, rows: Iterable[Conversation]) -> Encoded:
        """Encode each row or say why it is left out.

        Raises:
            TrainingError: the template renders no tools and a row offers some, or no
                row is left.
        """
        found: list[Example] = []
        left_out: list[LeftOut] = []
        for row in rows:
            one = self._one(row)
            if isinstance(one, Example):
                found.append(one)
            else:
                left_out.append(one)
        if not found:
            raise TrainingError(_nothing(left_out))
        return Encoded(examples=tuple(found), left_out=tuple(left_out))

    def _one(self, row: Conversation) -> Example | LeftOut:
        mark = _first_mark(row, self._marks)
        if mark is not None:
            return LeftOut(row_id=row.trajectory_id, reason="turn_marks", detail=mark)
        seen = self._renderer.render(row)
        if isinstance(seen, Skipped):
            return LeftOut(
                row_id=row.trajectory_id,
                reason=seen.reason,
                detail=seen.detail,
                length=seen.length,
            )
        if row.tools:
            self._check_tools(row)
        length = len(seen.token_ids)
        if length > self._max_length:
            detail = f"{length} tokens; max_length is {self._max_length}"
            return LeftOut(
                row_id=row.trajectory_id,
                reason="over_length",
                detail=detail,
                length=length,
            )
        labels = [IGNORED] * length
        for place in seen.agent:
            labels[place] = seen.token_ids[place]
        return Example(
            row_id=row.trajectory_id, input_ids=seen.token_ids, labels=tuple(labels)
        )

    def _check_tools(self, row: Conversation) -> None:
        if self._renderer.written(row) == self._renderer.written(
            replace(row, tools=())
        ):
            msg = (
                f"row {row.trajectory_id!r} offers tools and the chat template renders "
                "none: name a `template` that does"
            )
            raise TrainingError(msg)


def turn_marks(
    tokenizer: PreTrainedTokenizerBase, renderer: Renderer
) -> tuple[str, ...]:
    """What only a template may write: special tokens, and what opens or closes turns."""
    special = {
        str(token)
        for token in (*tokenizer.all_special_tokens, *_special_added(tokenizer))
    }
    ask, word = Message(role="user", content="qz0zq"), "qz1zq"
    talk = Conversation(
        trajectory_id="", messages=(ask, Message(role="assistant", content=word))
    )
    before = renderer.written(replace(talk, messages=(ask,)))
    opening, _, closing = renderer.written(talk)[len(before) :].partition(word)
    found = {mark.strip() for mark in (*special, opening, closing)}
    return tuple(sorted(mark for mark in found if mark))


def _special_added(tokenizer: PreTrainedTokenizerBase) -> list[str]:
    added = tokenizer.added_tokens_decoder.values()
    return [token.content for token in added if token.special]


def _first_mark(row: Conversation, marks: Sequence[str]) -> str | None:
    """Where a model writes a mark; None if nowhere."""
    for number, message in enumerate(row.messages):
        if message.role == "assistant":
            calls = [f"{call.name} {call.arguments}" for call in message.tool_calls]
            for mark in marks:
                if any(mark in text for text in (message.content, *calls)):
                    return f"message {number} holds {mark!r}"
    return None


def _nothing(left_out: Sequence[LeftOut]) -> str:
    counts: dict[str, int] = {}
    for one in left_out:
        counts[one.reason] = counts.get(one.reason, 0) + 1
    told = ", ".join(f"{counts[name]} {name}" for name in sorted(counts))
    first = f"; the first: {left_out[0].detail}" if left_out else ""
    return f"no row is left to train on ({told or 'there was none'}){first}"
