"""Pairs of bugs that are none."""

from envplatform.evaluation.realism.pairs import Pair
from envplatform.evaluation.realism.votes import Ballot, Choice, Vote

REVIEWERS = ("ann", "bob", "cat")
AT = "2026-01-31T12:00:00+00:00"


def pair(number: int, *, left_is_ours: bool = True, inducer: str = "mutation") -> Pair:
    """A pair whose left side says `left NUMBER`."""
    return Pair(
        pair_id=f"p{number}",
        left=f"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+left {number}",
        right=f"--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+right {number}",
        left_is_ours=left_is_ours,
        ours=f"ours-{number}",
        real=f"real-{number}",
        inducer=inducer,
    )


PAIRS = [pair(0), pair(1, left_is_ours=False), pair(2, inducer="mined")]
BALLOT = Ballot(pairs={one.pair_id for one in PAIRS}, reviewers=REVIEWERS)


def vote(number: int, reviewer: str, choice: Choice) -> Vote:
    """One on the pair of that number."""
    return Vote(pair_id=f"p{number}", reviewer=reviewer, choice=choice, at=AT)
