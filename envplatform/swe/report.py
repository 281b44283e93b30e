"""Counting what became of candidates: the funnel, and a row per inducer and operator.

Arithmetic over rows. Where rows come from and how figures are shown is not known here;
what the measures of diversity mean is in `diversity`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from envplatform.bundle.row import EnvironmentRow
from envplatform.patches import parse_patch
from envplatform.store import NOT_IDENTITY
from envplatform.swe.candidate import BugCandidate, Cost, Rejection, Verdict
from envplatform.swe.diversity.distributions import (
    jensen_shannon_bits,
    total_variation,
)
from envplatform.swe.diversity.intervals import wilson
from envplatform.swe.diversity.rarefaction import MbtePoint, mbte_curve
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.inducers.base import RefusedAnswer

REVISION = 2
"""Raised when the same rows can give another report than before."""

REJECTED = "rejected_candidates"
"""Table of verdicts that reject, beside the asset of those that prove."""

ALL = "*"
"""Stands for all operators of an inducer together."""


_UNAPPLIED: frozenset[Rejection | None] = frozenset({"does_not_apply"})
_UNCOMPILED = _UNAPPLIED | {"does_not_compile"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BugTypeCount:
    """How many proven bugs are of one type."""

    bug_type: BugType
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InducerRow:
    """How one inducer, or one of its operators, fared over all repositories."""

    inducer: str
    operator: str
    """`*` for all of them together."""
    candidates: int
    executed: int
    """Those with a verdict."""
    applied: int
    """Executed ones whose patch applies."""
    compiled: int
    """Applied ones that no compiler refused; some were refused before it was asked."""
    verified: int
    environments: int
    usability: float
    """Verified of executed, 0..1; 0 where none was executed."""
    usability_low: float
    """Where Wilson's 95 % interval of the usability begins; 0 where none was executed."""
    usability_high: float
    """Where it ends; 1 where none was executed."""
    unique_ratio: float | None
    """Different syntax trees of all candidates that have one, 0..1; None: none has.

    Candidates whose patch repeats another's to the byte are never counted: they are
    left out when they are proposed.
    """
    mbte: tuple[MbtePoint, ...]
    """By growing size; a file is a path in one repository. Empty: no file has as many
    verified bugs as the smallest size.
    """
    bug_types: tuple[BugTypeCount, ...]
    """Of verified candidates, most frequent first."""
    untyped: int
    """Verified candidates without a bug type."""
    total_variation: float | None
    """From bug types of real fixes, 0..1; None where one side has none."""
    jensen_shannon_bits: float | None
    """Divergence from them, 0..1; None likewise."""
    changed_lines: float
    """Mean over verified candidates, added and removed lines together."""
    changed_files: float
    """Mean over verified candidates, as are hunks."""
    hunks: float
    rejections: tuple[str, ...]
    """`reason=count`, most frequent first."""
    tokens_per_verified: float
    """Of all candidates and refused answers; 0 where none is verified."""
    seconds_per_verified: float = field(metadata=NOT_IDENTITY)
    refused_answers: int = 0
    """Answers of a model that became no candidate."""


