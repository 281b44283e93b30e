"""`describe`: how even a draw is, in figures for metadata and documentation."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType
from envplatform.swe.fixes.curation.sampling import LENGTHS, Chosen, Length
from envplatform.swe.fixes.reverse_patch import CuratedPatch


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFigures:
    """One draw beside the rows that it was made from."""

    kept: int
    """Rows that could have been drawn."""
    rows: int
    validation_rows: int
    repositories: int
    validation_repositories: int
    largest_repository_share: float
    """Rows of the repository with the most, as a part of all; 0 for an empty draw."""
    rows_per_type: Mapping[BugType, int]
    """In the order of `BUG_TYPES`; types without rows are absent."""
    rows_per_length: Mapping[Length, int]
    """Shortest first; lengths without rows are absent."""
    type_entropy_bits_before: float
    """Of bug types among the rows that could have been drawn."""
    type_entropy_bits: float
    """The same in the draw; at most log2 of the number of types."""


def describe(
    chosen: Sequence[Chosen], curated: Iterable[CuratedPatch]
) -> SampleFigures:
    """Count a draw; `curated` are the rows that it was made from."""
    before = Counter(row.bug_type for row in curated if not row.rejection)
    types = Counter(row.bug_type for row in chosen)
    repositories = Counter(row.repository.lower() for row in chosen)
    held_back = [row for row in chosen if row.split == "validation"]
    lengths: Counter[Length] = Counter(row.length for row in chosen)
    return SampleFigures(
        kept=before.total(),
        rows=len(chosen),
        validation_rows=len(held_back),
        repositories=len(repositories),
        validation_repositories=len({row.repository.lower() for row in held_back}),
        largest_repository_share=max(repositories.values(), default=0)
        / max(len(chosen), 1),
        rows_per_type={name: types[name] for name in BUG_TYPES if types[name]},
        rows_per_length={name: lengths[name] for name in LENGTHS if lengths[name]},
        type_entropy_bits_before=entropy_bits(before.values()),
        type_entropy_bits=entropy_bits(types.values()),
    )


def entropy_bits(counts: Iterable[int]) -> float:
    """Shannon entropy of a distribution given as counts; 0 if there is none."""
    positive = [count for count in counts if count > 0]
    total = sum(positive)
    return sum(count / total * log2(total / count) for count in positive)
