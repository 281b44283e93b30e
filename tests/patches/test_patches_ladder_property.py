"""Invariants of the ladder and of the way back, for any trees and any legal diff."""

import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from envplatform.errors import AmbiguousPatchError, PatchError
from envplatform.patches import (
    apply_patch,
    apply_with_ladder,
    diff_trees,
    parse_patch,
    render_patch,
    reversed_patch,
    touched_paths,
)
from envplatform.patches.lenient import read_leniently
from envplatform.tree import File
from tests.patches.legal_diffs import DATA, TREES, legal_diffs


@settings(deadline=None)
@given(DATA, DATA)
def test_diff_then_apply_gives_back_the_bytes(old: bytes, new: bytes) -> None:
    """For any two byte strings without NUL, by each way there is."""
    before, after = {"f": File(old)}, {"f": File(new)}
    patch = diff_trees(before, after)
    applied = apply_with_ladder(before, patch)
    assert (applied.tree, applied.rung, applied.patch) == (after, "strict", patch)
    assert apply_patch(after, reversed_patch(patch)) == before


@settings(deadline=None)
@given(legal_diffs())
def test_a_legal_diff_is_printed_as_it_was_read(patch: str) -> None:
    """Preamble, time stamps, section names, bare blank lines and signature included."""
    assert render_patch(parse_patch(patch)) == patch


@settings(deadline=None)
@given(legal_diffs())
def test_forbearance_changes_nothing_in_a_legal_diff(patch: str) -> None:
    """The lenient reader reads what the strict one does."""
    assert read_leniently(patch).files == parse_patch(patch).files


@settings(deadline=None)
@given(legal_diffs())
def test_a_diff_turned_around_twice_means_the_same(patch: str) -> None:
    """Only spelling may differ, and after one turn not even that."""
    there = reversed_patch(patch)
    again = reversed_patch(there)
    assert [
        (file.path, file.source, file.kind) for file in parse_patch(again).files
    ] == [(file.path, file.source, file.kind) for file in parse_patch(patch).files]
    for one, other in zip(
        parse_patch(again).files, parse_patch(patch).files, strict=True
    ):
        assert [(h.old_start, h.old, h.new) for h in one.hunks] == [
            (h.old_start, h.old, h.new) for h in other.hunks
        ]
    assert reversed_patch(again) == there
    assert touched_paths(there) == touched_paths(patch)[::-1]


@settings(deadline=None)
@given(TREES, TREES)
def test_there_and_back_again(old: dict[str, File], new: dict[str, File]) -> None:
    """Files made and deleted, modes, odd names."""
    patch = diff_trees(old, new)
    back = reversed_patch(patch)
    assert apply_patch(new, back) == old
    assert apply_patch(old, reversed_patch(back)) == new


@settings(deadline=None)
@given(DATA, DATA, DATA, st.booleans())
def test_the_ladder_never_changes_what_strict_gives(
    old: bytes,
    new: bytes,
    more: bytes,
    at_the_top: bool,  # noqa: FBT001
) -> None:
    """Also on a file that grew, where a hunk may fit by chance."""
    patch = diff_trees({"f": File(old)}, {"f": File(new)})
    other = {"f": File(more + old if at_the_top else old + more)}
    try:
        strict = apply_patch(other, patch)
    except PatchError:
        return
    applied = apply_with_ladder(other, patch)
    assert (applied.rung, applied.tree) == ("strict", strict)


@settings(deadline=None)
@given(DATA, DATA, st.data())
def test_wrong_counts_are_put_right_or_refused(
    old: bytes, new: bytes, data: st.DataObject
) -> None:
    """Never applied to some other end."""

    def miscount(header: re.Match[str]) -> str:
        old_count, new_count = data.draw(st.tuples(COUNTS, COUNTS))
        return f"@@ -{header[1]},{old_count} +{header[2]},{new_count} @@"

    patch = diff_trees({"f": File(old)}, {"f": File(new)})
    head = r"(?m)^@@ -(\d+)[,\d]* \+(\d+)[,\d]* @@$"
    try:
        applied = apply_with_ladder({"f": File(old)}, re.sub(head, miscount, patch))
    except PatchError:
        return
    assert applied.tree["f"].data == new


COUNTS = st.integers(min_value=0, max_value=30)


@settings(deadline=None)
@given(DATA, DATA)
def test_a_stripped_text_means_the_same_or_is_refused(old: bytes, new: bytes) -> None:
    """`strip` takes line ends, and blank context with them."""
    patch = diff_trees({"f": File(old)}, {"f": File(new)}).rstrip("\n ")
    try:
        applied = apply_with_ladder({"f": File(old)}, patch)
    except PatchError:
        return
    assert applied.tree["f"].data.rstrip(b"\n ") == new.rstrip(b"\n ")


@settings(deadline=None)
@given(DATA, DATA, st.integers(min_value=1, max_value=9))
def test_a_hunk_that_moves_ends_where_it_belongs(
    old: bytes, new: bytes, shift: int
) -> None:
    """In a file that grew at its top; several places are an error, not a choice."""
    top = b"".join(b"top %d\n" % n for n in range(shift))
    patch = diff_trees({"f": File(old)}, {"f": File(new)})
    try:
        applied = apply_with_ladder({"f": File(top + old)}, patch)
    except AmbiguousPatchError:
        return
    if applied.rung == "relocated":
        assert applied.tree["f"].data == top + new


@settings(deadline=None)
@given(DATA, DATA)
def test_line_endings_of_the_file_win(old: bytes, new: bytes) -> None:
    """An LF diff of LF files, on the same file in CRLF."""
    assume(b"\r" not in old + new)
    patch = diff_trees({"f": File(old)}, {"f": File(new)})
    crlf_old, crlf_new = (data.replace(b"\n", b"\r\n") for data in (old, new))
    try:
        applied = apply_with_ladder({"f": File(crlf_old)}, patch)
    except AmbiguousPatchError:
        return
    if applied.rung == "line_endings":
        assert applied.tree["f"].data == crlf_new
