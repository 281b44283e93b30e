"""What is to be made, before anything is: one line of the plan of a shard.

A shard is a random seed; its blueprints are spread evenly over families, so that the
quotas of the taxonomy hold for each shard and not only for all of them.
"""

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envplatform.cowork.family import Family
from envplatform.cowork.personas import personas
from envplatform.cowork.taxonomy import (
    Artefact,
    Capability,
    Horizon,
    Pattern,
    Scenario,
    Verification,
    taxonomy,
)
from envplatform.errors import ConfigError

_ID = re.compile(r"cowork\.\w+\.s(\d+)\.n\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Blueprint:
    """One environment to be made."""

    blueprint_id: str
    """`cowork.<family>.s<cowork_seed>.n<number>`; safe as a file name."""
    cowork_seed: int
    number: int
    """In its shard, from 0."""
    family: str
    scenario: Scenario
    capabilities: tuple[Capability, ...]
    artefacts: tuple[Artefact, ...]
    pattern: Pattern
    horizon: Horizon
    verification: Verification
    persona: str
    """Id of who asks."""
    seed: int
    """What all chance of it comes from."""
    taxonomy_version: int


def plan_shard(
    cowork_seed: int, count: int, families: Sequence[Family]
) -> tuple[Blueprint, ...]:
    """Return `count` blueprints; families differ in number by one at most.

    Raises:
        ConfigError: there are no families.
    """
    if not families:
        msg = "cowork.families: none is left to draw from; name at least one"
        raise ConfigError(msg)
    chance = random.Random(cowork_seed)  # noqa: S311  reproducible, not secret
    turns = _turns(families, chance)
    return tuple(
        _blueprint(cowork_seed, number, next(turns), chance) for number in range(count)
    )


def shard_of(blueprint_id: str) -> str | None:
    """Return the partition of a blueprint of this id; None: it is no such id."""
    found = _ID.fullmatch(blueprint_id)
    return found[1] if found else None


def seed_of(cowork_seed: int, number: int, attempt: int = 0) -> int:
    """Return the random seed of one environment of a shard, 0 to 2**63 - 1."""
    text = f"{cowork_seed}:{number}:{attempt}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8]) >> 1


def _turns(families: Sequence[Family], chance: random.Random) -> Iterator[Family]:
    order = sorted(families, key=lambda one: one.name)
    while True:
        yield from chance.sample(order, len(order))


def _blueprint(
    cowork_seed: int, number: int, family: Family, chance: random.Random
) -> Blueprint:
    return Blueprint(
        blueprint_id=f"cowork.{family.name}.s{cowork_seed}.n{number:04}",
        cowork_seed=cowork_seed,
        number=number,
        family=family.name,
        scenario=family.scenario,
        capabilities=family.capabilities,
        artefacts=family.artefacts,
        pattern=family.pattern,
        horizon=family.horizon,
        verification=family.verification,
        persona=chance.choice(personas()).id,
        seed=seed_of(cowork_seed, number),
        taxonomy_version=taxonomy().version,
    )
