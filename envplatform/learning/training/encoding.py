"""Rows as tokens, with labels on what the assistant says and nowhere else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation
from envplatform.learning.rendering import Rendered, Renderer, Skipped, held_to
from envplatform.learning.training.rows import LeftOut

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
    """Turns conversations into examples."""

    def __init__(self, renderer: Renderer, max_length: int) -> None:
        self._renderer = renderer
        self._max_length = max_length

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
        seen = self._renderer.render(row)
        if row.tools and isinstance(seen, Rendered):
            self._check_tools(row)
        seen = held_to(seen, self._max_length)
        if isinstance(seen, Skipped):
            return LeftOut(
                row_id=row.trajectory_id,
                reason=seen.reason,
                detail=seen.detail,
                length=seen.length,
            )
        labels = [IGNORED] * len(seen.token_ids)
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


def _nothing(left_out: Sequence[LeftOut]) -> str:
    counts: dict[str, int] = {}
    for one in left_out:
        counts[one.reason] = counts.get(one.reason, 0) + 1
    told = ", ".join(f"{counts[name]} {name}" for name in sorted(counts))
    first = f"; the first: {left_out[0].detail}" if left_out else ""
    return f"no row is left to train on ({told or 'there was none'}){first}"
