"""An environment put together from what both roles handed over."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import resources

from envplatform.bundle import (
    WRITERS,
    Core,
    Environment,
    ImageReference,
    Lineage,
    Permissions,
)
from envplatform.bundle.environment import Spending
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.library import Pointer
from envplatform.cowork.roles import Built, Verifier
from envplatform.tree import File, tree_digest
from envplatform.user.sidecar import plan_files
from envplatform.workspace.programs import (
    READ_ME,
    frozen_digests,
    grader_files,
    oracle_files,
)

BESIDE = (
    *("marks.py", "misread.py", "spelling.py"),
    *("spelling_documents.py", "spelling_pieces.py", "spelling_tables.py"),
)
"""What lies beside every verifier."""
LICENCE = "Apache-2.0"
"""Of what families write themselves."""


def assemble(
    blueprint: Blueprint, built: Built, verifier: Verifier, *, image: ImageReference
) -> Environment:
    """Return the environment; whether its parts fit together `bundle` tells."""
    specification, build = built.specification, built.build
    desk = build.desk
    tests = grader_files(
        {**{name: _inside(name) for name in BESIDE}, **verifier.files},
        specification.criteria,
    )
    licences = {LICENCE, *specification.licences}
    return Environment(
        environment_id=blueprint.blueprint_id,
        pillar="cowork",
        instruction=specification.instruction,
        workspace={"README.md": File(READ_ME), **build.workspace},
        tests=tests,
        solution=oracle_files(built.oracle),
        image=image,
        core=Core(
            goal=specification.instruction,
            facts=_facts(blueprint, specification.facets),
            grader_digest=tree_digest(tests),
            observables=("file:/logs/ws/**", "file:/workspace/**"),
            frozen=frozen_digests(desk.resources, desk.served),
            transformable=tuple(sorted(build.transformable)),
        ),
        lineage=Lineage(
            producer=f"cowork.{blueprint.family}",
            seed=blueprint.seed,
            origin={
                "blueprint": blueprint.blueprint_id,
                **_sources(built),
                **_writers(built, verifier),
            },
            model=built.model or verifier.model,
            spent=_sum(built.spent, verifier.spent),
        ),
        criteria=("reward", *specification.criteria),
        description=f"{blueprint.scenario}: {blueprint.family.replace('_', ' ')}",
        labels={
            "license": joined_licences(licences),
            "scenario": blueprint.scenario,
            "family": blueprint.family,
            "pattern": blueprint.pattern,
        },
        permissions=Permissions(
            operations=build.operations, writable_names=build.writable_names
        ),
        providers=desk.providers,
        resources=tuple(desk.resources),
        views=tuple(desk.views),
        served=desk.served,
        user=plan_files(build.user) if build.user else {},
    )


def joined_licences(licences: Iterable[str]) -> str:
    """One SPDX expression that asks for all of them; what offers a choice is bracketed.

    Each once, sorted, so that the same licences are the same text.
    """
    several = sorted({*licences} - {""})
    if len(several) == 1:
        return several[0]
    return " AND ".join(f"({one})" if " OR " in one.upper() else one for one in several)


def _facts(blueprint: Blueprint, facets: Mapping[str, str]) -> dict[str, str]:
    return {
        "family": blueprint.family,
        "capabilities": ", ".join(blueprint.capabilities),
        **{f"facet {name}": value for name, value in sorted(facets.items())},
    }


def _sources(built: Built) -> dict[str, str]:
    """Return where facts come from, by number."""
    return {
        f"fact {number}": _place(pointer)
        for number, pointer in enumerate(built.specification.pointers)
    }


def _place(pointer: Pointer) -> str:
    place = "" if pointer.row is None else f" row {pointer.row}"
    place += "" if pointer.column is None else f" column {pointer.column}"
    if pointer.span is not None:
        place += f" span {pointer.span.start}-{pointer.span.end}"
    return f"{pointer.resource_id} {pointer.path}{place}"


def _writers(built: Built, verifier: Verifier) -> dict[str, str]:
    """Return both roles' models where they are two: a lineage names one by itself."""
    names = [name for name in (built.model, verifier.model) if name]
    return {WRITERS: "\n".join(names)} if len(set(names)) > 1 else {}


def _sum(one: Spending, other: Spending) -> Spending:
    return replace(
        one,
        tokens=one.tokens + other.tokens,
        seconds=one.seconds + other.seconds,
        usd=one.usd + other.usd,
    )


def _inside(name: str) -> File:
    folder = resources.files("envplatform.cowork") / "inside"
    return File((folder / name).read_bytes())