def funnel(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Count verdicts by rejection; `verified` for the proofs. Most frequent first."""
    counts = Counter(verdict.rejection or "verified" for verdict in verdicts)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def inducer_rows(
    candidates: Sequence[BugCandidate],
    verdicts: Sequence[Verdict],
    environments: Sequence[EnvironmentRow],
    *,
    real: Mapping[BugType, int] | None = None,
    refused: Sequence[RefusedAnswer] = (),
) -> tuple[InducerRow, ...]:
    """One row per inducer and one per operator of it, sorted; empty without candidates.

    Args:
        candidates: all that were proposed.
        verdicts: of any of them; verdicts of others are ignored.
        environments: those published.
        real: fixes by bug type, to compare with; None or without any: there are none.
        refused: answers of models that became no candidate, and cost all the same.
    """
    by_id = {verdict.candidate_id: verdict for verdict in verdicts}
    published = {row.candidate_id for row in environments}
    groups: dict[tuple[str, str], list[BugCandidate]] = {}
    for candidate in candidates:
        for operator in (ALL, candidate.operator):
            groups.setdefault((candidate.inducer, operator), []).append(candidate)
    lost: dict[tuple[str, str], list[Cost]] = {}
    for answer in refused:
        for operator in (ALL, answer.operator):
            groups.setdefault((answer.inducer, operator), [])
            lost.setdefault((answer.inducer, operator), []).append(answer.cost)
    return tuple(
        _with_refused(
            _row(*key, groups[key], by_id, published, real or {}), lost.get(key, ())
        )
        for key in sorted(groups)
    )


def _with_refused(row: InducerRow, costs: Sequence[Cost]) -> InducerRow:
    """Count in what was spent on answers that are of no use."""
    if not costs:
        return row
    tokens = sum(cost.tokens for cost in costs)
    seconds = sum(cost.seconds for cost in costs)
    each = max(row.verified, 1)
    spent = row.verified > 0
    return replace(
        row,
        refused_answers=len(costs),
        tokens_per_verified=round(row.tokens_per_verified + spent * tokens / each, 1),
        seconds_per_verified=round(
            row.seconds_per_verified + spent * seconds / each, 2
        ),
    )


def _row(
    inducer: str,
    operator: str,
    candidates: Sequence[BugCandidate],
    by_id: Mapping[str, Verdict],
    published: set[str],
    real: Mapping[BugType, int],
) -> InducerRow:
    executed = [c for c in candidates if c.candidate_id in by_id]
    verdicts = [by_id[candidate.candidate_id] for candidate in executed]
    good = [c for c in executed if by_id[c.candidate_id].verified]
    count = len(good)
    tokens = sum(candidate.cost.tokens for candidate in candidates)
    seconds = sum(c.cost.seconds for c in candidates)
    seconds += sum(verdict.cost.seconds for verdict in verdicts)
    why = {name: n for name, n in funnel(verdicts).items() if name != "verified"}
    interval = wilson(count, len(executed))
    types = Counter(each.bug_type for each in good if each.bug_type)
    comparable = bool(types) and any(real.values())
    sizes = [_size(candidate.bug_patch) for candidate in good]
    return InducerRow(
        inducer=inducer,
        operator=operator,
        candidates=len(candidates),
        executed=len(executed),
        applied=sum(verdict.rejection not in _UNAPPLIED for verdict in verdicts),
        compiled=sum(verdict.rejection not in _UNCOMPILED for verdict in verdicts),
        verified=count,
        environments=sum(c.candidate_id in published for c in candidates),
        usability=round(count / len(executed), 4) if executed else 0.0,
        usability_low=round(interval.low, 4),
        usability_high=round(interval.high, 4),
        unique_ratio=_unique_ratio(candidates),
        mbte=mbte_curve(types_by_file(good).values()),
        bug_types=_listed(types),
        untyped=count - types.total(),
        total_variation=round(total_variation(types, real), 4) if comparable else None,
        jensen_shannon_bits=(
            round(jensen_shannon_bits(types, real), 4) if comparable else None
        ),
        changed_lines=_mean([size.lines for size in sizes]),
        changed_files=_mean([size.files for size in sizes]),
        hunks=_mean([size.hunks for size in sizes]),
        rejections=tuple(f"{name}={n}" for name, n in why.items()),
        tokens_per_verified=round(tokens / count, 1) if count else 0.0,
        seconds_per_verified=round(seconds / count, 2) if count else 0.0,
    )


def _unique_ratio(candidates: Iterable[BugCandidate]) -> float | None:
    trees = [(c.repository, c.commit, c.ast_digest) for c in candidates if c.ast_digest]
    return round(len(set(trees)) / len(trees), 4) if trees else None


def types_by_file(
    candidates: Iterable[BugCandidate],
) -> dict[tuple[str, str], tuple[int, ...]]:
    """By repository and path how many bugs a file has of each type that it has."""
    files: dict[tuple[str, str], Counter[BugType]] = {}
    for one in candidates:
        if one.bug_type:
            files.setdefault((one.repository, one.path), Counter())[one.bug_type] += 1
    return {place: tuple(types.values()) for place, types in files.items()}


def _listed(types: Mapping[BugType, int]) -> tuple[BugTypeCount, ...]:
    ordered = sorted(types.items(), key=lambda item: (-item[1], item[0]))
    return tuple(BugTypeCount(bug_type=kind, count=count) for kind, count in ordered)


class _Size(NamedTuple):
    """How much a patch changes."""

    lines: int
    files: int
    hunks: int


def _size(patch: str) -> _Size:
    files = parse_patch(patch).files
    hunks = [hunk for file in files for hunk in file.hunks]
    lines = sum(line.origin != " " for hunk in hunks for line in hunk.lines)
    return _Size(lines=lines, files=len(files), hunks=len(hunks))


def _mean(values: Sequence[int]) -> float:
    return round(sum(values) / len(values), 2) if values else 0.0
