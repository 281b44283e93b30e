"""Votes as rows: what each one turned out to mean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envplatform.evaluation.realism.agreement import Verdict, verdicts
from envplatform.evaluation.realism.pairs import Pair
from envplatform.evaluation.realism.votes import Choice, Vote

REVISION = 1
"""Raised when the same votes give other rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRow:
    """One vote that counts."""

    pair_id: str
    reviewer: str
    choice: Choice
    """The side held for a real developer's bug."""
    verdict: Verdict
    """Whose bug stood there."""
    inducer: str
    """Of our bug of the pair."""
    ours: str
    """Id of our bug: a candidate."""
    real: str
    """Id of the real one: an instance."""
    at: str
    """When: ISO 8601 in UTC."""


def vote_rows(pairs: Sequence[Pair], votes: Iterable[Vote]) -> list[VoteRow]:
    """Return a row a vote, in the order in which they were cast."""
    votes = list(votes)
    known = {one.pair_id: one for one in pairs}
    meant = verdicts(pairs, votes)
    return [
        VoteRow(
            pair_id=one.pair_id,
            reviewer=one.reviewer,
            choice=one.choice,
            verdict=meant[one.pair_id][one.reviewer],
            inducer=known[one.pair_id].inducer,
            ours=known[one.pair_id].ours,
            real=known[one.pair_id].real,
            at=one.at,
        )
        for one in votes
    ]
