"""The leak check: what an issue shares with a patch and with nothing else."""

import pytest

from envplatform.patches import diff_trees
from envplatform.swe.issue import Leak, find_leaks
from envplatform.tree import File

HEALTHY = b"""def total(values):
    grand_sum = 0
    for value in values:
        grand_sum = combine(grand_sum, value, 1)
    return grand_sum
"""
PATCH = diff_trees(
    {"pkg/sums.py": File(HEALTHY)},
    {"pkg/sums.py": File(HEALTHY.replace(b"value, 1)", b"value, 2)"))},
)
SEEN = "from pkg import total\n\ndef test_total():\n    assert total([1]) == 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "# `total` is wrong\n\n`total([1])` gives `2`, not `1`.",
        "The value is wrong, and I can combine nothing.",
        "```\nTraceback (most recent call last):\n  ...\nE: pkg\n```",
        "",
    ],
)
def test_a_blind_issue_has_no_leak(text: str) -> None:
    """Words of English that are names in the patch are no leak outside of code."""
    assert find_leaks(text, patch=PATCH, seen=SEEN) == ()


@pytest.mark.parametrize(
    ("text", "leak"),
    [
        ("Look at pkg/sums.py, please.", Leak(kind="path", what="pkg/sums.py")),
        ("It is in sums.py I think.", Leak(kind="path", what="sums.py")),
        ("See `pkg.sums` for it.", Leak(kind="path", what="pkg.sums")),
        (
            "The grand_sum is off.",
            Leak(kind="identifier", what="grand_sum"),
        ),
        ("The call of `combine` is off.", Leak(kind="identifier", what="combine")),
        (
            "```python\ncombine(a)\n```",
            Leak(kind="identifier", what="combine"),
        ),
        (
            "It says (grand_sum, value, 1) there.",
            Leak(kind="passage", what="grand_sum , value , 1"),
        ),
        (
            "It says (grand_sum, value, 2) there.",
            Leak(kind="passage", what="grand_sum , value , 2"),
        ),
    ],
)
def test_what_only_the_patch_can_tell_is_a_leak(text: str, leak: Leak) -> None:
    """Path, module, identifiers and passages, of either side of the patch."""
    assert leak in find_leaks(text, patch=PATCH, seen=SEEN)


def test_what_the_writer_was_shown_is_no_leak() -> None:
    """A failing test may name the very function that is broken."""
    text = "The call of `combine` in sums.py: (grand_sum, value, 1)."
    assert find_leaks(text, patch=PATCH, seen=f"{SEEN}\nsums.py\n{text}") == ()


def test_a_leak_reads_as_one_line() -> None:
    """It ends up in a report of refused environments."""
    assert str(Leak(kind="path", what="sums.py")) == "path 'sums.py'"
