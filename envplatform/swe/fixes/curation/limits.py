"""The thresholds of the user's settings, in the order of `refusal.REJECTIONS`."""

from collections.abc import Iterator

from envplatform.configuration import CurationSettings
from envplatform.swe.fixes.refusal import REJECTIONS
from envplatform.swe.fixes.reverse_patch import Analysis

_ORDER = {code: place for place, code in enumerate(REJECTIONS)}


def first_limit(analysis: Analysis, settings: CurationSettings) -> tuple[str, str]:
    """Return the first code that an analysis is rejected by, and figure and limit.

    Both are empty if there is none.
    """
    found = {code: REJECTIONS[code] for code in analysis.flags}
    found |= dict(_over(analysis, settings))
    if not found:
        return "", ""
    code = min(found, key=_ORDER.__getitem__)
    return code, found[code]


def _over(analysis: Analysis, settings: CurationSettings) -> Iterator[tuple[str, str]]:
    figures = (
        ("too_many_files", len(analysis.code_paths), settings.max_files),
        ("too_many_lines", analysis.changed_lines, settings.max_changed_lines),
        ("over_context", analysis.context_tokens, settings.max_context_tokens),
    )
    for code, figure, limit in figures:
        if figure > limit:
            yield code, f"{figure:,}, at most {limit:,}"
