"""Row types and origins shared by the store's tests."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar, Literal

from envplatform.store import NOT_IDENTITY, Cost, Input, Origin, Recipe, Tool

THEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ORIGIN = Origin(
    created=THEN,
    recipe=Recipe(
        inputs=(Input(asset="upstream", partition="a", digest="d" * 64),),
        revision=3,
        config_digest="c",
        tools=(Tool(name="pytest", version="9"),),
    ),
    cost=Cost(tokens=7, usd=0.5, seconds=1.5),
    run_id="run",
    notes=("replayed from the recording",),
    facts={"candidates": 4, "share": 0.5, "kind": "demo", "whole": True},
    markdown={"histogram": "| a |\n|---|\n| 1 |"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A nested value."""

    first: int
    last: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A row with every kind of field that tables take."""

    name: str
    count: int
    share: float
    good: bool
    kind: Literal["syntax", "logic"]
    model: str | None
    tests: tuple[str, ...]
    spans: tuple[Span, ...]
    span: Span
    seconds: float = field(default=0.0, metadata=NOT_IDENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """The smallest row."""

    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A row that may belong to a part, and be large."""

    name: str
    text: str = ""


def finding(name: str = "x", *, seconds: float = 0.0) -> Finding:
    """A plausible row."""
    return Finding(
        name=name,
        count=3,
        share=0.25,
        good=True,
        kind="logic",
        model=None,
        tests=("a::b", "c"),
        spans=(Span(first=1), Span(first=2, last=5)),
        span=Span(first=0),
        seconds=seconds,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Versioned:
    """A row type whose meaning changed once without a change of columns."""

    SCHEMA_VERSION: ClassVar[int] = 2

    value: int
