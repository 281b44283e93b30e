"""Cowork environments drawn in process, and a shard of them as the assets store it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from envplatform.bundle import (
    Environment,
    ImageReference,
    core_digest,
    environment_digest,
)
from envplatform.bundle.consistency import checked
from envplatform.bundle.row import EnvironmentRow
from envplatform.cowork.assembling import assemble
from envplatform.cowork.blueprint import Blueprint, plan_shard
from envplatform.cowork.families import family
from envplatform.cowork.family import verifier_view
from envplatform.cowork.library import Library, Pointer
from envplatform.cowork.procedural import construct, draw
from envplatform.cowork.rows import FINDINGS, REJECTED, FindingRow, RejectedRow
from envplatform.grading.kept import keep_environment
from envplatform.store import Cost, Origin, Store
from envplatform.store.manifest import Input, Recipe

FAMILY = "invoice_matching"
IMAGE = ImageReference(name="bare", python="3.11", requirements=(), digest="0" * 64)
LIBRARY = Library.builtin()
CREATED = datetime(2026, 1, 2, tzinfo=UTC)


def made_environment(
    blueprint: Blueprint,
    *,
    image: ImageReference = IMAGE,
    pointers: tuple[Pointer, ...] | None = None,
) -> Environment:
    """Draw what a blueprint asks for; `pointers` in place of the family's own."""
    one = family(blueprint.family)
    built = draw(one, blueprint, LIBRARY)
    if pointers is not None:
        specification = replace(built.specification, pointers=pointers)
        built = replace(built, specification=specification)
    view = verifier_view(built.specification, built.build)
    return checked(assemble(blueprint, built, construct(one, view), image=image))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Three blueprints: one accepted in the second round, one rejected, one not made."""

    blueprints: tuple[Blueprint, ...]
    environment: Environment
    row: EnvironmentRow
    rejected: RejectedRow


def write_shard(store: Store, *, seed: int = 7, model: str = "") -> Shard:
    """Plan a shard, make its first environment (by `model`) and reject the second."""
    blueprints = plan_shard(seed, 3, [family(FAMILY)])
    pointers = (LIBRARY.table("builtin/companies.csv").pointer(3, "name"),)
    environment = made_environment(blueprints[0], pointers=pointers)
    asyncio.run(keep_environment(store, environment))
    row = replace(environment_row(blueprints[0], environment), issue_model=model)
    rejected = RejectedRow(
        blueprint_id=blueprints[1].blueprint_id,
        family=FAMILY,
        digest="f" * 64,
        rounds=2,
        reason="user_not_needed",
        detail="work that ignores the user gets 1",
    )
    findings = [
        _finding(blueprints[0], 0, "blind spots of the first round"),
        _finding(blueprints[1], 0, "of the first round"),
        _finding(blueprints[1], 1, "work that ignores the user gets 1"),
    ]
    _write(store, "task_blueprints", seed, blueprints, Blueprint)
    _write(store, "cowork_environments", seed, [row], EnvironmentRow)
    _write(store, REJECTED, seed, [rejected], RejectedRow)
    _write(store, FINDINGS, seed, findings, FindingRow)
    return Shard(
        blueprints=blueprints, environment=environment, row=row, rejected=rejected
    )


def environment_row(blueprint: Blueprint, environment: Environment) -> EnvironmentRow:
    """Return the row of an environment that no gate has seen."""
    return EnvironmentRow(
        environment_id=environment.environment_id,
        digest=environment_digest(environment),
        core_digest=core_digest(environment.core),
        pillar="cowork",
        repository="",
        candidate_id=blueprint.blueprint_id,
        inducer=environment.lineage.producer,
        operator="",
        licence="Apache-2.0",
        image_digest=IMAGE.digest,
        python=IMAGE.python,
        fail_to_pass=0,
        pass_to_pass=0,
        issue_writer="",
        checks=(),
        tokens=0,
        gated=True,
        sandbox="none",
        seconds=4.0,
        has_user=True,
        family=blueprint.family,
        scenario=blueprint.scenario,
    )


def _finding(blueprint: Blueprint, number: int, evidence: str) -> FindingRow:
    return FindingRow(
        blueprint_id=blueprint.blueprint_id,
        family=blueprint.family,
        round=number,
        kind="user_not_needed",
        role="builder",
        check="user_matters",
        evidence=evidence,
    )


def _write(
    store: Store, asset: str, seed: int, rows: Sequence[object], kind: type
) -> None:
    manifest = store.manifest("task_blueprints", str(seed))
    used: tuple[Input, ...] = (manifest.as_input,) if manifest else ()
    store.write_rows(
        asset,
        rows,
        row_type=kind,
        origin=Origin(
            created=CREATED, recipe=Recipe(inputs=used), cost=Cost(seconds=6.0)
        ),
        partition=str(seed),
    )
