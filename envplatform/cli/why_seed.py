"""What became of a seed: an environment, or refused by the gate; not tried: nothing."""

from dataclasses import dataclass

from rich.console import Console

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import OF_SEEDS, stored_levels
from envplatform.cli.output import say
from envplatform.grading.publish import AUDITS, REFUSED, AuditRow, RefusedTask
from envplatform.res.rows import REFUSED as REFUSED_CHILDREN
from envplatform.res.rows import RefusedChild
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
    return _level_fate(store, name)


def _level_fate(store: Store, name: str) -> SeedFate | None:
    """Return what became of a level of a lineage, accepted or refused."""
    for level in stored_levels(store):
        row = level.environment
        if name in (row.environment_id, row.digest):
            repairs = [one for each in level.attempts for one in each.diagnostics]
            told = f"; refused before: {'; '.join(repairs)}" if repairs else ""
            return SeedFate(
                name=row.environment_id,
                environment=row,
                refused=None,
                audit=(),
                conclusion=f"accepted as level {level.level} of {level.seed_name}: "
                f"{', '.join(level.operators)}; passed {', '.join(level.checks)}{told}",
            )
    for child in store.all_rows(RefusedChild, REFUSED_CHILDREN):
        if name == f"seed.{child.seed_name}.level{child.level}":
            return SeedFate(
                name=name,
                environment=None,
                refused=None,
                audit=(),
                conclusion=f"refused, {len(child.attempts)} proposals: {child.why}",
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
