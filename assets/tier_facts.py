"""What the fast tier did with a repository's candidates, as metadata of the event."""

from envplatform.store import Fact
from envplatform.swe.p2f.screen.report import FastReport


def tier_facts(report: FastReport) -> dict[str, Fact]:
    """Return counts by tier, audits, and how often the screen missed a bug."""
    if not report.screened:
        return {"proof": "by the whole suite"}
    low, high = report.screen_miss_interval
    facts: dict[str, Fact] = {
        "proof": "by tiers",
        "screened": report.screened,
        "survived": report.survived,
        "cold": report.cold,
        "confirmed": report.confirmed,
        "audited_confirmed": report.audited_confirmed,
        "audited_rejected": report.audited_rejected,
        "audit_differences": len(report.differences),
        "screen_missed": report.missed,
        "screen_miss_low": round(low, 4),
        "screen_miss_high": round(high, 4),
        "widened": str(report.widened).lower(),
        "affected_share": round(report.affected_share, 4),
        "selected_share": round(report.selected_share, 4),
    }
    if report.screen_miss_rate is not None:
        facts["screen_miss_rate"] = round(report.screen_miss_rate, 4)
    return facts
