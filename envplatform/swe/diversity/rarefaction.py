"""MBTE: mean over files of the entropy of bug types among the usable bugs of one file.

Entropy grows with the number of bugs that it is estimated from, so files and inducers
are compared at equal numbers. What `size` bugs, drawn without replacement from those
of a file, have on average is computed exactly (hypergeometric expectation): nothing is
drawn, and no seed is needed.

The plug-in estimate is too low by about (types - 1) / (2 size ln 2) bits; Miller and
Madow add that: with six types it takes most of the bias away from ten bugs on, and less
than half at five. The types are those expected among the drawn bugs, so corrected bits
may exceed log2 of `size` where most bugs differ in type; plug-in bits never do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, log2

SIZES = (5, 10, 20, 50, 100, 200)
"""Bugs of one file at which MBTE is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entropy:
    """Entropy of bug types, in bits."""

    plug_in_bits: float
    """Of the shares as counted; 0 to log2 of types or bugs, whichever are fewer."""
    corrected_bits: float
    """After Miller and Madow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MbtePoint:
    """MBTE at one number of bugs a file."""

    size: int
    """Usable bugs drawn of each file, K."""
    files: int
    """Files that have as many; more than 0."""
    left_out: int
    """Files that have some, but fewer."""
    plug_in_bits: float
    corrected_bits: float
    """After Miller and Madow: the figure that is called MBTE."""


def expected_entropy(counts: Sequence[int], size: int) -> Entropy:
    """Return what `size` bugs drawn without replacement have on average.

    Args:
        counts: bugs of one file by type, in any order; zeros say nothing.
        size: bugs drawn. All of them: the entropy of `counts` itself.

    Raises:
        ValueError: fewer bugs than are to be drawn, or none are.
    """
    total = sum(counts)
    if not 1 <= size <= total:
        msg = f"can't draw {size} of {total} bugs"
        raise ValueError(msg)
    plug_in = types = 0.0
    for count in counts:
        if count:
            plug_in += _expected_bits(count, total, size)
            types += 1 - _chance(0, count, total, size)
    excess = max(0.0, types - 1) / (2 * size * log(2))
    return Entropy(plug_in_bits=plug_in, corrected_bits=plug_in + excess)


def mbte(files: Iterable[Sequence[int]], size: int) -> MbtePoint | None:
    """Average over files at one size; None if no file has as many bugs.

    Args:
        files: for each file its usable bugs by type. Files without any count nowhere.
        size: bugs drawn of each file.
    """
    some = [counts for counts in files if sum(counts)]
    found = [expected_entropy(one, size) for one in some if sum(one) >= size]
    if not found:
        return None
    return MbtePoint(
        size=size,
        files=len(found),
        left_out=len(some) - len(found),
        plug_in_bits=_mean([each.plug_in_bits for each in found]),
        corrected_bits=_mean([each.corrected_bits for each in found]),
    )


def mbte_curve(
    files: Iterable[Sequence[int]], sizes: Iterable[int] = SIZES
) -> tuple[MbtePoint, ...]:
    """Return `mbte` at each size, in their order; sizes that no file has are absent.

    Files drop out as sizes grow, so neighbouring points are of different files.
    """
    listed = list(files)
    points = (mbte(listed, size) for size in sizes)
    return tuple(point for point in points if point is not None)


def _expected_bits(count: int, total: int, size: int) -> float:
    """What one type adds to the entropy of a draw, on average."""
    fewest, most = max(1, size - (total - count)), min(count, size)
    return sum(
        _chance(drawn, count, total, size) * -(drawn / size) * log2(drawn / size)
        for drawn in range(fewest, most + 1)
    )


def _chance(drawn: int, count: int, total: int, size: int) -> float:
    """Chance that of `size` drawn exactly `drawn` are among a type's `count`."""
    others = total - count
    if drawn > count or size - drawn > others:
        return 0.0
    logarithm = (
        _log_choices(count, drawn)
        + _log_choices(others, size - drawn)
        - _log_choices(total, size)
    )
    return exp(logarithm)


def _log_choices(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)


def _mean(values: Sequence[float]) -> float:
    """Rounded to what a digest of rows may depend on, whatever the machine."""
    return round(sum(values) / len(values), 6) + 0.0
