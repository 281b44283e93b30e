"""Large files: still minimal where it counts, and still right where it does not."""

import random

from envplatform.patches import added_lines, apply_patch, diff_trees, removed_lines
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
