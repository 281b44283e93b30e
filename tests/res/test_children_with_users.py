"""The seeds with a user inside, transformed: real sessions in which the user takes part."""

import pytest

from envplatform.bundle import Environment, core_digest
from envplatform.grading import Final, apply_solution, grade, open_environment
from envplatform.res import checks
from envplatform.res.child import child_of
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.trail import trail_of
from envplatform.rollout import attended
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.user import review
from envplatform.user.shown import SHOWN
from tests.res.test_verifier import root_of

ANSWER_S = 60.0
PLANS = {
    "inventory_merge": ("west/stock.csv", "numeric_reencoding", "pagination"),
    "oncall_handover": ("ops/incidents", "numeric_reencoding", "link_lookup"),
    "survey_analysis": (
        "field/codebook.md",
        "evidence_dispersion",
        "staged_publication",
    ),
}
"""Seed to a name that its user changes, and what is done there, an operator a level."""


@pytest.mark.parametrize("seed", PLANS)
async def test_the_oracle_copes_and_who_misses_the_change_falls_short(
    bubblewrap: SandboxProvider, bare_image: Image, seed: str
) -> None:
    root = root_of(seed, bare_image)
    name, *operators = PLANS[seed]
    child = root
    for operator in operators:
        parent, plan = child, TransformPlan(steps=(Step(operator=operator, name=name),))
        child = child_of(parent, plan, seed=2, producer="hand")
        assert not list(checks.changed(parent, child, trail_of(child)))
    assert core_digest(child.core) == core_digest(root.core)
    assert {p: f for p, f in child.user.items() if p != SHOWN} == root.user
    heard, alone = [
        await final_of(bubblewrap, child, bare_image, with_user=one)
        for one in (True, False)
    ]
    full, stale = [
        await grade(
            bubblewrap, child, one.workspace, image=bare_image, served=heard.served
        )
        for one in (heard, alone)
    ]
    assert full.reward == 1
    assert stale.reward is not None
    assert stale.reward < 1


async def final_of(
    provider: SandboxProvider, child: Environment, image: Image, *, with_user: bool
) -> Final:
    opening = open_environment(provider, child, image=image, answer_s=ANSWER_S)
    async with opening as opened:
        if not with_user:
            await apply_solution(opened.sandbox, child)
        else:
            async with attended(opened) as user:
                assert user is not None
                ended = await apply_solution(opened.sandbox, child)
            assert ended.exit_code == 0, ended.stderr
            fired = [turn.signal for turn in user.turns if turn.signal]
            assert sorted(fired) == sorted(one.id for one in user.plan.signals)
            assert review(user.plan, user.turns) == ()
        return await opened.final()
