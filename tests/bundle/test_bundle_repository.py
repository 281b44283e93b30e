"""The repository of a workspace, as real git sees it, and what is refused as one."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.bundle import (
    Environment,
    checked,
    commit_id,
    read_environment,
    with_repository,
    without_repository,
    write_environment,
)
from envplatform.errors import BundleError
from envplatform.tree import File, Tree, write_tree
from tests.bundle.sample import WORKSPACE, sample_environment

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

AWKWARD: Tree = {
    "a.py": File(b"x = '$Id$'\n"),
    "a/b.py": File(bytes(range(256)) * 600),
    "a.b/run": File(b"", executable=True),
    "a-": File(b"\r\n\r\n"),
    "a b'\"\n.txt": File("é\n".encode("latin-1")),
    "\udcff": File(b"\0"),
    ".gitattributes": File(b"* text eol=lf\n*.py ident filter=gone\n"),
    ".gitignore": File(b"*\n"),
    f"{'x' * 200}/{'y' * 250}/{'z' * 255}": File(b"deep"),
}


def git(folder: Path, *argv: str) -> bytes:
    """What git says, as one who has no settings."""
    return subprocess.run(
        ["git", *argv],
        cwd=folder,
        check=True,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    ).stdout


@pytest.mark.parametrize("tree", [AWKWARD, WORKSPACE])
def test_git_sees_one_commit_of_just_these_files(tmp_path: Path, tree: Tree) -> None:
    write_tree(with_repository(tree), tmp_path)
    assert git(tmp_path, "fsck", "--full", "--strict") == b""
    assert git(tmp_path, "status", "--porcelain") == b""
    assert git(tmp_path, "rev-list", "--all").decode().split() == [commit_id(tree)]
    assert git(tmp_path, "for-each-ref", "--format=%(refname)") == b"refs/heads/main\n"
    for nothing in (("reflog",), ("stash", "list"), ("remote",), ("tag",)):
        assert git(tmp_path, *nothing) == b""
    listed = git(tmp_path, "cat-file", "--batch-all-objects", "--batch-check")
    blobs = {line.split()[0] for line in listed.splitlines() if b" blob " in line}
    entries = git(tmp_path, "ls-tree", "-r", "-z", "HEAD").split(b"\0")[:-1]
    assert len(entries) == len(tree)
    assert blobs == {entry.split()[2] for entry in entries}
    for entry in entries:
        head, name = entry.split(b"\t")
        mode, _, blob = head.split()
        file = tree[name.decode("utf-8", "surrogateescape")]
        assert git(tmp_path, "cat-file", "blob", blob.decode()) == file.data
        assert mode == (b"100755" if file.executable else b"100644")


def test_git_itself_names_the_same_commit(tmp_path: Path) -> None:
    """Made from the files anew, with the author and time that the commit states."""
    write_tree(WORKSPACE, tmp_path)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", ".")
    person = ("-c", "user.name=envplatform", "-c", "user.email=envplatform@localhost")
    subprocess.run(
        ["git", *person, "commit", "--quiet", "--message=Initial commit"],
        cwd=tmp_path,
        check=True,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "GIT_AUTHOR_DATE": "946684800 +0000",
            "GIT_COMMITTER_DATE": "946684800 +0000",
        },
    )
    head = git(tmp_path, "rev-parse", "HEAD").decode().strip()
    assert head == commit_id(WORKSPACE)


NAMES = st.sampled_from(["a", "a.b", "a-b", "b", "B", "é", "a0"])
TREES = st.dictionaries(
    NAMES | st.tuples(NAMES.map("d{}".format), NAMES).map("/".join),
    st.builds(File, st.binary(max_size=5), st.booleans()),
    min_size=1,
)


@given(tree=TREES)
def test_order_plays_no_part_and_the_way_back_is_whole(tree: Tree) -> None:
    made = with_repository(tree)
    assert (
        with_repository({path: tree[path] for path in sorted(tree, reverse=True)})
        == made
    )
    assert without_repository(made) == tree
    assert with_repository(without_repository(made)) == made


def _with(files: Tree) -> Environment:
    made = with_repository(WORKSPACE)
    return replace(sample_environment(), workspace={**made, **files})


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({".git/hooks/post-checkout": File(b"#!/bin/sh\n", executable=True)}, "hooks"),
        ({".git/config": File(b"[core]\n\tfsmonitor = id\n")}, "config"),
        ({".git/config.worktree": File(b"[core]\n")}, "config.worktree"),
        ({".git/objects/info/alternates": File(b"/elsewhere\n")}, "objects/info/alt"),
        ({".git/objects/aa/" + "b" * 38: File(b"fix")}, "objects/aa"),
        ({".git/logs/HEAD": File(b"")}, "logs"),
        ({".git/refs/heads/fixed": File(b"0" * 40)}, "refs/heads/fixed"),
        ({".git/packed-refs": File(b"")}, "packed-refs"),
        ({".git/HEAD": File(b"ref: refs/heads/main\n", executable=True)}, "HEAD"),
        ({"answer.txt": File(b"43\n")}, "index"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_repository_that_holds_anything_else_is_no_environment(
    files: Tree, named: str
) -> None:
    with pytest.raises(BundleError, match=rf"workspace: \.git/{named}\S* is not what"):
        checked(_with(files))


def test_a_file_in_the_place_of_the_repository_is_refused() -> None:
    elsewhere = {**WORKSPACE, ".git": File(b"gitdir: /elsewhere\n")}
    with pytest.raises(BundleError, match=r"\.git"):
        checked(replace(sample_environment(), workspace=elsewhere))


def test_an_environment_with_its_repository_is_read_back(tmp_path: Path) -> None:
    environment = _with({})
    write_environment(environment, tmp_path / "one")
    assert read_environment(tmp_path / "one") == environment
    folder = tmp_path / "one/environment/workspace"
    assert git(folder, "status", "--porcelain") == b""
    # git has written to the index: no environment of ours any more.
    (folder / ".git/index").write_bytes(b"")
    with pytest.raises(BundleError, match=r"\.git/index"):
        read_environment(tmp_path / "one")
