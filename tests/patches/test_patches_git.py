"""Real git is the judge: it accepts what we print, and we accept what it prints."""

import os
import subprocess
from pathlib import Path

import pytest

from envplatform.errors import PatchError
from envplatform.patches import (
    apply_patch,
    apply_with_ladder,
    diff_trees,
    parse_patch,
    render_patch,
    reversed_patch,
)
from envplatform.tree import File, Tree, read_tree, write_tree

OLD = {
    "keep.py": File(b"kept = 1\n"),
    "mod.py": File(b"".join(b"line %d\n" % n for n in range(40))),
    "crlf.txt": File(b"a\r\nb\r\nc\r\n"),
    "latin.txt": File(b"caf\xe9\nna\xefve\n"),
    "tail.txt": File(b"one\ntwo"),
    "feed.py": File(b"a = 1\n\x0c\nb = '\xe2\x80\xa8'\rc\n"),
    "bom.py": File(b"\xef\xbb\xbfa = 1\n"),
    "gone.py": File(b"x\ny\n"),
    "gone_empty": File(b""),
    "run.sh": File(b"#!/bin/sh\n"),
    "both.sh": File(b"one\n", executable=True),
    "with blank/na me.py": File(b"1\n"),
    "x b/y b": File(b"1\n"),
    "was_file": File(b"1\n"),
    'quo"te\\and\ttab': File(b"1\n"),
    "ünï.py": File(b"1\n"),
    "dashes": File(b"-- a\n++ b\n"),
}
NEW = {
    "keep.py": File(b"kept = 1\n"),
    "mod.py": File(
        b"".join(b"line %d\n" % n for n in range(40) if n not in {3, 20, 21}) + b"z\n"
    ),
    "crlf.txt": File(b"a\r\nB\r\nc\r\n"),
    "latin.txt": File(b"caf\xe8\nna\xefve\n"),
    "tail.txt": File(b"one\ntwo\n"),
    "feed.py": File(b"a = 2\n\x0c\nb = '\xe2\x80\xa8'\rd\n"),
    "bom.py": File(b"\xef\xbb\xbfa = 2\n"),
    "new.py": File(b"x\n\ny"),
    "new_empty": File(b""),
    "new_run.sh": File(b"#!\n", executable=True),
    "run.sh": File(b"#!/bin/sh\n", executable=True),
    "both.sh": File(b"two\n"),
    "with blank/na me.py": File(b"2\n"),
    "x b/y b": File(b"1\n", executable=True),
    "was_file/below": File(b"1\n"),
    'quo"te\\and\ttab': File(b"2\n"),
    "ünï.py": File(b"2\n"),
    "dashes": File(b"++ a\n-- b\n"),
}


def git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Run git in `folder`, deaf to configuration of user and machine."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        check=True,
    )
    return done.stdout


def encoded(patch: str) -> bytes:
    """Bytes of a patch, as they would lie on disk."""
    return patch.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (NEW, OLD), ({}, NEW), (NEW, {})])
def test_git_applies_our_diff(tmp_path: Path, old: Tree, new: Tree) -> None:
    """`git apply` takes it without a murmur and makes the same files."""
    write_tree(old, tmp_path)
    git(tmp_path, "init", "-q")
    git(
        tmp_path,
        "apply",
        "--whitespace=nowarn",
        "-",
        given=encoded(diff_trees(old, new)),
    )
    assert read_tree(tmp_path, ignore=[".git"]) == new


@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (NEW, OLD)])
def test_git_reverses_our_diff(tmp_path: Path, old: Tree, new: Tree) -> None:
    """`git apply -R` leads back: the oracle may be made either way."""
    write_tree(new, tmp_path)
    git(tmp_path, "init", "-q")
    patch = encoded(diff_trees(old, new))
    git(tmp_path, "apply", "-R", "--whitespace=nowarn", "-", given=patch)
    assert read_tree(tmp_path, ignore=[".git"]) == old


