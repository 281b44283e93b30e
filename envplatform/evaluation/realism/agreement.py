"""What votes come to: majorities, the share held for real, how far reviewers agree."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Literal

from envplatform.configuration import FEWEST_REVIEWERS
from envplatform.evaluation.bootstrap import percentile
from envplatform.evaluation.realism.pairs import Pair
from envplatform.evaluation.realism.votes import Vote
from envplatform.swe.diversity.intervals import Interval, wilson

Verdict = Literal["ours", "real", "unsure"]
"""Which bug a vote holds for a real developer's, as it turns out."""
_DRAWS = 1_000
_TAIL = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class Realism:
    """All pairs of one kind."""

    inducer: str
    """Empty: all of them."""
    pairs: int
    """With three votes at least; only they count."""
    short: int
    """With fewer."""
    held_for_real: int
    """Of our bugs, by a majority of the votes on their pair."""
    share: float | None
    """HPR: of `pairs`; None where there is none. A coin gives a half."""
    low: float
    """Wilson's 95 % interval; all of 0..1 where there is no pair."""
    high: float
    fleiss: float | None
    """Agreement beyond chance; None where chance alone explains all, or nothing is."""
    fleiss_low: float | None
    """95 % interval by drawing pairs; None where `fleiss` is or there are too few."""
    fleiss_high: float | None


def verdicts(
    pairs: Iterable[Pair], votes: Iterable[Vote]
) -> dict[str, dict[str, Verdict]]:
    """Return by pair and reviewer what each vote means; pairs without votes too."""
    known = {one.pair_id: one for one in pairs}
    found: dict[str, dict[str, Verdict]] = {name: {} for name in known}
    for vote in votes:
        found[vote.pair_id][vote.reviewer] = _verdict(vote, known[vote.pair_id])
    return found


def realism(
    pairs: Sequence[Pair], votes: Iterable[Vote], *, majority: float, seed: int = 0
) -> list[Realism]:
    """Return a row over all pairs, then one an inducer, by name."""
    found = verdicts(pairs, votes)
    kinds: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        kinds[pair.inducer].append(pair)
    groups = {"": list(pairs), **{name: kinds[name] for name in sorted(kinds)}}
    return [
        _row(name, [list(found[one.pair_id].values()) for one in mine], majority, seed)
        for name, mine in groups.items()
    ]


def fleiss_kappa(votes: Sequence[Sequence[str]]) -> float | None:
    """Return Fleiss' kappa of items, each with its votes; any number of two or more.

    None where no item has two, or all votes are alike: chance explains that as well.
    """
    items = [Counter(one) for one in votes if len(one) > 1]
    if not items:
        return None
    agreed = fmean(
        (sum(n * n for n in one.values()) - one.total())
        / (one.total() * (one.total() - 1))
        for one in items
    )
    whole: Counter[str] = sum(items, Counter())
    chance = sum((n / whole.total()) ** 2 for n in whole.values())
    return None if chance >= 1 else (agreed - chance) / (1 - chance)


def cohen_kappas(
    found: Mapping[str, Mapping[str, str]],
) -> dict[tuple[str, str], tuple[float | None, int]]:
    """Return Cohen's kappa of each two reviewers, and over how many pairs they share."""
    names = sorted({name for votes in found.values() for name in votes})
    kappas: dict[tuple[str, str], tuple[float | None, int]] = {}
    for one, other in combinations(names, 2):
        both = [
            (votes[one], votes[other])
            for votes in found.values()
            if one in votes and other in votes
        ]
        kappas[one, other] = _cohen(both), len(both)
    return kappas


def _cohen(both: Sequence[tuple[str, str]]) -> float | None:
    if not both:
        return None
    agreed = fmean(a == b for a, b in both)
    firsts, seconds = (Counter(side) for side in zip(*both, strict=True))
    chance = sum(firsts[name] * seconds[name] for name in firsts) / len(both) ** 2
    return None if chance >= 1 else (agreed - chance) / (1 - chance)


def _row(
    name: str, votes: Sequence[Sequence[Verdict]], majority: float, seed: int
) -> Realism:
    enough = [one for one in votes if len(one) >= FEWEST_REVIEWERS]
    held = sum(one.count("ours") > majority * len(one) for one in enough)
    interval = wilson(held, len(enough))
    kappa = fleiss_kappa(enough)
    drawn = _drawn(enough, seed) if kappa is not None else None
    return Realism(
        inducer=name,
        pairs=len(enough),
        short=len(votes) - len(enough),
        held_for_real=held,
        share=held / len(enough) if enough else None,
        low=interval.low,
        high=interval.high,
        fleiss=kappa,
        fleiss_low=min(drawn.low, kappa) if drawn and kappa is not None else None,
        fleiss_high=max(drawn.high, kappa) if drawn and kappa is not None else None,
    )


def _drawn(votes: Sequence[Sequence[Verdict]], seed: int) -> Interval | None:
    random = Random(seed)  # noqa: S311  a sample, no secret
    draws = (random.choices(votes, k=len(votes)) for _ in range(_DRAWS))
    found = sorted(kappa for one in draws if (kappa := fleiss_kappa(one)) is not None)
    if len(votes) < 2 or not found:  # noqa: PLR2004  one pair says nothing of others
        return None
    return Interval(low=percentile(found, _TAIL), high=percentile(found, 1 - _TAIL))


def _verdict(vote: Vote, pair: Pair) -> Verdict:
    if vote.choice == "unsure":
        return "unsure"
    return "ours" if (vote.choice == "left") == pair.left_is_ours else "real"
