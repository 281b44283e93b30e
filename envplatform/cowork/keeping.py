"""Cowork environments in the store: each is kept as soon as it is made, and found again.

The key of one is the digest of all that decides it: blueprint, code, library, image,
roles. So a crash loses those under way and no other, and a second run makes none again.
Errors of sandboxes and of model servers are never kept.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from envplatform.bundle import (
    Environment,
    write_environment,
)
from envplatform.bundle.row import EnvironmentRow
from envplatform.code import code_digest
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.near import shape_of
from envplatform.cowork.rows import FindingRow, KeptOutcome, RejectedRow
from envplatform.cowork.workshop import REVISION, Outcome, Workshop, make
from envplatform.errors import EnvPlatformError, ModelError, SandboxError
from envplatform.grading.kept import is_kept, keep_environment
from envplatform.grading.publish import environment_row as gated_row
from envplatform.store import ResultCache, Store
from envplatform.store.results import result_key

STAGE = "cowork"
REJECTED_KIND = "rejected_environments"
"""Under which the store keeps what was not accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """What the environments of one shard have in common."""

    workshop: Workshop
    inputs: Mapping[str, str]
    """Name to digest of all that decides them beside blueprint and code."""
    at_once: int = 2
    """Environments under way at one time."""

    def key(self, blueprint: Blueprint) -> str:
        """Name the result of one blueprint."""
        return result_key(
            revision=REVISION,
            inputs={**self.inputs, "image": self.workshop.image.digest},
            config={
                "blueprint": asdict(blueprint),
                "rounds": self.workshop.rounds,
                "checks": list(self.workshop.checks),
                "portability": self.workshop.other is not None,
            },
            tools={"code": made_by()},
        )


def made_by() -> str:
    """Digest of the code that draws, executes and judges environments."""
    return code_digest("cowork", "workspace", "grading", "ws", "user")


async def make_shard(
    store: Store,
    shard: Shard,
    blueprints: Sequence[Blueprint],
    *,
    told: Callable[[KeptOutcome], None] = lambda _: None,
) -> list[KeptOutcome]:
    """Make all that is not made yet; results in the order of `blueprints`.

    `told`: hears of each as soon as it is kept.

    Raises:
        SandboxError: some could not be executed; all others are made and kept.
        ModelError: as that, where the first that failed had no answer from its model.
    """
    turn = asyncio.Semaphore(shard.at_once)
    failed: list[tuple[Blueprint, SandboxError | ModelError]] = []

    async def one(blueprint: Blueprint) -> KeptOutcome | None:
        async with turn:
            try:
                kept = await make_kept(store, shard, blueprint)
            except (SandboxError, ModelError) as error:
                # An infrastructure error costs no other.
                failed.append((blueprint, error))
                return None
            told(kept)
            return kept

    found = await asyncio.gather(*map(one, blueprints))
    if failed:
        which, error = failed[0]
        msg = (
            f"{len(failed)} of {len(blueprints)} could not be executed: "
            f"{which.blueprint_id}: {error}"
        )
        raise (ModelError if isinstance(error, ModelError) else SandboxError)(msg)
    return [kept for kept in found if kept is not None]


async def make_kept(store: Store, shard: Shard, blueprint: Blueprint) -> KeptOutcome:
    """Return what became of one blueprint, made now or before.

    Raises:
        SandboxError: a sandbox failed time and again; nothing is concluded.
    """
    results: ResultCache = store.results(STAGE)
    key = shard.key(blueprint)
    known = results.get_row(key, KeptOutcome)
    if known is not None and _holds(store, known):
        return known
    outcome = await make(shard.workshop, blueprint)
    kept = await _kept(store, shard.workshop, outcome)
    results.put_row(key, kept)
    return kept


def _holds(store: Store, known: KeptOutcome) -> bool:
    row = known.environment
    return row is None or is_kept(store, row)


async def _kept(store: Store, workshop: Workshop, outcome: Outcome) -> KeptOutcome:
    row, rejected = None, None
    shape: tuple[int, ...] = ()
    environment = outcome.environment
    if environment is not None and outcome.is_accepted:
        await keep_environment(store, environment)
        row = environment_row(workshop, outcome, environment)
        shape = shape_of(environment)
    else:
        rejected = await _rejected(store, outcome)
    return KeptOutcome(
        blueprint_id=outcome.blueprint.blueprint_id,
        environment=row,
        rejected=rejected,
        findings=tuple(_findings(outcome)),
        shape=shape,
        rounds=len(outcome.rounds),
        seconds=round(outcome.seconds, 3),
    )


def environment_row(
    workshop: Workshop, outcome: Outcome, environment: Environment
) -> EnvironmentRow:
    """Return the row of an accepted environment."""
    blueprint = outcome.blueprint
    row = gated_row(
        environment,
        workshop.provider,
        name=blueprint.blueprint_id,
        seconds=outcome.seconds,
    )
    return replace(
        row,
        issue_model=environment.lineage.model or "",
        tokens=environment.lineage.spent.tokens,
        family=blueprint.family,
        scenario=blueprint.scenario,
        capabilities=blueprint.capabilities,
        pattern=blueprint.pattern,
    )


async def _rejected(store: Store, outcome: Outcome) -> RejectedRow:
    last = outcome.rounds[-1].findings[0]
    digest = ""
    if outcome.environment is not None:
        digest = await asyncio.to_thread(_keep_rejected, store, outcome.environment)
    return RejectedRow(
        blueprint_id=outcome.blueprint.blueprint_id,
        family=outcome.blueprint.family,
        digest=digest,
        rounds=len(outcome.rounds),
        reason=last.kind,
        detail=last.evidence[:500],
    )


def _keep_rejected(store: Store, environment: Environment) -> str:
    try:
        with TemporaryDirectory(prefix="envplatform-") as scratch:
            folder = Path(scratch) / "environment"
            digest = write_environment(environment, folder)
            store.put_directory(REJECTED_KIND, digest, folder)
    except EnvPlatformError:  # not whole: its findings are all that can be kept
        return ""
    return digest


def _findings(outcome: Outcome) -> Iterator[FindingRow]:
    for each in outcome.rounds:
        for one in each.findings:
            yield FindingRow(
                blueprint_id=outcome.blueprint.blueprint_id,
                family=outcome.blueprint.family,
                round=each.number,
                kind=one.kind,
                role=one.role,
                check=one.check,
                evidence=one.evidence[:500],
            )