@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (NEW, OLD)])
@pytest.mark.parametrize("quote", ["true", "false"])
def test_we_apply_git_s_diff(tmp_path: Path, old: Tree, new: Tree, quote: str) -> None:
    """We read what git prints, print it again, and agree on every header."""
    write_tree(old, tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "-c", "core.autocrlf=false", "add", "-A")
    git(tmp_path, "commit", "-qm", "Healthy")
    git(tmp_path, "rm", "-rq", ".")
    write_tree(new, tmp_path)
    git(tmp_path, "add", "-A")
    options = ("-c", f"core.quotePath={quote}", "diff", "--cached", "--no-renames")
    patch = git(tmp_path, *options).decode("utf-8", "surrogateescape")
    assert apply_patch(old, patch) == new
    assert render_patch(parse_patch(patch)) == patch
    if quote == "true":
        theirs = [line for line in patch.split("\n") if _is_header(line)]
        ours = [line for line in diff_trees(old, new).split("\n") if _is_header(line)]
        assert ours == theirs


def _is_header(line: str) -> bool:
    """Lines on which we and git must agree letter by letter: names and modes."""
    heads = ("diff --git", "--- ", "+++ ", "old mode", "new ", "deleted ", "\\ No")
    return line.startswith(heads)


def test_a_mail_of_format_patch_is_read_whole(tmp_path: Path) -> None:
    """Prose, diffstat and signature around a diff are kept and carry no meaning."""
    old, new = {"a.py": File(b"1\n")}, {"a.py": File(b"2\n")}
    write_tree(old, tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Healthy")
    write_tree(new, tmp_path)
    git(tmp_path, "commit", "-qam", "Break it\n\nBecause.")
    mail = git(tmp_path, "format-patch", "-1", "--stdout").decode()
    assert apply_patch(old, mail) == new
    assert render_patch(parse_patch(mail)) == mail


LONG = b"".join(b"line %d\n" % n for n in range(40))
SHORTER = LONG.replace(b"line 7\n", b"")
MOVED_OLD = {
    "mod.py": File(LONG),
    "kept.py": File(LONG + b"kept\n"),
    "with blank/x b/y": File(LONG + b"blank\n", executable=True),
    "ünï.py": File(LONG + b"odd\n"),
    "one.py": File(b"1\n" * 9 + LONG),
    "two.py": File(b"2\n" * 9 + LONG),
    "rewritten.py": File(b"".join(b"old %d\n" % n for n in range(40))),
}
MOVED_NEW = {
    "pkg/mod.py": File(SHORTER),
    "mod.py": File(b"from pkg.mod import *\n"),
    "kept.py": File(LONG + b"changed\n"),
    "copied.py": File(LONG + b"kept\nand\n"),
    "with blank/x b/z b/y": File(LONG + b"blank\n"),
    "ünï2.py": File(SHORTER + b"odd\n"),
    "one.py": File(b"2\n" * 9 + LONG),
    "two.py": File(b"1\n" * 9 + LONG),
    "rewritten.py": File(b"".join(b"new %d\n" % n for n in range(40))),
}


def diffed(folder: Path, old: Tree, new: Tree, *options: str) -> str:
    """What git prints between two trees; `folder` then holds `new`, not committed."""
    write_tree(old, folder)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Healthy")
    git(folder, "rm", "-rq", ".")
    write_tree(new, folder)
    git(folder, "add", "-A")
    patch = git(folder, "diff", "--cached", *options)
    return patch.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (["-M"], {"rename", "modify", "create"}),
        (["-M", "-B"], {"rename", "modify", "create"}),
        (["-M", "-B", "-C", "--find-copies-harder"], {"rename", "modify", "copy"}),
    ],
)
@pytest.mark.parametrize("quote", ["true", "false"])
def test_we_apply_git_s_renames_copies_and_rewrites(
    tmp_path: Path, options: list[str], kinds: set[str], quote: str
) -> None:
    """Files that swap names, a stub where a module was, odd names."""
    write_tree({}, tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.quotePath", quote)
    patch = diffed(tmp_path, MOVED_OLD, MOVED_NEW, *options)
    assert {file.kind for file in parse_patch(patch).files} >= kinds
    assert apply_patch(MOVED_OLD, patch) == MOVED_NEW
    assert render_patch(parse_patch(patch)) == patch


@pytest.mark.parametrize(
    ("old", "new"), [(OLD, NEW), (NEW, OLD), (MOVED_OLD, MOVED_NEW)]
)
def test_git_applies_what_we_turned_around(
    tmp_path: Path, old: Tree, new: Tree
) -> None:
    """And so do we; the way back starts from the files as they are after the diff."""
    patch = reversed_patch(diffed(tmp_path, old, new, "-M"))
    assert apply_patch(new, patch) == old
    git(tmp_path, "apply", "--whitespace=nowarn", "-", given=encoded(patch))
    assert read_tree(tmp_path, ignore=[".git"]) == old


def test_we_recount_as_git_does(tmp_path: Path) -> None:
    """`git apply --recount` is the judge of wrong counts."""
    old, new = {"mod.py": OLD["mod.py"]}, {"mod.py": NEW["mod.py"]}
    patch = diff_trees(old, new)
    for right, wrong in ((",7 +", ",3 +"), (",6 @@", ",99 @@"), (",8 +", ",1 +")):
        patch = patch.replace(right, wrong)
    write_tree(old, tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "apply", "--recount", "-", given=encoded(patch))
    assert read_tree(tmp_path, ignore=[".git"]) == new
    applied = apply_with_ladder(old, patch)
    assert (applied.rung, applied.tree) == ("recounted", new)


def test_we_move_hunks_as_git_does_where_there_is_one_place(tmp_path: Path) -> None:
    """Git takes the nearest place; we agree with it where no other exists."""
    # Git holds a hunk that starts at line 1 to the file's start, unlike us: not here.
    before, after = {"f": File(LONG)}, {"f": File(LONG.replace(b"line 20", b"twenty"))}
    patch = diff_trees(before, after)
    top = b"".join(b"top %d\n" % n for n in range(50))
    old, new = ({"f": File(top + tree["f"].data)} for tree in (before, after))
    write_tree(old, tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "apply", "-", given=encoded(patch))
    assert read_tree(tmp_path, ignore=[".git"]) == new
    applied = apply_with_ladder(old, patch)
    assert (applied.rung, applied.tree) == ("relocated", new)


def test_a_diff_without_context_applies_as_in_git(tmp_path: Path) -> None:
    """`-U0` names the line before an insertion."""
    old, new = {"mod.py": OLD["mod.py"]}, {"mod.py": NEW["mod.py"]}
    patch = diffed(tmp_path, old, new, "-U0")
    assert apply_patch(old, patch) == new
    assert apply_patch(new, reversed_patch(patch)) == old


def test_what_git_says_of_links_modules_and_binaries_is_refused_by_name(
    tmp_path: Path,
) -> None:
    """Each with its own fault, from the text that git really prints."""
    write_tree({"a": File(b"1\n"), "b": File(b"\0\1")}, tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Healthy")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "b").write_bytes(b"\0\2")
    git(tmp_path, "add", "-A")
    commit = git(tmp_path, "rev-parse", "HEAD").decode().strip()
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    faults = [
        _fault(git(tmp_path, "diff", "--cached", *options).decode())
        for options in (
            ["--", "link"],
            ["--", "sub"],
            ["--", "b"],
            ["--binary", "--", "b"],
        )
    ]
    assert faults == ["symlink", "submodule", "binary", "binary"]


def _fault(patch: str) -> str:
    with pytest.raises(PatchError) as caught:
        parse_patch(patch)
    return caught.value.fault
