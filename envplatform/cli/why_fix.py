"""What became of a published fix: turned around and kept, or left behind, and why."""

from dataclasses import dataclass
from typing import ClassVar

from rich.console import Console
from rich.syntax import Syntax

from envplatform.cli.output import harmless, say
from envplatform.store import Store
from envplatform.swe.fixes.reverse_patch import (
    CuratedPatch,
    ReversePatch,
    TrainingRow,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a reverse patch is."""

    VIEW_OF: ClassVar[type] = ReversePatch

    instance_id: str
    repository: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """Which rows a training set has."""

    VIEW_OF: ClassVar[type] = TrainingRow

    instance_id: str
    split: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FixFate:
    """All that is known of one instance."""

    instance_id: str
    source: str
    repository: str
    rung: str
    bug_type: str
    bug_evidence: tuple[str, ...]
    bug_patch: str
    conclusion: str


def find_fix_fate(store: Store, name: str) -> FixFate | None:
    """Gather what the tables hold on the instance of exactly this id; None: nothing."""
    place = next(
        (
            row
            for manifest in store.manifests("reverse_patches")
            for row in store.scan(_Place, "reverse_patches", manifest.partition)
            if row.instance_id == name
        ),
        None,
    )
    if place is None:
        return None
    rows = store.scan(ReversePatch, "reverse_patches", place.repository)
    row = next(row for row in rows if row.instance_id == name)
    return FixFate(
        instance_id=name,
        source=row.source,
        repository=row.repository,
        rung=row.rung,
        bug_type=row.analysis.bug_type,
        bug_evidence=row.analysis.bug_evidence,
        bug_patch=row.bug_patch,
        conclusion=_conclude(store, row),
    )


def show_fix_fate(console: Console, fate: FixFate) -> None:
    """Draw it."""
    say(console, fate.instance_id, "bold")
    say(console, fate.conclusion)
    if fate.bug_patch:
        rules = ", ".join(fate.bug_evidence) or "no rule"
        say(console, f"bug type {fate.bug_type} ({rules}), patch rung {fate.rung}")
        console.print(Syntax(harmless(fate.bug_patch), "diff"))


def _conclude(store: Store, row: ReversePatch) -> str:
    if row.refusal:
        return f"refused: {row.refusal}: {row.detail}"
    if store.manifest("curated_reverse_patches") is None:
        return "turned around; not curated yet (materialise curated_reverse_patches)"
    curated = store.scan(CuratedPatch, "curated_reverse_patches")
    verdict = next((one for one in curated if one.instance_id == row.instance_id), None)
    if verdict is None:
        return "turned around after the last curation"
    if verdict.rejection:
        return f"rejected: {verdict.rejection}: {verdict.detail}"
    if store.manifest("bug_training_set") is None:
        return "kept; no training set drawn yet (materialise bug_training_set)"
    drawn = store.scan(_Drawn, "bug_training_set")
    one = next((one for one in drawn if one.instance_id == row.instance_id), None)
    return f"kept; in the {one.split} split" if one else "kept; not drawn"
