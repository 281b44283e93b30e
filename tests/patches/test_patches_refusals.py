"""What a diff may not say, and what the refusal tells its reader."""

import re

import pytest

from envplatform.errors import PatchError
from envplatform.patches import (
    added_lines,
    apply_patch,
    apply_with_ladder,
    diff_trees,
    parse_patch,
    patched_paths,
    removed_lines,
    render_patch,
)
from envplatform.patches.parse import MAX_PATCH_BYTES
from envplatform.tree import File

TREE = {
    "a.py": File(b"1\n2\n3\n4\n5\n6\n7\n8\n"),
    "b.py": File(b"one\n"),
    "run": File(b"x\n", executable=True),
}
GOOD = """\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -2,3 +2,3 @@
 2
-3
+three
 4
"""


def hunks(*texts: str, path: str = "a.py") -> str:
    """Return a diff of one file with these hunks, header lines included."""
    return f"--- a/{path}\n+++ b/{path}\n" + "".join(texts)


def test_the_good_patch_applies() -> None:
    """Else the refusals below would prove nothing."""
    assert apply_patch(TREE, GOOD)["a.py"].data == b"1\n2\nthree\n4\n5\n6\n7\n8\n"
    assert added_lines(GOOD) == ("three",)
    assert removed_lines(GOOD) == ("3",)
    assert patched_paths(GOOD) == ("a.py",)


def test_a_plain_diff_without_git_header_applies() -> None:
    """Models write those."""
    assert apply_patch(TREE, GOOD.split("\n", 1)[1]) == apply_patch(TREE, GOOD)


def test_a_bare_empty_context_line_is_context() -> None:
    """Some tools strip the one blank of an empty context line."""
    tree = {"a": File(b"x\n\ny\n")}
    patch = hunks("@@ -1,3 +1,3 @@\n x\n\n-y\n+z\n", path="a")
    assert apply_patch(tree, patch)["a"].data == b"x\n\nz\n"
    assert render_patch(parse_patch(patch)) == patch


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (hunks("@@ -2,3 +2,3 @@\n 2\n-X\n+Y\n 4\n"), r"a.py: hunk 1, line 3.*X.*'3"),
        (hunks("@@ -3,3 +3,3 @@\n 2\n-3\n+Y\n 4\n"), r"a.py: hunk 1, line 3.*'2.*'3"),
        (
            hunks("@@ -1 +1 @@\n-1\n+X\n", "@@ -8,2 +8 @@\n 8\n-9\n"),
            r"a.py: hunk 2, line 9: expected '9.n', found the end of the file",
        ),
        (
            hunks("@@ -5 +5 @@\n-5\n+X\n", "@@ -1 +1 @@\n-1\n+Y\n"),
            "hunk 2: starts at line 1, before the last hunk's end",
        ),
        (hunks("@@ -1 +2 @@\n-1\n+X\n"), "hunk 1: new start 2 does not follow"),
        (hunks("@@ -9,0 +10 @@\n+X\n"), "hunk 1: starts at line 9, past the end"),
        (hunks("@@ -0 +1 @@\n-1\n+X\n"), "hunk 1: starts at line 0"),
        (
            hunks("@@ -8 +8 @@\n-8\n\\ No newline at end of file\n+X\n"),
            r"expected '8', found '8.n'",
        ),
        (
            hunks("@@ -1 +1 @@\n-1\n+X\n\\ No newline at end of file\n"),
            "a.py: a line without line end in the middle",
        ),
    ],
)
def test_a_patch_that_does_not_fit_names_file_hunk_and_line(
    patch: str, told: str
) -> None:
    """Exact context at the exact line, or an error a person can act on."""
    with pytest.raises(PatchError, match=told):
        apply_patch(TREE, patch)


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (hunks("@@ -1 +1 @@\n-x\n+y\n", path="no.py"), "no.py.* does not exist"),
        ("--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+x\n", "b.py.* already exists"),
        ("--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", "a.py.* leaves 14 bytes"),
        (
            "--- /dev/null\n+++ b/b.py/c\n@@ -0,0 +1 @@\n+x\n",
            "b.py/c: can't be created beside b.py",
        ),
        (
            "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n",
            "run: executable bit is True, the diff expects False",
        ),
    ],
)
def test_a_patch_for_another_tree_is_refused(patch: str, told: str) -> None:
    """Files that are missing, already there, or different from what is deleted."""
    with pytest.raises(PatchError, match=told):
        apply_patch(TREE, patch)


