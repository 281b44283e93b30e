"""A verdict with the tier that it comes from, and what an audit said of it."""

from dataclasses import dataclass
from typing import Literal

from envplatform.swe.candidate import Verdict

Tier = Literal[
    "refused",  # before anything ran
    "cold",  # whole suite, clean sandboxes; no fork could judge it
    "rejected",  # by the screen
    "confirmed",  # survived the screen; clean sandboxes decided, either way
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A candidate on which the fast tier and the whole suite disagree."""

    candidate_id: str
    fast: str
    """`verified` or the rejection, then what differs; for a person."""
    whole: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TieredVerdict:
    """What is known of one candidate."""

    candidate_id: str
    verdict: Verdict
    tier: Tier
    affected_share: float = 0.0
    """Of the stable tests, those that run a changed line; 0 unless screened."""
    selected_share: float = 0.0
    """Of the stable tests, those that confirmation ran; 0 unless it survived."""
    whole: Verdict | None = None
    """What the whole suite says; None: not asked."""
    is_widened: bool = False
    """Whether `whole` was asked because another candidate differed: no audit."""
    difference: Difference | None = None
    """How `whole` differs from `verdict`, if it does."""

    @property
    def final(self) -> Verdict:
        """The verdict that counts: the whole suite has the last word."""
        return self.whole or self.verdict

    @property
    def is_auditable(self) -> bool:
        """Whether less than the whole suite decided."""
        return self.tier in {"rejected", "confirmed"}


def differs(fast: Verdict, whole: Verdict) -> Difference | None:
    """Return how two verdicts on one candidate differ, if they do."""
    if (fast.rejection, fast.fail_to_pass, fast.pass_to_pass) == (
        whole.rejection,
        whole.fail_to_pass,
        whole.pass_to_pass,
    ):
        return None
    return Difference(
        candidate_id=fast.candidate_id,
        fast=_said(fast, whole),
        whole=_said(whole, fast),
    )


def _said(verdict: Verdict, other: Verdict) -> str:
    said = verdict.rejection or "verified"
    only = sorted(set(verdict.fail_to_pass) - set(other.fail_to_pass))
    return f"{said}: {verdict.detail}" + (
        f"; only here fails {only[0]}" if only else ""
    )
