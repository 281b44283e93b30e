"""What decides the rows of cowork assets, and with what environments are made."""

import sys
from collections.abc import Iterable
from typing import Any

from envplatform.configuration import Configuration, CoworkSettings
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.families import families
from envplatform.cowork.family import Family
from envplatform.cowork.keeping import Shard, made_by
from envplatform.cowork.library import Library, ResourceRow
from envplatform.cowork.procedural import ProceduralBuilder, ProceduralConstructor
from envplatform.cowork.workshop import Workshop
from envplatform.grading.gate import FULL
from envplatform.rollout import attending
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.store import Store
from envplatform.store.values import digest_json

_BARE = "bare"


def shard_settings(configuration: Configuration) -> dict[str, Any]:
    """What decides the blueprints of a shard."""
    wanted = {"environments_per_seed", "families"}
    return configuration.cowork.model_dump(mode="json", include=wanted)


def making_settings(configuration: Configuration) -> dict[str, Any]:
    """What decides the environments besides."""
    wanted = {"roles", "rounds", "python", "portability"}
    return configuration.cowork.model_dump(mode="json", include=wanted)


def makers(_: object) -> dict[str, str]:
    """The code that draws and judges."""
    return {"cowork": made_by()}


def shard_keys(configuration: Configuration) -> tuple[str, ...]:
    """Return the partition keys that are configured, each once."""
    return tuple(dict.fromkeys(str(seed) for seed in configuration.cowork.seeds))


def drawable(
    settings: CoworkSettings, library: Library
) -> tuple[tuple[Family, ...], tuple[str, ...]]:
    """Return the families to draw from, and why others are left out.

    Raises:
        ConfigError: a family is named that there is not.
    """
    found, left_out = [], []
    there = frozenset(library.sources)
    for family in families(settings.families):
        missing = sorted(set(family.needs) - there)
        if missing:
            left_out.append(f"{family.name} (needs {', '.join(missing)})")
        else:
            found.append(family)
    return tuple(found), tuple(left_out)


def library_of(rows: Iterable[ResourceRow], store: Store) -> Library:
    """Return what is in the store, and what ships."""
    return Library.of(rows, store).with_builtin()


def shard_of(
    store: Store,
    settings: CoworkSettings,
    library: Library,
    provider: SandboxProvider,
    other: SandboxProvider | None,
) -> Shard:
    """Return what makes the environments of a shard, by procedural roles.

    Raises:
        TargetError: the image can't be built.
        SandboxUnavailableError: its Python is not on this machine.
    """
    known = {family.name: family for family in families(settings.families)}

    def constructor(blueprint: Blueprint) -> ProceduralConstructor:
        return ProceduralConstructor(known[blueprint.family])

    running = "{}.{}".format(*sys.version_info[:2])
    image = build_image(
        _BARE, settings.python or running, (), store.cache_folder("targets")
    )
    workshop = Workshop(
        provider=provider,
        image=image,
        builder=ProceduralBuilder(known, library),
        constructor=constructor,
        attend=attending(),
        rounds=settings.rounds,
        checks=FULL,
        other=other,
    )
    contents = [[row.resource_id, row.digest] for row in library.rows]
    inputs = {"library": digest_json(contents), "roles": settings.roles}
    return Shard(workshop=workshop, inputs=inputs)
