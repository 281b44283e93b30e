"""From the drawn instances to rows of supervision."""

from collections.abc import Iterable, Iterator, Mapping

from envplatform.patches import parse_patch, render_patch
from envplatform.patches.model import Patch
from envplatform.swe.fixes.curation.sampling import Chosen
from envplatform.swe.fixes.reverse_patch import ReversePatch, TrainingRow

REVISION = 1
"""Raised when equal reverse patches give other rows."""


def training_rows(
    reversed_fixes: Iterable[ReversePatch], chosen: Mapping[str, Chosen]
) -> Iterator[TrainingRow]:
    """Yield a row for each chosen instance, in the order in which they come."""
    for row in reversed_fixes:
        one = chosen.get(row.instance_id)
        if one is None or one.repository != row.repository:
            continue  # of a repository that the corpus lost, or spells otherwise now
        yield TrainingRow(
            instance_id=row.instance_id,
            repository=row.repository,
            licence=row.licence,
            split=one.split,
            bug_type=row.analysis.bug_type,
            context_tokens=row.analysis.context_tokens,
            code=row.code,
            bug_patch=code_part(row.bug_patch, row.analysis.code_paths),
        )


def code_part(patch: str, code_paths: Iterable[str]) -> str:
    """Return the diff of the code files alone; canonical as the whole is."""
    wanted = set(code_paths)
    files = tuple(file for file in parse_patch(patch).files if file.path in wanted)
    return render_patch(Patch(files=files))
