"""`curate`: the facts of reverse patches in, one verdict each out, and the funnel.

The first code of `refusal.REJECTIONS` that applies is the one on the row. Of patches
that repeat each other the first in the order of the input stays: callers hand facts
over sorted by repository and instance id, so that equal corpora give equal verdicts.

What a held-out set holds is sought first, whatever its size and licence: what repeats
such a patch goes with it, though it comes earlier or repeats are only marked. So a
fork's copy of a held-out fix is not kept.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from envplatform.configuration import CurationSettings
from envplatform.swe.fixes.analysis.ngrams import unpack_ngrams
from envplatform.swe.fixes.curation.hashes import HeldOut
from envplatform.swe.fixes.curation.licences import licence_verdict
from envplatform.swe.fixes.curation.limits import first_limit
from envplatform.swe.fixes.curation.repeats import Memory
from envplatform.swe.fixes.refusal import REJECTIONS
from envplatform.swe.fixes.reverse_patch import CuratedPatch, ReverseFacts

REVISION = 2
"""Raised whenever equal facts and settings get another verdict."""

_KEPT = "kept"


def curate(
    facts: Callable[[], Iterable[ReverseFacts]],
    settings: CurationSettings,
    held_out: HeldOut,
) -> Iterator[CuratedPatch]:
    """Give a verdict on every reverse patch that was made; refused ones are left out.

    Holds some 3 KB for each one kept or held out, and nothing of the others.

    Args:
        facts: begins to go through them all, in order; called twice.
        settings: limits and policies.
        held_out: sets that must stay unseen.

    Raises:
        ValueError: signatures or 13-grams of another revision of the analysis.
    """
    memory = Memory(similarity=settings.near_duplicate_similarity)
    hits: dict[str, tuple[str, str]] = {}
    for one in facts():
        if not one.refusal and (hit := _held_out(one, held_out)):
            hits[one.instance_id] = hit
            memory.find_or_add(one)
    memory.end_held_out()
    for one in facts():
        if not one.refusal:
            yield _verdict(one, settings, hits.get(one.instance_id), memory)


def funnel(rows: Iterable[CuratedPatch]) -> Mapping[str, int]:
    """Count rows by rejection, in the order of `REJECTIONS`, and those kept last.

    Codes without rows are there with 0. The sum is the number of rows.
    """
    counts = Counter(row.rejection or _KEPT for row in rows)
    return {code: counts[code] for code in (*REJECTIONS, _KEPT)}


def _verdict(
    facts: ReverseFacts,
    settings: CurationSettings,
    hit: tuple[str, str] | None,
    memory: Memory,
) -> CuratedPatch:
    duplicate_of = ""
    code, detail = first_limit(facts.analysis, settings)
    if not code:
        refused = licence_verdict(facts.licence, settings)
        code, detail = ("licence", refused) if refused else ("", "")
    if not code:
        repeat = memory.find_or_add(facts)
        if repeat is not None and repeat.instance_id != facts.instance_id:
            duplicate_of = repeat.instance_id
            if settings.duplicates == "drop" or repeat.of_held_out:
                code = repeat.code
                held = "held out, " if repeat.of_held_out else ""
                detail = f"{duplicate_of}, {held}similarity {repeat.similarity:.2f}"
    if not code and hit:
        code, detail = hit
    analysis = facts.analysis
    return CuratedPatch(
        instance_id=facts.instance_id,
        source=facts.source,
        repository=facts.repository,
        licence=facts.licence,
        rejection=code,
        detail=detail,
        duplicate_of=duplicate_of,
        bug_type=analysis.bug_type,
        context_tokens=analysis.context_tokens,
        changed_lines=analysis.changed_lines,
        code_files=len(analysis.code_paths),
    )


def _held_out(facts: ReverseFacts, held_out: HeldOut) -> tuple[str, str] | None:
    """Code and detail, if a held-out set has its repository, a file or its lines."""
    name = held_out.of_repository(facts.repository)
    if name is not None:
        return "held_out_repository", name
    analysis = facts.analysis
    file = held_out.of_blobs((*analysis.fixed_blobs, *analysis.buggy_blobs))
    if file is not None:
        return "held_out_file", f"{file[0]}, blob {file[1]}"
    if held_out.ngrams and analysis.ngrams:
        lines = held_out.of_ngrams(unpack_ngrams(analysis.ngrams))
        if lines is not None:
            return "held_out_lines", f"{lines[0]}, {lines[1]} shared"
    return None
