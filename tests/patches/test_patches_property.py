"""Invariants of the diff engine, for any trees and any legal diff."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from unidiff.patch import PatchSet

from envplatform.patches import (
    apply_patch,
    diff_trees,
    parse_patch,
    patched_paths,
    render_patch,
)
from envplatform.patches.matching import matching_blocks
from envplatform.patches.names import quote_name, unquote_name
from envplatform.tree import File
from tests.patches.legal_diffs import DATA, LINES, TREES


@settings(deadline=None)
@given(TREES, TREES)
def test_diff_then_apply_gives_back_the_new_tree(
    old: dict[str, File], new: dict[str, File]
) -> None:
    """The paths are the changed ones, and printing what was read changes nothing."""
    patch = diff_trees(old, new)
    assert apply_patch(old, patch) == new
    assert (patch == "") == (old == new)
    assert render_patch(parse_patch(patch)) == patch
    changed = {path for path in old | new if old.get(path) != new.get(path)}
    assert patched_paths(patch) == tuple(sorted(changed))


@settings(deadline=None)
@given(DATA, DATA)
def test_unidiff_counts_the_same_lines(old: bytes, new: bytes) -> None:
    """A second reader finds what we meant, so the diff means to others what it does to us."""
    patch = diff_trees({"f": File(old)}, {"f": File(new)})
    ours = [
        (line.origin, line.content)
        for file in parse_patch(patch).files
        for hunk in file.hunks
        for line in hunk.lines
    ]
    theirs = PatchSet(io.StringIO(patch, newline="\n"))
    assert [origin for origin, _ in ours] == [
        line.line_type
        for file in theirs
        for hunk in file
        for line in hunk
        if line.line_type != "\\"
    ]


@settings(deadline=None)
@given(st.lists(LINES, max_size=40), st.lists(LINES, max_size=40))
def test_blocks_are_equal_lines_in_order(old: list[bytes], new: list[bytes]) -> None:
    """No line is matched twice, and no block touches the next one."""
    ends: list[tuple[int, int]] = []
    for block in matching_blocks(old, new):
        assert block.size > 0
        assert (block.i, block.j) not in ends
        assert all(block.i >= i and block.j >= j for i, j in ends)
        i, j = block.i + block.size, block.j + block.size
        assert old[block.i : i] == new[block.j : j]
        ends.append((i, j))


@settings(deadline=None)
@given(st.binary(min_size=1))
def test_quoting_a_name_can_be_undone(name: bytes) -> None:
    """For any bytes, line ends included."""
    quoted = quote_name(name)
    assert b"\n" not in quoted
    assert (unquote_name(quoted) if quoted != name else quoted) == name
