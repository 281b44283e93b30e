"""A diff turned around leads back, and keeps the faults it had."""

import pytest

from envplatform.errors import PatchError
from envplatform.patches import apply_patch, apply_with_ladder, reversed_patch
from envplatform.tree import File

TREE = {"a.py": File(b"1\n2\n3\n4\n5\n6\n7\n8\n"), "run": File(b"x\n", executable=True)}
GOOD = (
    "From: prose that means nothing\n"
    "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n"
    "@@ -1,2 +1,3 @@ def f():\n 1\n+and\n 2\n@@ -7,2 +8,1 @@\n-7\n 8\n"
)


def test_what_was_added_is_removed() -> None:
    """Header by header; starts and counts change places."""
    assert reversed_patch(GOOD) == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
        "@@ -1,3 +1,2 @@\n 1\n-and\n 2\n@@ -8,1 +7,2 @@\n+7\n 8\n"
    )


def test_within_a_change_removed_lines_come_first() -> None:
    """As git prints them."""
    patch = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n-2\n+x\n+y\n"
    assert reversed_patch(patch).endswith("@@ -1,2 +1,2 @@\n-x\n-y\n+1\n+2\n")


@pytest.mark.parametrize(
    "patch",
    [
        GOOD,
        "--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+x\n",
        "--- a/a.py\n+++ /dev/null\n@@ -1,8 +0,0 @@\n"
        + "".join(f"-{n}\n" for n in range(1, 9)),
        "diff --git a/b b/b\nnew file mode 100755\n",
        "diff --git a/run b/run\nold mode 100755\nnew mode 100644\n",
        (
            "diff --git a/run b/walk\nold mode 100755\nnew mode 100644\n"
            "similarity index 100%\nrename from run\nrename to walk\n"
        ),
        (
            'diff --git a/run "b/w\\303\\251"\nrename from run\nrename to "w\\303\\251"\n'
            '--- a/run\n+++ "b/w\\303\\251"\n@@ -1 +1 @@\n-x\n+y\n'
        ),
        "--- a/run\n+++ b/run\n@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file\n",
    ],
)
def test_every_kind_of_change_leads_back(patch: str) -> None:
    """Created files go, deleted ones come, modes and names change places."""
    back = reversed_patch(patch)
    after = apply_patch(TREE, patch)
    assert apply_patch(after, back) == TREE
    assert apply_patch(TREE, reversed_patch(back)) == after


@pytest.mark.parametrize(
    ("old", "new", "rung"),
    [
        ("-1,2 +1,3", "-1,7 +1,3", "recounted"),
        ("-7,2 +8,1", "-7,2 +7,1", "recounted"),
        ("-1,2 +1,3", "-2,2 +2,3", "relocated"),
        ("\n", "\r\n", "line_endings"),
        (" 8\n", " 8", "recounted"),
    ],
)
def test_the_way_back_needs_the_same_help(old: str, new: str, rung: str) -> None:
    """So the rung of a row does not depend on which side was at hand."""
    patch = GOOD.replace(old, new)
    there = apply_with_ladder(TREE, patch)
    back = apply_with_ladder(there.tree, reversed_patch(patch))
    assert (there.rung, back.rung) == (rung, rung)
    assert back.tree == TREE


def test_a_copy_has_no_way_back_in_a_diff() -> None:
    """Deleting it would need its lines, and the diff does not hold them."""
    patch = "diff --git a/a b/b\nsimilarity index 100%\ncopy from a\ncopy to b\n"
    with pytest.raises(PatchError, match="b: a copy of a can't be turned around"):
        reversed_patch(patch)
