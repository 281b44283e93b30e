"""What `unidiff` makes of diffs, measured: why it reads second and not first.

Each test states a claim of the docstring of `envplatform.patches`. A release of
`unidiff` that makes one fail is good news: then the docstring changes.
"""

import io
from pathlib import Path

import pytest
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from envplatform.errors import PatchError
from envplatform.patches import (
    apply_with_ladder,
    parse_patch,
    patched_paths,
    render_patch,
)
from envplatform.tree import File

HEAD = "--- a/f\n+++ b/f\n"


def theirs(patch: str) -> list[tuple[str, str]]:
    """Origin and text of the lines that `unidiff` reads, split at LF only."""
    read = PatchSet(io.StringIO(patch, newline="\n"))
    return [(x.line_type, x.value) for file in read for hunk in file for x in hunk]


def ours(patch: str) -> list[tuple[str, str]]:
    """Return the same as we read it."""
    return [
        (line.origin, line.content.decode("utf-8", "surrogateescape"))
        for file in parse_patch(patch).files
        for hunk in file.hunks
        for line in hunk.lines
    ]


ODD = ["a\rb", "a\x0cb", "a\u2028b", "a\x85b", "a\r", "\udce9", "\ufeffa"]


@pytest.mark.parametrize("text", ODD)
def test_it_is_right_about_odd_characters_if_lines_are_split_for_it(text: str) -> None:
    """Lone CR, form feed, U+2028, next line, CRLF, a byte of latin-1, a byte order mark."""
    patch = f"{HEAD}@@ -1 +1 @@\n-{text}\n+{text}{text}\n"
    assert theirs(patch) == ours(patch)


@pytest.mark.parametrize("text", ["a\rb", "a\x0cb", "a\u2028b", "a\x85b"])
def test_it_breaks_on_them_if_python_splits_the_lines(text: str) -> None:
    """`splitlines` cuts at all of them."""
    patch = f"{HEAD}@@ -1 +1 @@\n-{text}\n+{text}{text}\n"
    with pytest.raises(UnidiffParseError):
        PatchSet(patch.splitlines(keepends=True))


def test_it_changes_line_ends_in_files_that_it_opens_itself(tmp_path: Path) -> None:
    """Unless `newline` is given: CRLF becomes LF, and the diff fits no CRLF file."""
    path = tmp_path / "x.diff"
    path.write_bytes(f"{HEAD}@@ -1 +1 @@\n-a\r\n+b\r\n".encode())
    read = PatchSet.from_filename(str(path))
    assert [line.value for line in read[0][0]] == ["a\n", "b\n"]


def test_it_is_right_about_lines_that_look_like_headers() -> None:
    """Inside of a hunk the counts decide, there as here."""
    patch = HEAD + "@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\n--- x\n+@@ ... @@\n+++ y\n"
    assert theirs(patch) == ours(patch)


def test_it_skips_hunks_without_numbers_in_silence() -> None:
    """We refuse the diff."""
    patch = HEAD + "@@ ... @@\n-a\n+b\n"
    assert theirs(patch) == []
    with pytest.raises(PatchError, match="no hunk header"):
        parse_patch(patch)


def test_it_loses_the_rest_of_a_hunk_that_counts_too_few_lines() -> None:
    """We recount it, and the row says so."""
    patch = HEAD + "@@ -1 +1 @@\n-a\n+b\n+c\n d\n"
    assert theirs(patch) == [("-", "a\n"), ("+", "b\n")]
    applied = apply_with_ladder({"f": File(b"a\nd\n")}, patch)
    assert (applied.rung, applied.tree["f"].data) == ("recounted", b"b\nc\nd\n")


def test_it_refuses_a_hunk_that_counts_too_many_lines() -> None:
    """We recount that too."""
    patch = HEAD + "@@ -1,9 +1,9 @@\n-a\n+b\n"
    with pytest.raises(UnidiffParseError):
        theirs(patch)
    assert apply_with_ladder({"f": File(b"a\n")}, patch).tree["f"].data == b"b\n"


def test_it_leaves_quoted_names_as_they_are() -> None:
    """We read git's quoting."""
    name = '"{}/caf\\303\\251"'
    heads = f"--- {name.format('a')}\n+++ {name.format('b')}\n"
    patch = heads + "@@ -1 +1 @@\n-a\n+b\n"
    assert [file.path for file in PatchSet(patch)] == ['"caf\\303\\251"']
    assert patched_paths(patch) == ("café",)


def test_it_takes_a_git_header_apart_at_the_wrong_place() -> None:
    """A folder's name may end in ` b`."""
    patch = "diff --git a/x b/y b/x b/y\nnew file mode 100644\n"
    assert [file.path for file in PatchSet(patch)] == ["y"]
    assert patched_paths(patch) == ("x b/y",)


def test_it_forgets_how_a_count_of_one_was_written() -> None:
    """What we read we print again, letter by letter."""
    patch = HEAD + "@@ -1 +1 @@\n-a\n+b\n"
    assert str(PatchSet(patch)) == patch.replace("-1 +1", "-1,1 +1,1")
    assert render_patch(parse_patch(patch)) == patch


def test_it_takes_a_marker_of_a_missing_line_end_anywhere() -> None:
    """A line without end can't stand before another; we refuse."""
    marker = "\\ No newline at end of file\n"
    patch = HEAD + f"@@ -1,2 +1,2 @@\n-a\n{marker}-c\n+b\n+d\n"
    assert len(theirs(patch)) == 5
    with pytest.raises(PatchError, match="a line after"):
        parse_patch(patch)
