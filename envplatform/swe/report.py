"""Counting what became of candidates: the funnel, and a row per inducer and operator.

Arithmetic over rows. Where rows come from and how figures are shown is not known here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from envplatform.bundle.row import EnvironmentRow
from envplatform.patches import added_lines, removed_lines
from envplatform.store import NOT_IDENTITY
from envplatform.swe.candidate import BugCandidate, Verdict

REVISION = 1
"""Raised when the same rows can give another report than before."""

REJECTED = "rejected_candidates"
"""Table of verdicts that reject, beside the asset of those that prove."""

ALL = "*"
"""Stands for all operators of an inducer together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InducerRow:
    """How one inducer, or one of its operators, fared over all repositories."""

    inducer: str
    operator: str
    """`*` for all of them together."""
    candidates: int
    executed: int
    """Those with a verdict."""
    verified: int
    environments: int
    usability: float
    """Verified of executed, 0..1; 0 where none was executed."""
    changed_lines: float
    """Mean over verified candidates, added and removed lines together."""
    rejections: tuple[str, ...]
    """`reason=count`, most frequent first."""
    tokens_per_verified: float
    seconds_per_verified: float = field(metadata=NOT_IDENTITY)


def funnel(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Count verdicts by rejection; `verified` for the proofs. Most frequent first."""
    counts = Counter(verdict.rejection or "verified" for verdict in verdicts)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def inducer_rows(
    candidates: Sequence[BugCandidate],
    verdicts: Sequence[Verdict],
    environments: Sequence[EnvironmentRow],
) -> tuple[InducerRow, ...]:
    """One row per inducer and one per operator of it, sorted; empty without candidates.

    Args:
        candidates: all that were proposed.
        verdicts: of any of them; verdicts of others are ignored.
        environments: those published.
    """
    by_id = {verdict.candidate_id: verdict for verdict in verdicts}
    published = {row.candidate_id for row in environments}
    groups: dict[tuple[str, str], list[BugCandidate]] = {}
    for candidate in candidates:
        for operator in (ALL, candidate.operator):
            groups.setdefault((candidate.inducer, operator), []).append(candidate)
    return tuple(
        _row(inducer, operator, groups[inducer, operator], by_id, published)
        for inducer, operator in sorted(groups)
    )


def _row(
    inducer: str,
    operator: str,
    candidates: Sequence[BugCandidate],
    by_id: Mapping[str, Verdict],
    published: set[str],
) -> InducerRow:
    executed = [c for c in candidates if c.candidate_id in by_id]
    verdicts = [by_id[candidate.candidate_id] for candidate in executed]
    good = [c for c in executed if by_id[c.candidate_id].verified]
    count = len(good)
    tokens = sum(candidate.cost.tokens for candidate in candidates)
    seconds = sum(c.cost.seconds for c in candidates)
    seconds += sum(verdict.cost.seconds for verdict in verdicts)
    lines = sum(_changed_lines(candidate.bug_patch) for candidate in good)
    why = {name: n for name, n in funnel(verdicts).items() if name != "verified"}
    return InducerRow(
        inducer=inducer,
        operator=operator,
        candidates=len(candidates),
        executed=len(executed),
        verified=count,
        environments=sum(c.candidate_id in published for c in candidates),
        usability=round(count / len(executed), 4) if executed else 0.0,
        changed_lines=round(lines / count, 2) if count else 0.0,
        rejections=tuple(f"{name}={n}" for name, n in why.items()),
        tokens_per_verified=round(tokens / count, 1) if count else 0.0,
        seconds_per_verified=round(seconds / count, 2) if count else 0.0,
    )


def _changed_lines(patch: str) -> int:
    return len(added_lines(patch)) + len(removed_lines(patch))
