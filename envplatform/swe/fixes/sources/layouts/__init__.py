"""Layouts of rows, by the names that `envplatform.toml` gives them."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from envplatform.configuration import FixLayout
from envplatform.swe.fixes.sources.layouts.base import Layout, Place
from envplatform.swe.fixes.sources.layouts.commits import MINED, TESTS4PY
from envplatform.swe.fixes.sources.layouts.issue import (
    SWE_BENCH,
    SWE_BENCH_LIVE,
    SWE_FIXER,
    SWE_GYM,
    SWE_REBENCH,
    SWE_REBENCH_V2,
)
from envplatform.swe.fixes.sources.layouts.r2e import R2E_GYM
from envplatform.swe.fixes.sources.layouts.smith import SWE_SMITH, is_mirror

__all__ = ["LAYOUTS", "Layout", "Place", "describe_layouts", "detect_layout"]

LAYOUTS: Mapping[FixLayout, Layout] = MappingProxyType(
    {
        layout.name: layout
        for layout in (
            SWE_BENCH,
            SWE_BENCH_LIVE,
            SWE_REBENCH,
            SWE_REBENCH_V2,
            SWE_GYM,
            SWE_FIXER,
            R2E_GYM,
            SWE_SMITH,
            TESTS4PY,
            MINED,
        )
    }
)
"""All but `auto`, which is none, and `bugsinpy`, whose bugs are folders."""

_MARKS: tuple[tuple[Layout, frozenset[str]], ...] = (
    (TESTS4PY, frozenset({"fixed_commit"})),
    (MINED, frozenset({"fix_commit", "message"})),
    (SWE_REBENCH_V2, frozenset({"language", "interface"})),
    (SWE_REBENCH, frozenset({"install_config"})),
    (SWE_REBENCH, frozenset({"license_name"})),
    (SWE_BENCH_LIVE, frozenset({"all_hints_text"})),
    (SWE_BENCH_LIVE, frozenset({"diff_base"})),
)
"""Columns that only one set has, asked in this order."""


def detect_layout(columns: Collection[str], *, repository: str = "") -> Layout | None:
    """Tell a layout by its columns, and by the repository of the first row.

    SWE-bench, SWE-Gym and SWE-Fixer can't be told apart, nor need they be: all are read
    alike, and called `swe-bench`. SWE-smith must be told, for its patches point the other
    way: by the name of its mirrors, or as the set that has images and no test patch.

    Returns:
        None: nothing known, or not all that it requires is there.
    """
    layout = next(
        (layout for layout, marks in _MARKS if marks.issubset(columns)),
        SWE_SMITH if _is_smith(columns, repository) else SWE_BENCH,
    )
    if "parsed_commit_content" in columns:
        layout = R2E_GYM
    candidates = (layout, SWE_FIXER)
    return next((each for each in candidates if not each.missing(columns)), None)


def _is_smith(columns: Collection[str], repository: str) -> bool:
    return is_mirror(repository) or (
        "image_name" in columns and "test_patch" not in columns
    )


def describe_layouts() -> str:
    """Every layout with what it requires, one a line, for messages."""
    return "\n".join(
        f"  {layout.name}: {', '.join(' or '.join(names) for names in layout.required)}"
        for layout in LAYOUTS.values()
    )
