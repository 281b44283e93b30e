"""Large files: still minimal where it counts, and still right where it does not."""

import io
import random
import time

import pytest

from envplatform.errors import PatchError
from envplatform.patches import (
    added_lines,
    apply_patch,
    apply_with_ladder,
    diff_trees,
    removed_lines,
    reversed_patch,
)
from envplatform.tree import File


def test_ten_thousand_lines_with_scattered_edits_give_a_minimal_diff() -> None:
    """Half of the lines are blank or alike, as in real code."""
    choice = random.Random(7)  # noqa: S311
    common = [b"\n", b"    return None\n", b"    pass\n", b'    """\n']
    old = [
        choice.choice(common) if n % 2 else b"    value_%d = compute(%d)\n" % (n, n)
        for n in range(10_000)
    ]
    new = list(old)
    for n in range(500, 9_500, 90):
        new[n] = b"    changed_%d\n" % n
    patch = diff_trees({"f": File(b"".join(old))}, {"f": File(b"".join(new))})
    assert len(added_lines(patch)) == len(removed_lines(patch)) == 100
    assert patch.count("\n@@ ") == 100


def test_two_large_files_of_few_different_lines_still_round_trip() -> None:
    """No line is unique and nothing anchors: longer than needed is allowed, wrong is not."""
    choice = random.Random(11)  # noqa: S311
    lines = [b"%d\n" % n for n in range(5)]
    old = {"f": File(b"".join(choice.choices(lines, k=10_000)))}
    new = {"f": File(b"".join(choice.choices(lines, k=10_000)))}
    assert apply_patch(old, diff_trees(old, new)) == new


LINES = 300_000
"""About 10 MB."""


@pytest.fixture(scope="module")
def large() -> bytes:
    """Build 10 MB in which every line stands once."""
    lines = (b"    value_%07d = compute(%d)\n" % (n, n) for n in range(LINES))
    return b"".join(lines)


@pytest.fixture(scope="module")
def changed(large: bytes) -> bytes:
    """Change one line in thirty."""
    return b"".join(
        b"    changed_%d\n" % n if n % 30 == 15 else line
        for n, line in enumerate(io.BytesIO(large).readlines())
    )


@pytest.fixture(scope="module")
def patch(large: bytes, changed: bytes) -> str:
    """Return 10,000 hunks."""
    text = diff_trees({"f": File(large)}, {"f": File(changed)})
    assert text.count("\n@@ ") == 10_000
    return text


@pytest.mark.parametrize("rung", ["strict", "recounted", "line_endings", "relocated"])
def test_ten_thousand_hunks_in_ten_megabytes_take_seconds(
    patch: str, rung: str, large: bytes, changed: bytes
) -> None:
    """At every rung: no search is made once a hunk, no text copied once a hunk."""
    old, new = large, changed
    if rung == "recounted":
        patch = patch.replace(",7 @@", ",8 @@")
    elif rung == "line_endings":
        old, new = (data.replace(b"\n", b"\r\n") for data in (old, new))
    elif rung == "relocated":
        old, new = b"first\n" + old, b"first\n" + new
    before_s = time.process_time()
    applied = apply_with_ladder({"f": File(old)}, patch)
    assert time.process_time() - before_s < 20
    assert applied.rung == rung
    assert applied.tree["f"].data == new


def test_ten_thousand_hunks_turn_around_in_seconds(
    patch: str, large: bytes, changed: bytes
) -> None:
    """Each hunk is looked at once."""
    before_s = time.process_time()
    back = reversed_patch(patch)
    assert time.process_time() - before_s < 20
    assert apply_patch({"f": File(changed)}, back)["f"].data == large


def test_ten_thousand_hunks_that_fit_nowhere_are_refused_in_seconds(
    patch: str, large: bytes
) -> None:
    """The first one ends it."""
    before_s = time.process_time()
    with pytest.raises(PatchError, match="hunk 1: its lines stand nowhere"):
        apply_with_ladder({"f": File(large.replace(b"value", b"word"))}, patch)
    assert time.process_time() - before_s < 20


def test_a_file_made_to_be_searched_for_ever_is_given_up() -> None:
    """Every line stands everywhere, no line stands alone, and no hunk fits early."""
    lines = [b"a\n"] * 200_000 + [b"b\n"]
    hunk = "@@ -9,201 +9,200 @@\n" + " a\n" * 199 + "-a\n" + " c\n"
    tree = {"f": File(b"".join([*lines, b"c\n"]))}
    before_s = time.process_time()
    with pytest.raises(PatchError, match="stand nowhere"):
        apply_with_ladder(tree, "--- a/f\n+++ b/f\n" + hunk)
    tree = {"f": File(b"".join(lines * 2 + [b"c\n", b"b\n"] * 200_000))}
    hunk = "@@ -9,202 +9,201 @@\n" + " a\n" * 199 + "-a\n" + " c\n" + " b\n"
    with pytest.raises(PatchError, match="repeats itself too much"):
        apply_with_ladder(tree, "--- a/f\n+++ b/f\n" + hunk)
    assert time.process_time() - before_s < 20


def test_one_long_line_is_no_harder_than_many() -> None:
    """10 MB without any line end, as in bundled scripts."""
    old, new = {"f": File(b"x" * 10**7)}, {"f": File(b"x" * 10**7 + b"y\n")}
    before_s = time.process_time()
    assert apply_patch(old, diff_trees(old, new)) == new
    assert time.process_time() - before_s < 20
