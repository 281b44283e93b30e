"""Rows of `bug_patterns`: a model's words where one is asked and they do, else rules'."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar, Literal

from envplatform.llm.chat import ChatModel, Usage
from envplatform.llm.recording import request_digest
from envplatform.store import NOT_IDENTITY, ResultCache, result_key
from envplatform.swe.candidate import Cost
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.patterns.by_model import (
    PROMPT_REVISION,
    Fallback,
    Told,
    ask,
    pattern_request,
)
from envplatform.swe.fixes.patterns.by_rules import REVISION as RULES
from envplatform.swe.fixes.patterns.by_rules import told_by_rules
from envplatform.swe.fixes.patterns.text import PatternText
from envplatform.swe.fixes.reverse_patch import TrainingRow

REVISION = 1 + RULES
"""Grows whenever equal rows can give other patterns."""

_AT_ONCE = 16
"""Fixes that a model is asked about at once; its own limits hold below that."""
_NOT_KEPT = frozenset({"no_answer", "context_length"})
"""Failures that the server may be to blame for: another time they may be gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedPattern:
    """What one fix, turned around, changes, in words."""

    SCHEMA_VERSION: ClassVar[int] = 1

    instance_id: str
    repository: str
    licence: str
    split: Literal["train", "validation"]
    """That of the training row."""
    bug_type: BugType
    text: PatternText
    annotator: Literal["model", "rules"]
    """Whose words these are."""
    model: str | None
    """That was asked; also where its words would not do."""
    fallback: Fallback
    """Why the rules' words stand here though a model was asked; else empty."""
    prompt_hash: str
    """SHA-256 (hex) of the request and the model's name; empty without a model."""
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotating:
    """A model that tells patterns, how it is asked, and where its words are kept."""

    model: ChatModel
    run: Callable[[Coroutine[Any, Any, Any]], Any]
    """Runs a coroutine in the event loop that the model was opened in."""
    results: ResultCache
    clock: Callable[[], float]
    """Seconds since some moment."""
    server: str = ""
    """Tells two servers apart that call their models the same."""
    answer_tokens: int = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What a model said, as it is kept."""

    text: PatternText | None
    fallback: Fallback
    prompt_hash: str
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)


def annotate(
    rows: Iterable[TrainingRow], asked: Annotating | None
) -> Iterator[AnnotatedPattern]:
    """Yield a pattern for each row, in order; none is lost. Without a model: by rules.

    Raises:
        ModelError: the server failed or the budget is spent; answers so far are kept.
    """
    source = iter(rows)
    while chunk := list(islice(source, _AT_ONCE)):
        if asked is None:
            yield from (_row(row, None, None) for row in chunk)
            continue
        found: list[_Kept] = asked.run(_ask_all(asked, chunk))
        for row, kept in zip(chunk, found, strict=True):
            yield _row(row, kept, asked.model.name)


def _row(row: TrainingRow, kept: _Kept | None, model: str | None) -> AnnotatedPattern:
    text = kept.text if kept else None
    return AnnotatedPattern(
        instance_id=row.instance_id,
        repository=row.repository,
        licence=row.licence,
        split=row.split,
        bug_type=row.bug_type,
        text=text or told_by_rules(row),
        annotator="model" if text else "rules",
        model=model,
        fallback=kept.fallback if kept else "",
        prompt_hash=kept.prompt_hash if kept else "",
        cost=kept.cost if kept else Cost(),
    )


async def _ask_all(asked: Annotating, rows: list[TrainingRow]) -> list[_Kept]:
    found = await asyncio.gather(
        *(_remembered(asked, row) for row in rows), return_exceptions=True
    )
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if isinstance(each, _Kept)]


async def _remembered(asked: Annotating, row: TrainingRow) -> _Kept:
    request = pattern_request(row, answer_tokens=asked.answer_tokens)
    digest = request_digest(request, model=asked.model.name)
    key = result_key(
        revision=PROMPT_REVISION,
        inputs={"request": digest},
        config={"server": asked.server},
        tools={},
    )
    known = asked.results.get_row(key, _Kept)
    if known is not None:
        return known
    began = asked.clock()
    told = await ask(asked.model, request)
    kept = _kept(told, digest, asked.clock() - began)
    if kept.fallback not in _NOT_KEPT:
        asked.results.put_row(key, kept)
    return kept


def _kept(told: Told, digest: str, seconds: float) -> _Kept:
    usage: Usage = told.usage
    return _Kept(
        text=told.text,
        fallback=told.fallback,
        prompt_hash=digest,
        cost=Cost(
            tokens=usage.prompt_tokens + usage.completion_tokens,
            seconds=seconds,
            usd=usage.usd,
        ),
    )
