"""What decides the rows of the group `bugs`."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from envplatform.configuration import Configuration
from envplatform.store import Store, combined_digest
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.reverse_patch import CuratedPatch
from envplatform.swe.inducers.base import REFUSED_ANSWERS
from envplatform.swe.inducers.mined import (
    REVISION as MINED,
)
from envplatform.swe.inducers.mined import (
    BugPattern,
    PatternLibrary,
    library_of,
)
from envplatform.swe.p2f.request import runner_digest, screen_tree
from envplatform.swe.report import REJECTED
from envplatform.swe.targets import sources_of
from envplatform.swe.targets.catalogue import find_target
from envplatform.swe.verifier.files import verifier_digest
from envplatform.tree import tree_digest

REAL_FIXES = "curated_reverse_patches"
"""Table of the fixes that synthetic bugs are compared with."""


def target_sources(
    configuration: Configuration, repository: str, _: Store
) -> dict[str, str]:
    """What a target repository is read from."""
    return sources_of(find_target(configuration.targets, repository))


def synthesis(*keys: str) -> Callable[[Configuration], dict[str, Any]]:
    """The keys of `[synthesis]` that decide an asset's rows, and no others."""

    def read(configuration: Configuration) -> dict[str, Any]:
        return configuration.synthesis.model_dump(include=set(keys))

    return read


def suite_runner(_: object) -> dict[str, str]:
    """What runs the suites: its code decides what a baseline or a verdict says."""
    return {"suite runner": runner_digest()}


def suite_screen(_: object) -> dict[str, str]:
    """What decides a verdict: the runner and the screen beside it."""
    return {"suite screen": tree_digest(screen_tree())}


def shipped_verifier(_: object) -> dict[str, str]:
    """What environments are graded by: they carry its code with them."""
    return {"verifier": verifier_digest()}


PATTERNS = "mined_patterns"


def report_sources(resources: Any) -> dict[str, str]:  # noqa: ANN401  Dagster's
    """What the report reads though it depends on no asset for it.

    Verdicts that reject and refused answers are in no asset; real fixes may never have been made, and
    a report without them is a report all the same.
    """
    store = resources.store.open()
    return {
        table: combined_digest(store.manifests(table))
        for table in (REJECTED, REFUSED_ANSWERS, REAL_FIXES)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _RealFix:
    """A verdict of curation, without what takes room."""

    VIEW_OF: ClassVar[type] = CuratedPatch

    rejection: str
    bug_type: BugType


def real_bug_types(store: Store) -> Counter[BugType]:
    """How many curated fixes are of each type; empty if none were ever curated."""
    if store.manifest(REAL_FIXES) is None:
        return Counter()
    rows = store.scan(_RealFix, REAL_FIXES)
    return Counter(row.bug_type for row in rows if not row.rejection)


def mined_tools(configuration: Configuration) -> dict[str, str]:
    """The `mined` inducer, where it is asked; its revision stands for what ships."""
    asked = "mined" in configuration.synthesis.inducers
    return {"mined inducer": str(MINED)} if asked else {}


def mined_tables(configuration: Configuration, _: str = "") -> tuple[str | None, ...]:
    """The table of patterns, where `mined` is asked.

    They may never have been mined: then those that ship are used, so that bugs need no
    fixes.
    """
    return (None,) if "mined" in configuration.synthesis.inducers else ()


def pattern_library(store: Store) -> PatternLibrary | None:
    """Patterns mined from the training set; None if none were."""
    if store.manifest(PATTERNS) is None:
        return None
    return library_of(store.rows(BugPattern, PATTERNS))
