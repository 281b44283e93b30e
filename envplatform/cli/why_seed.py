"""What became of a seed: an environment, refused by the gate, or not tried yet."""

from dataclasses import dataclass

from rich.console import Console

from envplatform.bundle import CheckResult
from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import OF_SEEDS
from envplatform.cli.output import say
from envplatform.grading.kept import kept_environment
from envplatform.grading.publish import REFUSED, RefusedTask
from envplatform.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedFate:
    """All that is known of one seed."""

    name: str
    environment: EnvironmentRow | None
    refused: RefusedTask | None
    audit: tuple[CheckResult, ...]
    """Of the environment; empty where it was refused."""
    conclusion: str


def find_seed_fate(store: Store, name: str) -> SeedFate | None:
    """Return what became of the seed of that name or environment id; None: none is.

    Raises:
        StoreError: its environment is not in the store any more.
        BundleError: it is not what its digest says.
    """
    for row in store.all_rows(EnvironmentRow, OF_SEEDS):
        if name in (row.candidate_id, row.environment_id, row.digest):
            return SeedFate(
                name=row.candidate_id,
                environment=row,
                refused=None,
                audit=kept_environment(store, row).audit,
                conclusion=f"passed the gate as environment {row.environment_id}",
            )
    for refused in store.all_rows(RefusedTask, REFUSED):
        if name in (refused.name, refused.environment_id):
            return SeedFate(
                name=refused.name,
                environment=None,
                refused=refused,
                audit=(),
                conclusion=f"refused: {refused.reason}: {refused.detail}",
            )
    return None


def show_seed_fate(console: Console, fate: SeedFate) -> None:
    """Print it for a person."""
    say(console, fate.name, "bold")
    say(console, fate.conclusion)
    for check in fate.audit:
        say(console, f"  {check.name}: {check.status}: {check.evidence}")
