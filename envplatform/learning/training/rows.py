"""Rows that are trained on, as JSON lines: a prompt with its answer, or a conversation.

Nothing is tokenized here. Reading refuses a file that is not what its order says, by
line; what a model can't be trained on is left out later, by row and with its reason.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation
from envplatform.learning.file_digests import file_digest
from envplatform.learning.protocol import SkipReason
from envplatform.llm.chat import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRow:
    """A prompt and the answer to it; only the answer is learnt."""

    row_id: str
    prompt: str
    """What the user says."""
    completion: str
    """What the assistant answers."""
    system: str = ""
    """What comes before both; empty: what the template has there."""

    @property
    def conversation(self) -> Conversation:
        """The row as two or three turns."""
        system = [Message(role="system", content=self.system)] if self.system else []
        ask = Message(role="user", content=self.prompt)
        answer = Message(role="assistant", content=self.completion)
        return Conversation(trajectory_id=self.row_id, messages=(*system, ask, answer))


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A row that is not trained on, and why."""

    row_id: str
    reason: SkipReason
    detail: str
    length: int = 0
    """Tokens; 0 where it could not be rendered."""


Row = TypeVar("Row")

COMPLETION = TypeAdapter(CompletionRow)
CONVERSATION = TypeAdapter(Conversation)


def write_completions(path: Path, rows: Iterable[CompletionRow]) -> None:
    """Write rows of `sft_completion`, one a line."""
    write_rows(path, (COMPLETION.dump_json(row) for row in rows))


def write_conversations(path: Path, rows: Iterable[Conversation]) -> None:
    """Write rows of `sft_conversation`, one a line; a row's id is its trajectory's."""
    write_rows(path, (CONVERSATION.dump_json(row) for row in rows))


def read_completions(path: Path) -> tuple[CompletionRow, ...]:
    """Read rows of `sft_completion`.

    Raises:
        TrainingError: a line is none, two have one id, or there is no line.
    """
    return checked_rows(path, read_rows(path, COMPLETION), "row_id")


def read_conversations(path: Path) -> tuple[Conversation, ...]:
    """Read rows of `sft_conversation`.

    Raises:
        TrainingError: as of `read_completions`.
    """
    return checked_rows(path, read_rows(path, CONVERSATION), "trajectory_id")


def rows_digest(path: Path) -> str:
    """SHA-256 (hex) of a file of rows.

    Raises:
        TrainingError: it can't be read.
    """
    try:
        return file_digest(path)
    except OSError as error:
        msg = f"the rows {path} can't be read: {error}"
        raise TrainingError(msg) from error


def write_rows(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines of JSON: all of them, or the file stays as it was."""
    beside = path.with_name(f".{path.name}.unfinished")
    with beside.open("wb") as stream:
        for line in lines:
            stream.write(line + b"\n")
    beside.replace(path)


def read_rows(path: Path, of: TypeAdapter[Row]) -> Iterator[Row]:
    """Read one row a line.

    Raises:
        TrainingError: the file can't be read, or a line is none; names it.
    """
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                yield _one(path, number, line, of)
    except OSError as error:
        msg = f"the rows {path} can't be read: {error}"
        raise TrainingError(msg) from error


def _one(path: Path, number: int, line: bytes, of: TypeAdapter[Row]) -> Row:
    try:
        plain = json.loads(
            line, object_pairs_hook=_object, parse_constant=_refuse_constant
        )
        return of.validate_json(json.dumps(plain))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "(line)"
        msg = f"{path}, line {number}: {place}: {first['msg']}"
        raise TrainingError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{path}, line {number}: {error}"
        raise TrainingError(msg) from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = f"a key stands twice in one object: {', '.join(k for k, _ in pairs)}"
        raise ValueError(msg)
    return found


def _refuse_constant(name: str) -> object:
    msg = f"{name} is no number of JSON"
    raise ValueError(msg)


def checked_rows(path: Path, rows: Iterable[Row], name: str) -> tuple[Row, ...]:
    """Return rows, each with another id in the field `name`.

    Raises:
        TrainingError: two have one id, or there is none.
    """
    found = tuple(rows)
    if not found:
        msg = f"{path} holds no rows: there is nothing to train on"
        raise TrainingError(msg)
    seen: set[str] = set()
    for number, row in enumerate(found, 1):
        row_id: str = getattr(row, name)
        if row_id in seen:
            msg = f"{path}, line {number}: {name} {row_id!r} stands there twice"
            raise TrainingError(msg)
        seen.add(row_id)
    return found
