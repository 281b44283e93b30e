"""Renames, copies and rewrites: understood in headers, checked, applied, printed again."""

import pytest

from envplatform.errors import PatchError
from envplatform.patches import (
    apply_patch,
    diff_trees,
    parse_patch,
    patched_paths,
    render_patch,
    touched_paths,
)
from envplatform.tree import File

TREE = {
    "a.py": File(b"1\n2\n3\n"),
    "b.py": File(b"one\n"),
    "run": File(b"x\n", executable=True),
}
HUNK = "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"


def moved(kind: str, old: str, new: str, *, hunk: str = "", more: str = "") -> str:
    """Return the diff that renames or copies one file, as git prints it."""
    names = f"--- a/{old}\n+++ b/{new}\n" if hunk else ""
    return (
        f"diff --git a/{old} b/{new}\n{more}similarity index 90%\n"
        f"{kind} from {old}\n{kind} to {new}\n{names}{hunk}"
    )


def test_a_pure_rename_moves_the_bytes_and_the_executable_bit() -> None:
    """There is nothing else to it."""
    after = apply_patch(TREE, moved("rename", "run", "bin/run"))
    assert after == {**{p: TREE[p] for p in ("a.py", "b.py")}, "bin/run": TREE["run"]}


def test_a_rename_with_hunks_changes_the_file_on_its_way() -> None:
    """Hunks are written against the old name."""
    after = apply_patch(TREE, moved("rename", "a.py", "c.py", hunk=HUNK))
    assert "a.py" not in after
    assert after["c.py"].data == b"1\ntwo\n3\n"


def test_a_rename_may_change_the_mode() -> None:
    """Git puts the modes before the similarity."""
    more = "old mode 100755\nnew mode 100644\n"
    after = apply_patch(TREE, moved("rename", "run", "walk", more=more))
    assert after["walk"] == File(b"x\n", executable=False)


def test_a_copy_leaves_its_source_alone() -> None:
    """Also if the same diff changes the source: the copy is made of what was there."""
    change = f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{HUNK}"
    after = apply_patch(TREE, change + moved("copy", "a.py", "c.py"))
    assert after["c.py"] == TREE["a.py"]
    assert after["a.py"].data == b"1\ntwo\n3\n"


def test_two_files_may_change_places() -> None:
    """Every file of a diff starts from the tree before it."""
    swap = moved("rename", "a.py", "b.py") + moved("rename", "b.py", "a.py")
    after = apply_patch(TREE, swap)
    assert (after["a.py"], after["b.py"]) == (TREE["b.py"], TREE["a.py"])


def test_a_new_file_may_take_the_name_that_a_rename_leaves() -> None:
    """Git prints this for a module that becomes a package with a stub."""
    stub = "diff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+stub\n"
    after = apply_patch(TREE, moved("rename", "a.py", "c.py") + stub)
    assert after["a.py"].data == b"stub\n"
    assert after["c.py"] == TREE["a.py"]


def test_a_rewrite_is_a_change_like_others() -> None:
    """`git diff -B` marks it with a dissimilarity index."""
    patch = (
        "diff --git a/b.py b/b.py\ndissimilarity index 100%\n"
        "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-one\n+two\n"
    )
    assert apply_patch(TREE, patch)["b.py"].data == b"two\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a b.py", "c d.py"),
        ("x b/y", "x b/z b/y"),
        ("tab\t", "né"),
        ('quo"te', "plain"),
        ("né", "é b/é"),
    ],
)
@pytest.mark.parametrize("hunk", ["", HUNK])
def test_names_with_blanks_and_quotes_are_read_and_printed(
    old: str, new: str, hunk: str
) -> None:
    """The `rename` lines say where the first name of `diff --git` ends."""
    spelled = {"tab\t": '"{}tab\\t"', "né": '"{}n\\303\\251"', 'quo"te': '"{}quo\\"te"'}
    spelled["é b/é"] = '"{}\\303\\251 b/\\303\\251"'

    def spell(prefix: str, name: str) -> str:
        return spelled.get(name, "{}" + name).format(prefix)

    patch = (
        f"diff --git {spell('a/', old)} {spell('b/', new)}\nsimilarity index 90%\n"
        f"rename from {spell('', old)}\nrename to {spell('', new)}\n"
    )
    if hunk:
        patch += f"--- {spell('a/', old)}\n+++ {spell('b/', new)}\n{hunk}"
    assert list(apply_patch({old: TREE["a.py"]}, patch)) == [new]
    assert render_patch(parse_patch(patch)) == patch


