"""Instances of one repository to rows of `reverse_patches`, none left out."""

import gc
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from envplatform.patches import REVISION as PATCHING
from envplatform.store import ResultCache, result_key
from envplatform.swe.fixes.analysis.analyse import REVISION as ANALYSING
from envplatform.swe.fixes.analysis.analyse import analyse, analysis_digest
from envplatform.swe.fixes.bug_types.classify import REVISION as CLASSIFYING
from envplatform.swe.fixes.history import History
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.reconstruct import REVISION as RECONSTRUCTING
from envplatform.swe.fixes.reconstruct import prefetch, reconstruct
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.reverse_patch import Analysis, CodeFile, ReversePatch
from envplatform.swe.fixes.sides import Sides
from envplatform.tree import Tree

REVISION = 1
"""Raised when equal instances give other rows for a reason that stands here."""

REVERSED = "reversed"
"""What a row is that was not refused."""

_AT_ONCE = 256
"""Instances whose files are fetched together."""


class Tally:
    """Counts rows as they pass, for who writes them without holding them."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        """`reversed`, or the code of the refusal, to rows."""
        self.rungs: Counter[str] = Counter()
        """Of the patch ladder, to reversed rows."""
        self.facts: dict[str, int] = {}
        """Figures for a person; empty until the last row has passed."""

    def watch(self, rows: Iterable[ReversePatch]) -> Iterator[ReversePatch]:
        """Pass the rows on, each counted."""
        for row in rows:
            self.outcomes[row.refusal or REVERSED] += 1
            if row.rung:
                self.rungs[row.rung] += 1
            yield row
        done = self.outcomes[REVERSED]
        self.facts |= {"reversed": done, "refused": self.outcomes.total() - done}


def tools() -> Mapping[str, str]:
    """What shapes the rows beside their inputs, for recipes and cached results."""
    return {
        "patches": str(PATCHING),
        "reconstruction": str(RECONSTRUCTING),
        "analysis": str(ANALYSING),
        "bug types": str(CLASSIFYING),
        # What parses is a question to the running interpreter.
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def reverse(
    instances: Iterable[FixInstance], history: History, results: ResultCache
) -> Iterator[ReversePatch]:
    """Yield one row an instance, in order: turned around, or refused with a reason.

    Args:
        instances: of one repository; a few hundred are held at a time.
        history: where their files are.
        results: analyses made before; they depend on the files alone.

    Raises:
        FixSourceError: network or repository failed; nothing is known of the rest.
    """
    waiting = iter(instances)
    while chunk := list(islice(waiting, _AT_ONCE)):
        prefetch(chunk, history)
        for instance in chunk:
            yield _row(instance, history, results)


def _row(instance: FixInstance, history: History, results: ResultCache) -> ReversePatch:
    licence = history.licence(instance)
    try:
        with _collector_paused():
            sides = reconstruct(instance, history)
            analysis = _analysis(sides, results)
    except Refused as refused:
        return _made(instance, licence, refusal=refused.code, detail=refused.detail)
    return _made(instance, licence, sides=sides, analysis=analysis)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep Python from looking for cycles while a syntax tree is built.

    Each new node counts towards a search through all that lives, Dagster included:
    parsing took 11.5 ms a file of 34 kB with the collector and 4.3 ms without.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _analysis(sides: Sides, results: ResultCache) -> Analysis:
    key = result_key(
        revision=REVISION,
        inputs={"sides": analysis_digest(sides)},
        config=None,
        tools=tools(),
    )
    known = results.get_row(key, Analysis)
    if known is None:
        known = analyse(sides)
        results.put_row(key, known)
    return known


def _made(
    instance: FixInstance,
    licence: str,
    *,
    sides: Sides | None = None,
    analysis: Analysis | None = None,
    refusal: str = "",
    detail: str = "",
) -> ReversePatch:
    analysis = analysis or Analysis()
    return ReversePatch(
        instance_id=instance.instance_id,
        source=instance.source,
        repository=instance.repository,
        licence=licence,
        created_at=instance.created_at,
        refusal=refusal,
        detail=detail,
        rung=sides.rung if sides else "",
        bug_patch=sides.bug_patch if sides else "",
        code=_code(sides, analysis) if sides else (),
        analysis=analysis,
    )


def _code(sides: Sides, analysis: Analysis) -> tuple[CodeFile, ...]:
    return tuple(
        CodeFile(path=path, fixed=_text(sides.fixed, path))
        for path in analysis.code_paths
    )


def _text(tree: Tree, path: str) -> str | None:
    file = tree.get(path)
    return None if file is None else file.data.decode("utf-8", "surrogateescape")
