"""What is known of candidates before anything runs: refused, repeated, or to be tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.checks import check_patch
from envplatform.swe.p2f.many import originals
from envplatform.swe.p2f.refusal import Refusal
from envplatform.swe.p2f.screen.tiered import TieredVerdict
from envplatform.swe.p2f.verify import verdict_of
from envplatform.swe.targets.prepare import HealthyRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Candidates by their place; each is in one of `decided` and `changes`."""

    decided: Mapping[int, TieredVerdict]
    """What needs no run, in order."""
    new: frozenset[int]
    """Those of `decided` to be kept: neither duplicates nor known before."""
    changes: Mapping[int, Change]


def plan(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    known: Mapping[str, TieredVerdict],
) -> Plan:
    """Sort candidates; `known` are verdicts of an earlier run by candidate id."""
    first = originals(repository, baseline, candidates)
    decided: dict[int, TieredVerdict] = {}
    new: set[int] = set()
    changes: dict[int, Change] = {}

    def refused(place: int, refusal: Refusal) -> None:
        verdict = verdict_of(candidates[place], refusal, provider)
        name = candidates[place].candidate_id
        decided[place] = TieredVerdict(
            candidate_id=name, verdict=verdict, tier="refused"
        )

    for place, candidate in enumerate(candidates):
        if first[place] != place:
            same = f"the same change as {candidates[first[place]].candidate_id}"
            refused(place, Refusal(reason="duplicate", detail=same))
        elif candidate.candidate_id in known:
            decided[place] = known[candidate.candidate_id]
        else:
            change = check_patch(repository, baseline, candidate.bug_patch)
            if isinstance(change, Refusal):
                refused(place, change)
                new.add(place)
            else:
                changes[place] = change
    return Plan(decided=decided, new=frozenset(new), changes=changes)