def test_paths_say_what_changes_and_what_must_be_read() -> None:
    """A copy's source is read and stays; a rename's source goes."""
    patch = moved("rename", "a.py", "c.py") + moved("copy", "b.py", "d.py")
    assert patched_paths(patch) == ("a.py", "c.py", "d.py")
    assert touched_paths(patch) == (("a.py", "b.py"), ("c.py", "d.py"))


def test_our_own_diff_deletes_and_creates() -> None:
    """One canonical diff for two trees: nobody has to agree on what is similar."""
    after = apply_patch(TREE, moved("rename", "a.py", "c.py"))
    kinds = {
        file.path: file.kind for file in parse_patch(diff_trees(TREE, after)).files
    }
    assert kinds == {"a.py": "delete", "c.py": "create"}


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (moved("rename", "no.py", "c.py"), "no.py: .*does not exist"),
        (moved("copy", "no.py", "c.py"), "no.py: .*does not exist"),
        (moved("rename", "a.py", "b.py"), "b.py: .*rename it, and it already exists"),
        (moved("copy", "a.py", "b.py"), "b.py: .*copy it, and it already exists"),
        (moved("rename", "a.py", "b.py/c"), "b.py/c: can't be created beside b.py"),
        (
            moved("rename", "a.py", "c", more="old mode 100755\nnew mode 100644\n"),
            "a.py: executable bit is False",
        ),
        (
            moved("rename", "a.py", "c", hunk="@@ -1 +1 @@\n-9\n+8\n"),
            "c: hunk 1, line 1",
        ),
    ],
)
def test_a_rename_for_another_tree_is_refused(patch: str, told: str) -> None:
    """As any other diff is."""
    with pytest.raises(PatchError, match=told) as caught:
        apply_patch(TREE, patch)
    assert caught.value.fault == "misfit"


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (moved("rename", "a.py", "a.py"), "onto itself"),
        (moved("rename", "a.py", "c.py").replace("rename to c.py\n", ""), "in pairs"),
        (moved("rename", "a.py", "c.py").replace("rename to", "copy to"), "in pairs"),
        (moved("rename", "a", "c") + "rename to d\n", "twice"),
        (
            moved("rename", "a", "c").replace("to c", "to d"),
            "does not name b'a' and b'd'",
        ),
        (
            moved("rename", "a", "c", hunk=HUNK).replace("+++ b/c", "+++ b/d"),
            r"`\+\+\+` do not name b'a' and b'c'",
        ),
        (
            moved("rename", "a", "c", hunk=HUNK).replace("--- a/a", "--- /dev/null"),
            r"`\+\+\+` do not name",
        ),
        (moved("rename", "a", "c", more="new file mode 100644\n"), "modes say create"),
        (moved("rename", "a", "c") + moved("rename", "a", "d"), "a: appears twice"),
        (moved("rename", "a", "c") + moved("copy", "b", "c"), "c: appears twice"),
        (
            moved("rename", "a", "c") + f"diff --git a/a b/a\n--- a/a\n+++ b/a\n{HUNK}",
            "a: appears twice",
        ),
        (
            moved("rename", "a", "c")
            + "diff --git a/a b/a\ndeleted file mode 100644\n",
            "a: appears twice",
        ),
        (moved("rename", "a", "c").replace("90%", "101%"), "renames|two names"),
        (moved("rename", "a", "c") + HUNK, "hunks without the `---`"),
        ("diff --git a/a b/c\nindex 1..2 100644\n", "two names"),
        ("--- a/a\n+++ b/c\n" + HUNK, "a rename needs `rename` lines"),
    ],
)
def test_headers_that_contradict_each_other_are_refused(patch: str, told: str) -> None:
    """Nothing is guessed about which line is the right one."""
    with pytest.raises(PatchError, match=told) as caught:
        parse_patch(patch)
    assert caught.value.fault == "malformed"


@pytest.mark.parametrize("end", ["from", "to"])
@pytest.mark.parametrize("path", ["../x", "/x", ".git/x", "a//x"])
def test_neither_end_of_a_rename_may_leave_the_tree(path: str, end: str) -> None:
    """A source outside would be read, a target outside written."""
    ends = (path, "c") if end == "from" else ("c", path)
    with pytest.raises(PatchError, match="may not touch") as caught:
        parse_patch(moved("rename", *ends))
    assert caught.value.fault == "path"
