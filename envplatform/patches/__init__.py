"""Diffs: compute, read, print, apply and reverse them. Pure: no disk, no git, no clock.

A patch is text: the bytes of a git-style unified diff decoded as UTF-8 with
`surrogateescape`. Lines end at LF and nowhere else, so CR, form feed, U+2028 and
bytes that are no UTF-8 survive.

`unidiff` is not used here, and is the second opinion in the tests. It finds hunks and
counts as well as we do, lone CR, form feed, U+2028 and lines that look like headers
included, when it is handed lines split on LF; lines cut by Python's `splitlines` break
it, and files that it opens itself lose their CR. It is not right, for our purpose,
where it: leaves C-quoted names as they are; takes `diff --git` apart at the last ` b/`,
wrong for a folder whose name ends in ` b`; skips lines it does not know, so that
`@@ ... @@` hunks, and the rest of a hunk whose header counts too few lines, are lost in
silence; refuses a hunk whose header counts too many, where its body would say; forgets
whether a header said `-1` or `-1,1`, so that reading and printing changes the text; and
takes a `No newline` marker anywhere. Each of these is measured in
`tests/patches/test_patches_unidiff.py`.

A file with a NUL byte, UTF-16 text among them, is binary to us as it is to git: no diff
is made of it, and a diff that holds one is refused.

Not here: which files a bug may touch (`swe`), scans for leaks, and files on disk
(`tree`).
"""

from envplatform.patches.apply import apply_patch
from envplatform.patches.diff import diff_trees
from envplatform.patches.ladder import Applied, apply_with_ladder
from envplatform.patches.model import FilePatch, Hunk, Kind, Line, Patch, Rung
from envplatform.patches.parse import parse_patch
from envplatform.patches.render import render_patch
from envplatform.patches.reverse import reversed_patch
from envplatform.patches.summary import (
    TouchedPaths,
    added_lines,
    patched_paths,
    removed_lines,
    touched_paths,
)

REVISION = 1
"""Raised when equal trees give other diffs, or equal diffs apply otherwise."""

__all__ = [
    "REVISION",
    "Applied",
    "FilePatch",
    "Hunk",
    "Kind",
    "Line",
    "Patch",
    "Rung",
    "TouchedPaths",
    "added_lines",
    "apply_patch",
    "apply_with_ladder",
    "diff_trees",
    "parse_patch",
    "patched_paths",
    "removed_lines",
    "render_patch",
    "reversed_patch",
    "touched_paths",
]
