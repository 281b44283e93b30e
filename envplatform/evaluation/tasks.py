"""What is attempted: published environments as tasks, and which of them are kin."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from envplatform.bundle.environment import Pillar
from envplatform.bundle.row import EnvironmentRow
from envplatform.res.rows import LevelRow

NO_SCENARIO = "none"
"""Scenario of what has none: all but Cowork, and what was grown from Cowork."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One environment as something to be solved."""

    task: str
    """Digest of the environment."""
    environment_id: str
    pillar: Pillar
    scenario: str
    lineage: str
    """Digest of the root that it was grown from, else its own. Tasks of one lineage
    depend on each other: intervals are drawn over lineages.
    """
    parent: str
    """Digest of what it was made of; empty for a root."""
    depth: int
    """Levels below the root."""
    writers: tuple[str, ...]
    """Models that its rows name: of its issue, and of each level above it."""


def tasks_of(
    rows: Iterable[EnvironmentRow], levels: Iterable[LevelRow]
) -> dict[str, Task]:
    """Return all tasks by digest: plain environments, and levels below their roots.

    A level whose parent is in no row is its own parent's heir all the same: its lineage
    is the root that it names.
    """
    found: dict[str, Task] = {}
    for row in rows:
        found.setdefault(row.digest, _plain(row))
    for level in sorted(levels, key=lambda one: one.level):
        digest = level.environment.digest
        if digest not in found:
            found[digest] = _level(level, found)
        elif level.model:
            known = found[digest]
            writers = tuple(dict.fromkeys((*known.writers, level.model)))
            found[digest] = replace(known, writers=writers)
    return found


def _plain(row: EnvironmentRow) -> Task:
    return Task(
        task=row.digest,
        environment_id=row.environment_id,
        pillar=row.pillar,
        scenario=row.scenario or NO_SCENARIO,
        lineage=row.digest,
        parent="",
        depth=0,
        writers=(row.issue_model,) if row.issue_model else (),
    )


def _level(level: LevelRow, found: dict[str, Task]) -> Task:
    above = found.get(level.parent)
    row = level.environment
    own = [name for name in (row.issue_model, level.model) if name]
    inherited = above.writers if above else ()
    return Task(
        task=row.digest,
        environment_id=row.environment_id,
        pillar=row.pillar,
        scenario=row.scenario or (above.scenario if above else NO_SCENARIO),
        lineage=above.lineage if above else level.root,
        parent=level.parent,
        depth=above.depth + 1 if above else level.level,
        writers=tuple(dict.fromkeys((*inherited, *own))),
    )