def test_one_bad_file_leaves_all_files_alone() -> None:
    """All or none, and the given tree is a value that never changes."""
    before = dict(TREE)
    bad = GOOD + "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-two\n+three\n"
    with pytest.raises(PatchError, match=r"b\.py: hunk 1"):
        apply_patch(TREE, bad)
    apply_patch(TREE, GOOD)
    assert before == TREE


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../a.py", "x/../../a.py", "./a.py", "x//y", ".git/hooks/pre-push"],
)
@pytest.mark.parametrize("header", ["plain", "git", "quoted"])
def test_paths_that_leave_the_tree_are_refused(path: str, header: str) -> None:
    """However the name is written."""
    name = f'"b/{path}"' if header == "quoted" else f"b/{path}"
    patch = f"--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+x\n"
    if header == "git":
        patch = f"diff --git a/{path} b/{path}\nnew file mode 100644\n{patch}"
    with pytest.raises(PatchError, match="may not touch"):
        apply_patch({}, patch)


def test_an_escaped_name_is_checked_after_unquoting() -> None:
    """An octal 056 is a dot."""
    patch = '--- /dev/null\n+++ "b/\\056\\056/x"\n@@ -0,0 +1 @@\n+x\n'
    with pytest.raises(PatchError, match="may not touch"):
        parse_patch(patch)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("new file mode 120000\n", "symlink: .* symbolic links"),
        ("index 1234567..89abcde 120000\n", "symlink: .* symbolic links"),
        ("old mode 100644\nnew mode 120000\n", "symlink: .* symbolic links"),
        ("deleted file mode 120000\n", "symlink: .* symbolic links"),
        ("new file mode 160000\n", "submodule: .* submodules"),
        ("index 1234567..89abcde 160000\n", "submodule: .* submodules"),
        ("new file mode 040000\n", "malformed: .* directories"),
        ("new file mode 10064\n", "malformed: .* mode '10064' is unknown"),
        ("new file mode 1\u0966\u0966644\n", "malformed: .* is unknown"),
        ("GIT binary patch\nliteral 1\n", "binary: .* binary"),
        ("Binary files a/a.py and b/a.py differ\n", "binary: .* binary"),
        ("old mode 100644\n", "malformed: .* mode lines contradict"),
        ("new file mode 100644\ndeleted file mode 100644\n", "contradict"),
        ("new mode 100644\nnew mode 100755\n", "malformed: .* twice"),
    ],
)
@pytest.mark.parametrize("cut", ["", "\n"])
def test_kinds_of_change_not_taken_are_refused_by_name(
    lines: str, told: str, cut: str
) -> None:
    """The reader learns what the diff does that we do not; no rung of the ladder helps."""
    patch = ("diff --git a/a.py b/a.py\n" + lines).removesuffix(cut)
    with pytest.raises(PatchError) as caught:
        apply_with_ladder(TREE, patch)
    assert re.search(told, f"{caught.value.fault}: {caught.value}")


