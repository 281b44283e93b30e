"""What decides the rows of cowork assets, and with what environments are made."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from envplatform.configuration import Configuration, CoworkSettings
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.families import families
from envplatform.cowork.family import Family
from envplatform.cowork.keeping import Shard, made_by
from envplatform.cowork.library import Library, ResourceRow
from envplatform.cowork.llm import (
    PromptedBuilder,
    PromptedConstructor,
    PromptedReviewer,
)
from envplatform.cowork.procedural import ProceduralBuilder, ProceduralConstructor
from envplatform.cowork.roles import Builder, Reviewer, VerifierConstructor
from envplatform.cowork.workshop import Workshop
from envplatform.grading.gate import FULL
from envplatform.llm.chat import ChatModel
from envplatform.llm.opening import server_of
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


def making_code(resources: Any) -> dict[str, str]:  # noqa: ANN401  Dagster's
    """The code that draws and judges, and the model that is asked, if one is."""
    configuration = resources.configuration.load()
    code = {"cowork": made_by()}
    if configuration.cowork.roles == "procedural":
        return code
    model = configuration.model
    return {**code, "model": " ".join((model.name, server_of(model), *model.omit))}


def shard_keys(configuration: Configuration) -> tuple[str, ...]:
    """Return the partition keys that are configured."""
    settings = configuration.cowork
    first = settings.first_seed
    return tuple(str(seed) for seed in range(first, first + settings.shards))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Makers:
    """Who plays the roles."""

    builder: Builder
    constructor: Callable[[Blueprint], VerifierConstructor]
    reviewer: Reviewer | None = None
    model: str = ""
    """That is asked, with its server; empty where none is."""


def procedural_makers(settings: CoworkSettings, library: Library) -> Makers:
    """Return roles that need no model.

    Raises:
        ConfigError: a family is named that there is not.
    """
    known = {family.name: family for family in families(settings.families)}

    def constructor(blueprint: Blueprint) -> VerifierConstructor:
        return ProceduralConstructor(known[blueprint.family])

    return Makers(builder=ProceduralBuilder(known, library), constructor=constructor)


def prompted_makers(model: ChatModel, library: Library, server: str) -> Makers:
    """Return roles that ask `model`, each in a conversation of its own."""

    def constructor(blueprint: Blueprint) -> VerifierConstructor:
        return PromptedConstructor(model, seed=blueprint.seed % 2**31)

    return Makers(
        builder=PromptedBuilder(model, library),
        constructor=constructor,
        reviewer=PromptedReviewer(model),
        model=f"{model.name} {server}",
    )


def shard_of(  # noqa: PLR0913  all that decides one
    store: Store,
    settings: CoworkSettings,
    library: Library,
    makers: Makers,
    provider: SandboxProvider,
    other: SandboxProvider | None = None,
    *,
    at_once: int = 2,
) -> Shard:
    """Return what makes the environments of a shard, `at_once` at a time.

    Raises:
        TargetError: the image can't be built.
        SandboxUnavailableError: its Python is not on this machine.
    """
    running = "{}.{}".format(*sys.version_info[:2])
    image = build_image(
        _BARE, settings.python or running, (), store.cache_folder("targets")
    )
    workshop = Workshop(
        provider=provider,
        image=image,
        builder=makers.builder,
        constructor=makers.constructor,
        reviewer=makers.reviewer,
        attend=attending(),
        rounds=settings.rounds,
        checks=FULL,
        other=other,
    )
    contents = [[row.resource_id, row.digest] for row in library.rows]
    inputs = {
        "library": digest_json(contents),
        "roles": settings.roles,
        "model": makers.model,
    }
    return Shard(workshop=workshop, inputs=inputs, at_once=at_once)
