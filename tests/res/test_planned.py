"""The planned proposer goes on to the tenth level, and stays within what it may use."""

from itertools import pairwise

import pytest

from envplatform.bundle import Environment, ImageReference
from envplatform.errors import PlanError
from envplatform.res.child import child_of
from envplatform.res.measure import evidence, measure
from envplatform.res.proposers import Level, Planned
from envplatform.res.staged import staged
from envplatform.res.steps import Made
from envplatform.res.trail import trail_of
from envplatform.rollout.explorer import acquired_of, explore
from envplatform.workspace import Interface, seed_environment

IMAGE = ImageReference(name="bare", python="3.11", requirements=(), digest="0" * 64)


def seed() -> Environment:
    return seed_environment("ledger_reconciliation", IMAGE)


async def lineage(proposer: Planned, depth: int) -> list[Environment]:
    levels, history = [seed()], list[Level]()
    root_bytes = measure(levels[0]).served_bytes
    for _ in range(depth):
        plan = (await proposer.propose(levels[-1], history, [], seed=1)).plan
        assert plan is not None
        levels.append(child_of(levels[-1], plan, seed=1, producer="planned"))
        history.append(Level(plan=plan, root_bytes=root_bytes))
    return levels


async def test_ten_levels_grow_in_reads_and_chains_within_the_bytes() -> None:
    levels = await lineage(Planned(), 10)
    measures = [measure(one) for one in levels]
    assert all(a.reads <= b.reads for a, b in pairwise(measures)), measures
    assert measures[10].reads >= 20 * measures[0].reads
    assert measures[10].chain >= 8 * measures[0].chain
    assert measures[10].served_bytes <= 3 * measures[0].served_bytes


async def test_what_a_search_counts_is_what_is_measured_and_ways_stay_open() -> None:
    for one in await lineage(Planned(), 2):
        made = Made(staged=staged(one), trail=trail_of(one))
        assert max(made.way(root).chain for root in made.roots()) == measure(one).chain
        assert made.reads >= measure(one).reads
        assert all(made.open_of(root) for root in made.roots())


async def test_one_operator_alone_is_used_when_asked() -> None:
    levels = await lineage(Planned(operators=["link_lookup"]), 2)
    assert {name for one in levels for name in one.lineage.plan} == {"link_lookup"}


async def test_uncomposed_levels_take_the_roots_names_alone_and_end_with_them() -> None:
    names = set(evidence(seed()))
    levels = await lineage(Planned(mode="uncomposed"), len(names))
    assert set(trail_of(levels[-1]).entries) == names
    assert len(levels) == len(names) + 1
    with pytest.raises(PlanError, match="no operator fits"):
        await Planned(mode="uncomposed").propose(levels[-1], [], [], seed=1)


async def test_the_explorer_has_a_child_back_only_by_its_own_answers() -> None:
    root, child = await lineage(Planned(), 1)
    whole = explore(Interface(child).broker.ask, turns=50, goal=child.instruction)
    assert acquired_of(root, whole, child=child).missing == ()
    few = explore(Interface(child).broker.ask, turns=2, goal=child.instruction)
    assert acquired_of(root, few, child=child).missing
