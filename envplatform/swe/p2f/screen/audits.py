"""Which answers of the fast tier the whole suite is asked of too."""

import math
import random
from collections.abc import Iterable, Mapping

from envplatform.swe.p2f.screen.report import FastSettings
from envplatform.swe.p2f.screen.tiered import TieredVerdict


def drawn_audits(
    survivors: Iterable[int],
    tiered: Mapping[int, TieredVerdict],
    fast: FastSettings,
    name: str,
) -> set[int]:
    """Draw places of both kinds, confirmed and rejected; audits that are known count.

    `survivors`: places that are to be confirmed; `tiered`: what is decided, by place;
    `name` seeds the draw.
    """
    kinds: dict[bool, set[int]] = {True: set(survivors), False: set()}
    for place, one in tiered.items():
        if one.is_auditable:
            kinds[one.tier == "confirmed"].add(place)
    return {
        place
        for places in kinds.values()
        for place in _drawn(places, tiered, fast, name)
    }


def _drawn(
    places: set[int],
    tiered: Mapping[int, TieredVerdict],
    fast: FastSettings,
    name: str,
) -> list[int]:
    count = max(fast.least_audits, math.ceil(fast.audit_share * len(places)))
    left = sorted(p for p in places if p not in tiered or tiered[p].whole is None)
    missing = max(count - (len(places) - len(left)), 0)
    drawn = random.Random(name)  # noqa: S311  no secret
    return drawn.sample(left, min(missing, len(left)))
