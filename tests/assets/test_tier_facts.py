"""The event of `verified_bugs` tells what screen, confirmation and audits did."""

from dataclasses import replace

from assets.tier_facts import tier_facts
from envplatform.swe.p2f.screen.report import fast_report
from envplatform.swe.p2f.screen.tiered import Difference, TieredVerdict
from tests.swe.small_repository import VERDICT

SAFE = replace(VERDICT, rejection="no_failure", fail_to_pass=(), failure_report="")
CONFIRMED = TieredVerdict(
    candidate_id="a", verdict=VERDICT, tier="confirmed", selected_share=0.5
)
REJECTED = TieredVerdict(candidate_id="b", verdict=SAFE, tier="rejected")
COLD = TieredVerdict(candidate_id="c", verdict=VERDICT, tier="cold")
REFUSED = TieredVerdict(candidate_id="d", verdict=SAFE, tier="refused")
MISSED = replace(
    REJECTED,
    whole=VERDICT,
    difference=Difference(candidate_id="b", fast="no_failure", whole="verified"),
)
WIDENED = replace(CONFIRMED, whole=SAFE, is_widened=True)


def test_a_miss_is_counted_over_audits_alone() -> None:
    """What was asked only because another differed is no sample of anything."""
    report = fast_report("r", [MISSED, replace(REJECTED, whole=SAFE), WIDENED], {})
    facts = tier_facts(report)
    assert (facts["audited_rejected"], facts["audited_confirmed"]) == (2, 0)
    assert (facts["screen_missed"], facts["screen_miss_rate"]) == (1, 0.5)
    assert facts["widened"] == "true"
    assert facts["audit_differences"] == 1
    assert facts["confirmed"] == 0, "the whole suite has the last word"


def test_without_an_audit_there_is_no_rate_and_the_interval_is_all() -> None:
    report = fast_report("r", [CONFIRMED, REJECTED, COLD, REFUSED], {})
    facts = tier_facts(report)
    assert "screen_miss_rate" not in facts
    assert (facts["screen_miss_low"], facts["screen_miss_high"]) == (0.0, 1.0)
    assert (facts["screened"], facts["survived"], facts["cold"]) == (2, 1, 1)
    assert facts["selected_share"] == 0.5
    assert facts["widened"] == "false"


def test_without_the_tiers_no_figure_of_theirs_is_shown() -> None:
    report = fast_report("r", [COLD, REFUSED], {})
    assert tier_facts(report) == {"proof": "by the whole suite"}
