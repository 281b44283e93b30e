"""The cost ledger: one JSON line for every call to a model, answered or not.

Append-only. Many processes may write to one file: each row is one O_APPEND write.
Summing it up is for the readers (`evaluation`, `resources`).
"""

import asyncio
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

from envplatform.errors import ModelError, StoreError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One call."""

    at: str
    """When it ended: ISO 8601, UTC."""
    model: str
    """Name as configured."""
    asset: str
    """Who spent it: an asset's name or a command's."""
    purpose: str
    """What for, in the spender's words: `rollout`, `issue`."""
    prompt_tokens: int
    completion_tokens: int
    usd: float
    """Money spent now: zero where `cached`."""
    seconds: float
    """From asking to answer, waits between attempts included."""
    retries: int
    """Failed attempts before the answer; zero where there was no answer."""
    cached: bool
    """Replayed from a recording; nothing was sent."""
    error: str | None
    """Name of the error class; None for an answer."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The rows in one file, which need not exist yet."""

    path: Path

    def append(self, row: LedgerRow) -> None:
        """Add `row` behind all others.

        Raises:
            StoreError: the row is not on disk as a whole.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The newline comes first too: half a row of a crashed writer stays alone.
        line = ("\n" + json.dumps(asdict(row), sort_keys=True) + "\n").encode()
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            written = os.write(handle, line)
        finally:
            os.close(handle)
        if written != len(line):
            msg = f"{self.path}: row only partly written; is the disk full?"
            raise StoreError(msg)

    def rows(self) -> tuple[LedgerRow, ...]:
        """All rows, in the order of their ends; empty without a file.

        Raises:
            StoreError: a line is damaged; names file and line.
        """
        if not self.path.exists():
            return ()
        lines = self.path.read_text(encoding="utf-8").split("\n")
        return tuple(
            _row(line, f"{self.path}:{number}")
            for number, line in enumerate(lines, start=1)
            if line
        )

    def sound_rows(self) -> tuple[tuple[LedgerRow, ...], tuple[str, ...]]:
        """All rows that can be read, and of each other line what is wrong with it.

        As `rows`, but one damaged line costs no other; nor does one whose figures are
        none: below zero, infinite or no number.
        """
        if not self.path.exists():
            return (), ()
        rows, damaged = list[LedgerRow](), list[str]()
        with self.path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    where = f"{self.path}:{number}"
                    try:
                        rows.append(_sound(_row(line, where), where))
                    except StoreError as error:
                        damaged.append(str(error))
        return tuple(rows), tuple(damaged)


def _sound(row: LedgerRow, where: str) -> LedgerRow:
    texts = (row.model, row.asset, row.purpose)
    counts = (row.prompt_tokens, row.completion_tokens, row.retries)
    amounts = (row.usd, row.seconds)
    if (
        all(isinstance(one, str) for one in texts)
        and all(type(one) is int and one >= 0 for one in counts)
        and all(type(one) in {int, float} and 0 <= one < inf for one in amounts)
        and isinstance(row.cached, bool)
    ):
        return row
    msg = f"{where}: its figures are none; delete this line to go on"
    raise StoreError(msg)


def _row(line: str, where: str) -> LedgerRow:
    try:
        values: dict[str, Any] = json.loads(line)
        return LedgerRow(
            **{field.name: values[field.name] for field in fields(LedgerRow)}
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        msg = f"{where}: damaged ledger row; delete this line to go on"
        raise StoreError(msg) from error


def _utc_now() -> datetime:
    return datetime.now(UTC)


class LedgeredModel(ChatModel):
    """Writes a row for every call. Belongs outermost, so that replays are seen too."""

    def __init__(
        self,
        inner: ChatModel,
        ledger: Ledger,
        *,
        asset: str,
        purpose: str,
        now: Callable[[], datetime] = _utc_now,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = inner.name
        self._inner = inner
        self._ledger = ledger
        self._asset = asset
        self._purpose = purpose
        self._now = now
        self._clock = clock

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer `request` and write what it cost; as the inner model otherwise."""
        began = self._clock()
        try:
            response = await self._inner.complete(request)
        except (ModelError, asyncio.CancelledError) as error:
            self._write(None, type(error).__name__, self._clock() - began)
            raise
        self._write(response, None, self._clock() - began)
        return response

    def _write(
        self, response: ChatResponse | None, error: str | None, seconds: float
    ) -> None:
        usage = response.usage if response else None
        cached = response.cached if response else False
        row = LedgerRow(
            at=self._now().isoformat(timespec="milliseconds"),
            model=self.name,
            asset=self._asset,
            purpose=self._purpose,
            prompt_tokens=usage.prompt_tokens if usage else 0,
            completion_tokens=usage.completion_tokens if usage else 0,
            usd=usage.usd if usage and not cached else 0.0,
            seconds=round(seconds, 6),
            retries=response.retries if response else 0,
            cached=cached,
            error=error,
        )
        self._ledger.append(row)
