"""`describe`: how even a draw is, in figures for metadata and documentation."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log2

from envplatform.swe.fixes.bug_type import BUG_TYPES
from envplatform.swe.fixes.curation.chosen import LENGTHS, Chosen
from envplatform.swe.fixes.reverse_patch import CuratedPatch


def describe(
    chosen: Sequence[Chosen], curated: Iterable[CuratedPatch] = ()
) -> dict[str, int | float | str]:
    """Count a draw, by what a person would call each figure.

    `curated` are the rows that it was made from; without them nothing is said of the
    time before. The largest entropy there can be is log2 of the number of bug types.
    """
    types = Counter(row.bug_type for row in chosen)
    lengths = Counter(row.length for row in chosen)
    repositories = Counter(row.repository.lower() for row in chosen)
    held_back = [row for row in chosen if row.split == "validation"]
    largest = max(repositories.values(), default=0)
    facts: dict[str, int | float | str] = {
        "rows": len(chosen),
        "validation rows": len(held_back),
        "repositories": len(repositories),
        "validation repositories": len({row.repository.lower() for row in held_back}),
        "largest repository, share": round(largest / max(len(chosen), 1), 4),
        "rows per bug type": _listed({name: types[name] for name in BUG_TYPES}),
        "rows per length": _listed({name: lengths[name] for name in LENGTHS}),
        "bug type entropy, bits": round(entropy_bits(types.values()), 3),
    }
    before = Counter(row.bug_type for row in curated if not row.rejection)
    if before:
        bits = round(entropy_bits(before.values()), 3)
        facts["bug type entropy before the draw, bits"] = bits
    return facts


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def entropy_bits(counts: Iterable[int]) -> float:
    """Shannon entropy of a distribution given as counts; 0 if there is none."""
    positive = [count for count in counts if count > 0]
    total = sum(positive)
    return sum(count / total * log2(total / count) for count in positive)
