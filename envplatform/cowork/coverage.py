"""What there is of each kind, against what the quotas ask for.

Rows in, figures out; nothing is drawn or run. Counts are of accepted environments.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.near import NearDuplicates
from envplatform.cowork.rows import ShapeRow
from envplatform.cowork.taxonomy import Capability, Scenario, Taxonomy

REVISION = 1
"""Raised when the same rows give another report."""

Dimension = Literal["scenario", "capability", "multi_turn", "patches_of_multi_turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaLine:
    """One quota and what there is."""

    dimension: Dimension
    name: str
    quota: float
    """Share that is wanted, 0 to 1."""
    actual: float
    count: int
    """Accepted environments that count for it."""
    is_met: bool
    """Whether there is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyLine:
    """How one family fared."""

    family: str
    scenario: Scenario
    pattern: str
    planned: int
    accepted: int


def quota_lines(
    accepted: Sequence[Blueprint], taxonomy: Taxonomy
) -> tuple[QuotaLine, ...]:
    """Return every quota of the taxonomy, met or not; without environments none is met."""
    quotas, total = taxonomy.quotas, len(accepted)
    scenarios = Counter(one.scenario for one in accepted)
    capabilities = Counter(name for one in accepted for name in one.capabilities)
    multi = [one for one in accepted if one.pattern != "single_turn"]
    patches = [one for one in multi if one.pattern == "patches"]

    def line(
        dimension: Dimension, name: str, quota: float, part: int, of: int
    ) -> QuotaLine:
        actual = part / of if of else 0.0
        return QuotaLine(
            dimension=dimension,
            name=name,
            quota=quota,
            actual=round(actual, 6),
            count=part,
            is_met=bool(of) and actual >= quota,
        )

    return (
        *(
            line("scenario", name, quotas.scenario, scenarios[name], total)
            for name in taxonomy.scenario
        ),
        *(
            line("capability", name, quotas.capability, capabilities[name], total)
            for name in taxonomy.capability
        ),
        line("multi_turn", "multi-turn", quotas.multi_turn, len(multi), total),
        line(
            "patches_of_multi_turn",
            "workspace patches",
            quotas.patches_of_multi_turn,
            len(patches),
            len(multi),
        ),
    )


def matrix(
    accepted: Iterable[Blueprint],
) -> Mapping[tuple[Scenario, Capability], int]:
    """Return counts by scenario and capability; what does not occur is left out."""
    return Counter(
        (one.scenario, capability)
        for one in accepted
        for capability in one.capabilities
    )


def family_lines(
    planned: Sequence[Blueprint], accepted: Iterable[str]
) -> tuple[FamilyLine, ...]:
    """Return one line a family, sorted by name; `accepted` are ids of blueprints."""
    ids = set(accepted)
    of: dict[str, list[Blueprint]] = {}
    for one in planned:
        of.setdefault(one.family, []).append(one)
    return tuple(
        FamilyLine(
            family=name,
            scenario=ones[0].scenario,
            pattern=ones[0].pattern,
            planned=len(ones),
            accepted=sum(one.blueprint_id in ids for one in ones),
        )
        for name, ones in sorted(of.items())
    )


def repeats(shapes: Iterable[ShapeRow]) -> Mapping[str, str]:
    """Return the environments that repeat an earlier one, each with that one's id."""
    near = NearDuplicates()
    found = {}
    for one in shapes:
        earlier = near.find_or_add(one.blueprint_id, one.shape)
        if earlier is not None:
            found[one.blueprint_id] = earlier
    return found