@pytest.mark.parametrize(
    ("patch", "fault"),
    [
        (hunks("@@ -1 +1 @@\n-x\n+y\n"), "misfit"),
        (hunks("@@ -1 +1 @@\n-x\n+y\n", path="no.py"), "misfit"),
        ("break line 3\n", "malformed"),
        (GOOD.replace("three", "\0"), "binary"),
        (GOOD + "Binary files a/x and b/x differ\n", "binary"),
        (GOOD.replace("a.py", "../a.py"), "path"),
        (GOOD.replace("a.py", "/a.py"), "path"),
        (GOOD.replace("a.py", "x/.git/a.py"), "path"),
        (GOOD.replace("-3", "-" + "3" * MAX_PATCH_BYTES), "too_large"),
    ],
)
def test_the_fault_says_what_is_wrong_in_one_word(patch: str, fault: str) -> None:
    """So that a caller need not read messages."""
    with pytest.raises(PatchError) as caught:
        apply_with_ladder(TREE, patch)
    assert caught.value.fault == fault


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ("please break line 3\n", "no file header"),
        (GOOD + "+left over\n", "line 9 of the diff belongs to no hunk"),
        (GOOD.replace("-2,3", "-2,2").replace("+2,3", "+2,2"), "belongs to no hunk"),
        (GOOD.replace("+2,3", "+2,2"), "more lines than its header counts"),
        (GOOD.replace("-2,3 +2,3", "-2,4 +2,4"), "the diff ends before the hunk"),
        (GOOD.replace("@@ -2,3 +2,3 @@", "@@ ... @@"), "is no hunk header"),
        (GOOD.replace("@@ -2,3 +2,3 @@", "@@ -٢,3 +2,3 @@"), "is no hunk header"),
        (GOOD.replace("-3\n", "*3\n"), "line 6 of the diff starts with b'[*]'"),
        (GOOD.removesuffix("\n"), "cut off"),
        (GOOD.replace("three", "\0"), "NUL"),
        (GOOD.replace("three", "\ud800"), "surrogate"),
        (GOOD + GOOD, "a.py: appears twice"),
        (
            GOOD.replace("+++ b/a.py", "+++ b/b.py"),
            "differ; a rename needs `rename` lines",
        ),
        (GOOD.replace("a/a.py b/a.py", "a/b.py b/b.py"), "`diff --git` names b'b.py'"),
        (GOOD.replace("--- a/a.py", "--- /dev/null"), "names say create"),
        (GOOD.replace("--- a/a.py", "--- a.py"), "does not start with a/"),
        (GOOD.replace("--- a/a.py", '--- "a/a.py'), "no closing quote"),
        (GOOD.replace("--- a/a.py", '--- "a/\\q.py"'), "unknown escape"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "names no file"),
        ("diff --git a/a.py b/a.py\n", "promises hunks and none follows"),
        ("--- a/a.py\n+++ b/a.py\n", "promises hunks and none follows"),
        ("@@ -1 +1 @@\n-1\n+2\n" + GOOD, "a hunk stands before"),
        (
            "diff --git a/a.py b/a.py\n@@ -1 +1 @@\n-1\n+X\n",
            "hunks without the `---`",
        ),
        (hunks("@@ -1 +1 @@\n 1\n"), "changes nothing"),
        (
            hunks("@@ -1,2 +1,2 @@\n-1\n\\ No newline at end of file\n-2\n+X\n+Y\n"),
            "a line after `No newline",
        ),
        (hunks("@@ -1 +1 @@\n-1\n\\ No LF\n+X\n"), "unknown marker"),
    ],
)
def test_malformed_text_is_refused(patch: str, told: str) -> None:
    """Nothing is skipped in silence: what is not understood is an error."""
    with pytest.raises(PatchError, match=told):
        parse_patch(patch)


def test_binary_files_are_refused_only_if_they_change() -> None:
    """A picture that stays is nobody's business."""
    tree = {"p.png": File(b"\0\1"), "a": File(b"1\n")}
    assert "p.png" not in diff_trees(tree, {**tree, "a": File(b"2\n")})
    with pytest.raises(PatchError, match=r"p.png: holds a NUL byte"):
        diff_trees(tree, {**tree, "p.png": File(b"\0\2")})


@pytest.mark.parametrize("path", ["../a", "/a", ".git/config", "\ud800"])
def test_a_tree_with_a_forbidden_path_has_no_diff(path: str) -> None:
    """What we would refuse to apply we do not print."""
    with pytest.raises(PatchError, match="may not touch"):
        diff_trees({}, {path: File(b"x\n")})
