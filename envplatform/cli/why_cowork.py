"""What became of a cowork blueprint: an environment, or rejected with what was found."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import OF_COWORK, find_one
from envplatform.cli.output import say
from envplatform.cowork.blueprint import Blueprint, shard_of
from envplatform.cowork.keeping import REJECTED_KIND
from envplatform.cowork.rows import FINDINGS, REJECTED, FindingRow, RejectedRow
from envplatform.errors import StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.store import Store

Row = TypeVar("Row")
BLUEPRINTS = "task_blueprints"
_BEGINS = "cowork."


@dataclass(frozen=True, slots=True, kw_only=True)
class CoworkFate:
    """All that is known of one blueprint."""

    blueprint: Blueprint
    environment: EnvironmentRow | None
    rejected: RejectedRow | None
    folder: Path | None
    """Where the environment lies, the rejected one too; None: none was kept."""
    rounds: int
    """Of build, execute, revise that it took; 0 if nothing was made yet."""
    findings: tuple[FindingRow, ...]
    """Of all rounds, in order."""
    conclusion: str


def find_cowork_fate(store: Store, name: str) -> CoworkFate | None:
    """Return what became of the blueprint of that id, or unique start of one, or digest.

    None: the name is no blueprint's.

    Raises:
        StoreError: no or several blueprints start so.
    """
    named = name if name.startswith(_BEGINS) else _made_as(store, name)
    if named is None:
        return None
    shard = shard_of(named)
    stored = [str(one.partition) for one in store.manifests(BLUEPRINTS)]
    shards = [shard] if shard in stored else stored
    blueprint = find_one(
        (row for shard in shards for row in _rows(store, Blueprint, BLUEPRINTS, shard)),
        named,
        names=lambda row: (row.blueprint_id,),
        what="blueprint",
    )
    return _fate(store, blueprint)


def _made_as(store: Store, digest: str) -> str | None:
    for row in store.all_rows(EnvironmentRow, OF_COWORK):
        if row.digest == digest:
            return row.candidate_id
    for one in store.all_rows(RejectedRow, REJECTED):
        if digest and one.digest == digest:
            return one.blueprint_id
    return None


def _fate(store: Store, blueprint: Blueprint) -> CoworkFate:
    shard, name = str(blueprint.cowork_seed), blueprint.blueprint_id
    rows = _rows(store, EnvironmentRow, OF_COWORK, shard)
    environment = next((row for row in rows if row.candidate_id == name), None)
    refused = _rows(store, RejectedRow, REJECTED, shard)
    rejected = next((row for row in refused if row.blueprint_id == name), None)
    told = _rows(store, FindingRow, FINDINGS, shard)
    findings = tuple(row for row in told if row.blueprint_id == name)
    rounds = rejected.rounds if rejected else 0
    if environment is not None:  # its last round found nothing
        rounds = 1 + max((one.round + 1 for one in findings), default=0)
    return CoworkFate(
        blueprint=blueprint,
        environment=environment,
        rejected=rejected,
        folder=_folder(store, environment, rejected),
        rounds=rounds,
        findings=findings,
        conclusion=_conclude(store, shard, environment, rejected, rounds),
    )


def _rows(store: Store, kind: type[Row], asset: str, shard: str) -> list[Row]:
    return store.rows(kind, asset, shard) if store.manifest(asset, shard) else []


def _folder(
    store: Store, environment: EnvironmentRow | None, rejected: RejectedRow | None
) -> Path | None:
    try:
        if environment is not None:
            return store.directory(DIRECTORY_KIND, environment.digest)
        if rejected is not None and rejected.digest:
            return store.directory(REJECTED_KIND, rejected.digest)
    except StoreError:  # deleted since
        return None
    return None


def _conclude(
    store: Store,
    shard: str,
    environment: EnvironmentRow | None,
    rejected: RejectedRow | None,
    rounds: int,
) -> str:
    times = f"{rounds} round{'' if rounds == 1 else 's'}"
    if environment is not None:
        return f"accepted after {times} as environment {environment.digest}"
    if rejected is not None:
        return f"rejected after {times}: {rejected.reason}: {rejected.detail}"
    for failure in store.failures(OF_COWORK):
        if failure.partition == shard:
            return f"not made: shard {shard} failed: {failure.message}"
    if store.manifest(OF_COWORK, shard) is not None:
        return "planned after its shard was made (materialise cowork_environments)"
    return "planned; not made yet (materialise cowork_environments)"


def show_cowork_fate(console: Console, fate: CoworkFate) -> None:
    """Print it for a person."""
    one = fate.blueprint
    say(console, one.blueprint_id, "bold")
    say(console, fate.conclusion)
    say(console, f"{one.scenario}, {one.pattern.replace('_', ' ')}, for {one.persona}")
    for found in fate.findings:
        say(
            console,
            f"  round {found.round + 1}, {found.role}: {found.kind} "
            f"({found.check}): {found.evidence}",
        )
    if fate.folder is not None:
        say(console, f"in {fate.folder.absolute()}")
