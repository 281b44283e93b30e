"""One environment of every family made and executed; and what becomes of a poor one."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.cowork.blueprint import Blueprint, plan_shard
from envplatform.cowork.families import family, family_names
from envplatform.cowork.family import VerifierView
from envplatform.cowork.keeping import Shard, make_shard
from envplatform.cowork.library import Library
from envplatform.cowork.procedural import (
    ProceduralBuilder,
    ProceduralConstructor,
    draw,
)
from envplatform.cowork.roles import Builder, Built, Finding, Verifier
from envplatform.cowork.workshop import Workshop, make
from envplatform.rollout import attending
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from envplatform.store import Store
from envplatform.tree import File

LIBRARY = Library.builtin()
FAMILY = "invoice_matching"


@pytest.fixture
def image(tmp_path: Path) -> Image:
    return build_image("bare", "{}.{}".format(*sys.version_info[:2]), (), tmp_path)


def workshop(
    provider: BubblewrapProvider, image: Image, builder: Builder, *, rounds: int = 1
) -> Workshop:
    def constructor(blueprint: Blueprint) -> ProceduralConstructor:
        return ProceduralConstructor(family(blueprint.family))

    return Workshop(
        provider=provider,
        image=image,
        builder=builder,
        constructor=constructor,
        attend=attending(),
        rounds=rounds,
        checks=("oracle_max", "nop_floor", "criterion_mutants"),
    )


def drawing(name: str) -> ProceduralBuilder:
    return ProceduralBuilder({name: family(name)}, LIBRARY)


@pytest.mark.slow
@pytest.mark.parametrize("name", family_names())
async def test_what_a_family_draws_holds_when_it_is_executed(
    name: str, bubblewrap: BubblewrapProvider, image: Image
) -> None:
    (blueprint,) = plan_shard(2, 1, [family(name)])
    outcome = await make(workshop(bubblewrap, image, drawing(name)), blueprint)
    assert outcome.findings == ()
    assert outcome.is_accepted
    assert outcome.environment is not None
    audit = {one.name: one for one in outcome.environment.audit}
    assert audit["controlled_failures"].status == "passed"
    assert audit["other_spellings"].status == "passed", audit["other_spellings"]
    has_user = family(name).pattern != "single_turn"
    assert audit["user_matters"].status == ("passed" if has_user else "not_run")


class Hasty(Builder):
    """Its reference work does nothing, in the first round or in all of them."""

    def __init__(self, *, learns: bool) -> None:
        self._inner = drawing(FAMILY)
        self._learns = learns
        self.told: list[Sequence[Finding]] = []

    async def build(self, blueprint: Blueprint, findings: Sequence[Finding]) -> Built:
        """See the base class."""
        self.told.append(findings)
        built = await self._inner.build(blueprint, findings)
        if findings and self._learns:
            return built
        nothing = File(b"def solve():\n    pass\n")
        return replace(built, oracle={**built.oracle, "oracle.py": nothing})


async def test_a_finding_goes_to_its_role_and_is_mended_in_the_next_round(
    bubblewrap: BubblewrapProvider, image: Image
) -> None:
    (blueprint,) = plan_shard(2, 1, [family(FAMILY)])
    hasty = Hasty(learns=True)
    outcome = await make(workshop(bubblewrap, image, hasty, rounds=2), blueprint)
    assert outcome.is_accepted
    first, second = outcome.rounds
    assert ("oracle_not_full", "builder") in {
        (one.kind, one.role) for one in first.findings
    }
    assert second.findings == ()
    assert hasty.told[0] == ()
    assert {one.role for one in hasty.told[1]} == {"builder"}


class Forgetful(ProceduralConstructor):
    """Knows of no misreading in the first round."""

    rounds = 0

    async def construct(
        self, view: VerifierView, findings: Sequence[Finding]
    ) -> Verifier:
        """See the base class."""
        verifier = await super().construct(view, findings)
        self.rounds += 1
        if self.rounds > 1:
            return verifier
        bare = verifier.files["verifier.py"].data + b"\nMISREADINGS = {}\n"
        return replace(verifier, files={**verifier.files, "verifier.py": File(bare)})


async def test_what_a_constructor_can_not_mend_is_drawn_anew(
    bubblewrap: BubblewrapProvider, image: Image
) -> None:
    (blueprint,) = plan_shard(2, 1, [family(FAMILY)])
    made_once = draw(family(FAMILY), blueprint, LIBRARY).specification.instruction
    forgetful = Forgetful(family(FAMILY))
    works = workshop(bubblewrap, image, drawing(FAMILY), rounds=2)
    outcome = await make(replace(works, constructor=lambda _: forgetful), blueprint)
    assert [one.kind for one in outcome.rounds[0].findings] == ["failure_passes"]
    assert outcome.is_accepted
    assert outcome.environment is not None
    assert outcome.environment.instruction != made_once


async def test_what_does_not_converge_is_kept_as_rejected_with_its_findings(
    bubblewrap: BubblewrapProvider, image: Image, tmp_path: Path
) -> None:
    store = Store(tmp_path / "home")
    shard = Shard(workshop=workshop(bubblewrap, image, Hasty(learns=False)), inputs={})
    (kept,) = await make_shard(store, shard, plan_shard(2, 1, [family(FAMILY)]))
    assert kept.environment is None
    assert kept.rejected is not None
    assert kept.rejected.reason == "oracle_not_full"
    folder = store.directory("rejected_environments", kept.rejected.digest)
    assert (folder / "instruction.md").is_file()
    (again,) = await make_shard(store, shard, plan_shard(2, 1, [family(FAMILY)]))
    assert again == kept, "what was rejected is not made again"
