"""What became of a seed: an environment, or refused by the gate; not tried: nothing."""

from dataclasses import dataclass

from rich.console import Console

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import OF_SEEDS
from envplatform.cli.output import say
from envplatform.grading.publish import AUDITS, REFUSED, AuditRow, RefusedTask
from envplatform.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedFate:
    """All that is known of one seed."""

    name: str
    environment: EnvironmentRow | None
    refused: RefusedTask | None
    audit: tuple[AuditRow, ...]
    """What each check said; empty where it could not be opened at all."""
    conclusion: str


def find_seed_fate(store: Store, name: str) -> SeedFate | None:
    """Return what became of the seed of that name or environment id; None: none is."""
    for row in store.all_rows(EnvironmentRow, OF_SEEDS):
        if name in (row.candidate_id, row.environment_id, row.digest):
            return SeedFate(
                name=row.candidate_id,
                environment=row,
                refused=None,
                audit=_audit(store, row.candidate_id),
                conclusion=f"passed the gate as environment {row.environment_id}",
            )
    for refused in store.all_rows(RefusedTask, REFUSED):
        if name in (refused.name, refused.environment_id):
            return SeedFate(
                name=refused.name,
                environment=None,
                refused=refused,
                audit=_audit(store, refused.name),
                conclusion=f"refused: {refused.reason}: {refused.detail}",
            )
    return None


def _audit(store: Store, name: str) -> tuple[AuditRow, ...]:
    if store.manifest(AUDITS, name) is None:
        return ()
    return tuple(store.rows(AuditRow, AUDITS, name))


def show_seed_fate(console: Console, fate: SeedFate) -> None:
    """Print it for a person."""
    say(console, fate.name, "bold")
    say(console, fate.conclusion)
    for one in fate.audit:
        say(console, f"  {one.check}: {one.status.replace('_', ' ')}: {one.evidence}")
