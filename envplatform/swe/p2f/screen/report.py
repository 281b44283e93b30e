"""What the fast tier did with the candidates of one repository, audits included."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envplatform.swe.p2f.screen.tiered import Difference, TieredVerdict

_Z = 1.959963984540054
"""Two-sided 95 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FastSettings:
    """How much of the fast tier's work is done again by the cold one."""

    audit_share: float = 0.05
    """Of confirmed candidates, and of those that the screen rejected, each."""
    least_audits: int = 20
    """Audits of each kind a repository, where it has that many."""
    least_candidates: int = 0
    """A batch of fewer that want a verdict goes cold as a whole: where most would be
    audited, the screen costs more than it saves."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        if not 0 <= self.audit_share <= 1 or self.least_audits < 0:
            msg = (
                "audits need a share from 0 to 1 and a number from 0; got "
                f"{self.audit_share}, {self.least_audits}"
            )
            raise ValueError(msg)


WHERE_IT_PAYS = FastSettings(least_candidates=41)
"""Measured on a quiet machine: with 40 candidates of a suite of 1.5 s, of which 23 were
audited, the tiers took 1.13 times as long as proof by the whole suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FastReport:
    """Counts and times of one repository."""

    repository: str
    candidates: int
    refused: int
    """Before anything ran; duplicates among them."""
    screened: int
    """Judged by a fork."""
    survived: int
    screen_rejected: int
    cold: int
    """Verified without the screen, or handed back by it."""
    confirmed: int
    """Survivors that are proven bugs."""
    affected_share: float
    """Mean share of stable tests that run a changed line, over screened candidates."""
    selected_share: float
    """Mean share of stable tests that confirmation ran, over survivors."""
    audited_confirmed: int
    audited_rejected: int
    missed: int
    """Audited rejections of the screen that are proven bugs."""
    differences: tuple[Difference, ...]
    widened: bool
    """Whether a difference sent everything to the whole suite."""
    screen_s: float
    """Wall time, sandboxes and warm-up included."""
    confirm_s: float
    """Wall time of confirmations, of cold verifications and of audits."""
    widened_s: float
    """Wall time of the whole suite on all that was not audited, after a difference."""

    @property
    def screen_miss_rate(self) -> float | None:
        """Share of audited rejections that are bugs; None without an audit."""
        if not self.audited_rejected:
            return None
        return self.missed / self.audited_rejected

    @property
    def screen_miss_interval(self) -> tuple[float, float]:
        """Wilson interval (95 %) of the miss rate; all of it without an audit."""
        return wilson(self.missed, self.audited_rejected)


def fast_report(
    repository: str, tiered: Sequence[TieredVerdict], seconds: Mapping[str, float]
) -> FastReport:
    """Add up what became of all candidates; `seconds` by tier: what this run took."""
    rejected = [one for one in tiered if one.tier == "rejected"]
    confirmed = [one for one in tiered if one.tier == "confirmed"]
    screened = [*rejected, *confirmed]
    audited = [one for one in screened if one.whole is not None and not one.is_widened]
    missed = [
        o for o in audited if o.tier == "rejected" and o.whole and o.whole.verified
    ]
    differences = tuple(one.difference for one in screened if one.difference)
    return FastReport(
        repository=repository,
        candidates=len(tiered),
        refused=sum(one.tier == "refused" for one in tiered),
        screened=len(screened),
        survived=len(confirmed),
        screen_rejected=len(rejected),
        cold=sum(one.tier == "cold" for one in tiered),
        confirmed=sum(one.final.verified for one in confirmed),
        affected_share=_mean([one.affected_share for one in screened]),
        selected_share=_mean([one.selected_share for one in confirmed]),
        audited_confirmed=sum(one.tier == "confirmed" for one in audited),
        audited_rejected=sum(one.tier == "rejected" for one in audited),
        missed=len(missed),
        differences=differences,
        widened=bool(differences),
        screen_s=round(seconds.get("screen", 0.0), 3),
        confirm_s=round(seconds.get("confirm", 0.0), 3),
        widened_s=round(seconds.get("widened", 0.0), 3),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share that was seen `hits` times in `of`."""
    if not of:
        return 0.0, 1.0
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    spread = math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    half = _Z * spread / (1 + square / of)
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    return low, 1.0 if hits == of else min(1.0, middle + half)
