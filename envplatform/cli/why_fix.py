"""What became of a published fix: turned around and kept, or left behind, and why."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from rich.console import Console
from rich.syntax import Syntax

from envplatform.cli.output import harmless, say
from envplatform.store import Store
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.reverse_patch import (
    CuratedPatch,
    ReversePatch,
    TrainingRow,
)

CORPUS = "fix_corpus"
QUARANTINED = "quarantined_fixes"
REVERSED = "reverse_patches"


class _OfInstance(Protocol):
    @property
    def instance_id(self) -> str: ...


Row = TypeVar("Row", bound=_OfInstance)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    """An instance of the corpus, by name alone."""

    VIEW_OF: ClassVar[type] = FixInstance

    instance_id: str
    source: str
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
    """Empty if the row could not be read so far."""
    conclusion: str
    rung: str = ""
    """Empty, as all below, if it was not turned around."""
    bug_type: str = ""
    bug_evidence: tuple[str, ...] = ()
    bug_patch: str = ""


def find_fix_fate(store: Store, name: str) -> FixFate | None:
    """Gather what the tables hold on the instance of exactly this id; None: nothing."""
    if not name:
        return None  # as rows are called that have no id
    published = _find(store, _Published, CORPUS, None, name)
    if published is None:
        return _quarantined(store, name)
    row = _find(store, ReversePatch, REVERSED, published.repository, name)
    if row is None:
        return FixFate(
            instance_id=name,
            source=published.source,
            repository=published.repository,
            conclusion=_not_reversed(store, published.repository),
        )
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


def _find(
    store: Store, row_type: type[Row], asset: str, partition: str | None, name: str
) -> Row | None:
    """Row of exactly this instance; None also where nothing is stored."""
    if store.manifest(asset, partition) is None:
        return None
    rows = store.scan(row_type, asset, partition)
    return next((row for row in rows if row.instance_id == name), None)


def _quarantined(store: Store, name: str) -> FixFate | None:
    row = _find(store, QuarantinedRow, QUARANTINED, None, name)
    if row is None:
        return None
    return FixFate(
        instance_id=name,
        source=row.source,
        repository="",
        conclusion=f"quarantined: {row.reason}: {row.detail} ({row.row})",
    )


def _not_reversed(store: Store, repository: str) -> str:
    for failure in store.failures(REVERSED):
        if failure.partition == repository:
            return f"not turned around: {repository} failed: {failure.message}"
    return "published; not turned around yet (materialise reverse_patches)"


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
    name = row.instance_id
    verdict = _find(store, CuratedPatch, "curated_reverse_patches", None, name)
    if verdict is None:
        return "turned around after the last curation"
    if verdict.rejection:
        return f"rejected: {verdict.rejection}: {verdict.detail}"
    if store.manifest("bug_training_set") is None:
        return "kept; no training set drawn yet (materialise bug_training_set)"
    one = _find(store, _Drawn, "bug_training_set", None, name)
    return f"kept; in the {one.split} split" if one else "kept; not drawn"
