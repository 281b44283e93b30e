"""The whole verifier in a real sandbox, and lineages that end as they must."""

from dataclasses import replace

from envplatform.bundle import Environment, ImageReference
from envplatform.res.child import child_of
from envplatform.res.lineage import Budget, Lineage, grow
from envplatform.res.measure import measure
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.proposers import Planned
from envplatform.res.replay import Replayer
from envplatform.res.verifier import Caps, Verifier, score_of_nothing
from envplatform.rollout import attending
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.tree import File
from envplatform.workspace import seed_environment


def root_of(seed: str, image: Image) -> Environment:
    reference = ImageReference(
        name=image.name, python=image.python, requirements=(), digest=image.digest
    )
    return seed_environment(seed, reference)


async def verifier_of(
    provider: BubblewrapProvider, image: Image, root: Environment, replayer: Replayer
) -> Verifier:
    floor = await score_of_nothing(provider, root, image)
    assert floor is not None
    return Verifier(
        provider=provider,
        image=image,
        replayer=replayer,
        root_bytes=measure(root).served_bytes,
        floor=floor,
        attend=attending() if root.user else None,
    )


async def test_a_child_three_levels_deep_is_accepted_and_broken_ones_are_not(
    bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    root = root_of("ledger_reconciliation", bare_image)
    with Replayer() as replayer:
        verifier = await verifier_of(bubblewrap, bare_image, root, replayer)
        lineage = Lineage(root=root, root_bytes=verifier.root_bytes)
        async for grown in grow(
            lineage, Planned(), verifier, seed=1, budget=Budget(depth=3)
        ):
            lineage = grown
        assert [one.is_accepted for one in lineage.children] == [True] * 3
        parent, last = lineage.children[1].environment, lineage.children[2]
        assert parent is not None
        assert last.plan is not None
        child = lineage.tip
        assert measure(child).chain > measure(parent).chain
        other = replace(child, lineage=replace(child.lineage, seed=2))
        verdict = await verifier.verify(parent, last.plan, other)
        assert verdict.ran == ("frozen", "replay")
        assert "another process makes" in str(verdict.diagnostics[0])
        tight = replace(verifier, caps=Caps(reads=2, bytes_ratio=1.0))
        verdict = await tight.verify(parent, last.plan, child)
        assert [(one.check, one.name) for one in verdict.diagnostics] == [
            ("caps", "reads"),
            ("caps", "bytes"),
        ]
        assert "solvable" not in verdict.ran


async def test_an_oracle_that_does_not_solve_and_a_paid_idler_are_named(
    bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    root = root_of("ledger_reconciliation", bare_image)
    lame = replace(root, solution={"solve.sh": File(b"#!/bin/sh\nexit 3\n")})
    plan = TransformPlan(steps=(Step(operator="pagination", name=_first(lame)),))
    child = child_of(lame, plan, seed=1, producer="hand")
    with Replayer() as replayer:
        verifier = await verifier_of(bubblewrap, bare_image, root, replayer)
        verdict = await replace(verifier, floor=0.5).verify(lame, plan, child)
    assert [(one.check, one.name) for one in verdict.diagnostics] == [
        ("solvable", "oracle"),
        ("solvable", "nop"),
    ]
    assert not verdict.is_accepted


async def test_what_the_grader_wants_read_must_be_read(
    bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    """The grader looks for a `read` of that name in the log; a search is none."""
    root = root_of("survey_analysis", bare_image)
    plan = TransformPlan(
        steps=(Step(operator="index_rebuild", name="field/codebook.md"),)
    )
    child = child_of(root, plan, seed=1, producer="hand")
    with Replayer() as replayer:
        verifier = await verifier_of(bubblewrap, bare_image, root, replayer)
        verdict = await verifier.verify(root, plan, child)
    assert [(one.check, one.name) for one in verdict.diagnostics] == [
        ("solvable", "oracle")
    ]


def _first(root: Environment) -> str:
    return next(one.name for one in root.views if one.source in root.core.transformable)
