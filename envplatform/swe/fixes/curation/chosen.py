"""`Chosen`, one row of a draw, and the bucket of length that it stands in."""

from dataclasses import dataclass
from typing import Literal, get_args

from envplatform.swe.fixes.bug_type import BugType

Length = Literal["<2k", "2k-4k", "4k-8k", "8k-16k", "16k-32k", "32k-64k", ">=64k"]
"""Bucket of estimated tokens of context, in steps of two."""

LENGTHS: tuple[Length, ...] = get_args(Length)
"""Shortest first."""

_LIMITS: tuple[tuple[int, Length], ...] = (
    (2_048, "<2k"),
    (4_096, "2k-4k"),
    (8_192, "4k-8k"),
    (16_384, "8k-16k"),
    (32_768, "16k-32k"),
    (65_536, "32k-64k"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One row of the draw."""

    instance_id: str
    repository: str
    split: Literal["train", "validation"]
    bug_type: BugType
    length: Length


def length_of(context_tokens: int) -> Length:
    """Bucket that a number of tokens falls into."""
    for limit, length in _LIMITS:
        if context_tokens < limit:
            return length
    return ">=64k"
