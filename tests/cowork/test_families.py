"""What holds of every family, whatever it draws. Whole environments: test_workshop."""

import pytest

from envplatform.bundle import Environment, ImageReference, environment_digest
from envplatform.bundle.consistency import checked
from envplatform.cowork.assembling import assemble
from envplatform.cowork.blueprint import Blueprint, plan_shard
from envplatform.cowork.families import families, family, family_names
from envplatform.cowork.family import verifier_view
from envplatform.cowork.library import Library
from envplatform.cowork.near import NearDuplicates, shape_of
from envplatform.cowork.procedural import construct, draw
from envplatform.errors import ConfigError
from envplatform.workspace.graph import manifest_of
from envplatform.ws.manifest import read_manifest

IMAGE = ImageReference(name="bare", python="3.11", requirements=(), digest="0" * 64)
LIBRARY = Library.builtin()
DRAWS = 20


def _made(blueprint: Blueprint) -> Environment:
    one = family(blueprint.family)
    built = draw(one, blueprint, LIBRARY)
    view = verifier_view(built.specification, built.build)
    return checked(assemble(blueprint, built, construct(one, view), image=IMAGE))


@pytest.mark.parametrize("name", family_names())
def test_whatever_is_drawn_fits_together_and_can_be_served(name: str) -> None:
    near = NearDuplicates()
    alike = 0
    for blueprint in plan_shard(3, DRAWS, [family(name)]):
        environment = _made(blueprint)
        read_manifest(manifest_of(environment))
        wanted = shape_of(environment)
        alike += near.find_or_add(blueprint.blueprint_id, wanted) is not None
    assert alike <= DRAWS // 10, "its draws read alike; it needs more facets"


@pytest.mark.parametrize("name", family_names())
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(name: str) -> None:
    (one,) = plan_shard(5, 1, [family(name)])
    (other,) = plan_shard(6, 1, [family(name)])
    assert environment_digest(_made(one)) == environment_digest(_made(one))
    assert environment_digest(_made(one)) != environment_digest(_made(other))


@pytest.mark.parametrize("name", family_names())
def test_a_family_says_what_it_is(name: str) -> None:
    one = family(name)
    assert one.name == name
    assert len(set(one.capabilities)) == len(one.capabilities) >= 2
    (blueprint,) = plan_shard(1, 1, [one])
    built = draw(one, blueprint, LIBRARY)
    assert (built.build.user is not None) == (one.pattern != "single_turn")
    changes = [
        change
        for signal in (built.build.user.signals if built.build.user else ())
        for change in signal.changes
    ]
    assert bool(changes) == (one.pattern == "patches")
    assert len(built.specification.facets) >= 5


@pytest.mark.parametrize("name", family_names())
def test_the_constructor_sees_neither_the_users_words_nor_what_was_drawn(
    name: str,
) -> None:
    (blueprint,) = plan_shard(1, 1, [family(name)])
    built = draw(family(name), blueprint, LIBRARY)
    view = verifier_view(built.specification, built.build)
    shown = repr(view)
    assert view.specification.drawn is None
    user = built.build.user
    if user is not None:
        assert all(canary not in shown for canary in user.canaries)
        assert all(one.message not in shown for one in user.signals if one.message)


def test_an_unknown_family_is_named_with_those_that_there_are() -> None:
    with pytest.raises(
        ConfigError, match=r"no family 'tea_making'; there are .*invoice"
    ):
        families(["tea_making"])
