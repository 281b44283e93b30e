"""Histories are read as git itself would show them."""

import subprocess
from pathlib import Path

import pytest

from envplatform.ws.fast_export import HistoryError, read_history
from tests.ws.made_manifest import ask, broker_of

WHO = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2024-01-02T03:04:05 +0200",
    "GIT_COMMITTER_NAME": "B",
    "GIT_COMMITTER_EMAIL": "b@example.org",
    "GIT_COMMITTER_DATE": "2024-01-02T03:04:06 +0000",
    "HOME": "/nonexistent",
    "PATH": "/usr/bin:/bin",
}


def git(repository: Path, *words: str) -> bytes:
    done = subprocess.run(
        ["git", "-C", str(repository), *words], env=WHO, check=True, capture_output=True
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "ü \t.txt").write_bytes(b"\xff\x00")
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "b").write_text("b")
    (tmp_path / "dir.x").write_text("sorts before dir/")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "First\n\nWith a body.")
    git(tmp_path, "tag", "-a", "v1", "-m", "one")
    (tmp_path / "a.txt").write_text("one\n2\n")
    git(tmp_path, "rm", "-q", "dir/b")
    git(tmp_path, "commit", "-q", "-am", "Second")
    git(tmp_path, "checkout", "-q", "-b", "side", "v1")
    (tmp_path / "side").write_text("s")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Side")
    git(tmp_path, "checkout", "-q", "main")
    git(tmp_path, "merge", "-q", "-m", "Merge", "side")
    return tmp_path


def test_commits_have_the_ids_that_git_gives_them(repository: Path) -> None:
    history = read_history(git(repository, "fast-export", "--all"))
    ours = set(history.commits)
    assert ours == set(git(repository, "rev-list", "--all").decode().split())
    assert (
        history.refs["refs/heads/main"]
        == git(repository, "rev-parse", "main").decode().strip()
    )
    assert (
        history.refs["refs/tags/v1"]
        == git(repository, "rev-parse", "v1^{}").decode().strip()
    )


def test_log_show_and_read_give_what_a_clone_would(repository: Path) -> None:
    stream = git(repository, "fast-export", "--all")
    broker = broker_of(
        [{"name": "repo", "kind": "history", "source": "r"}], {"r": stream}
    )
    log = ask(
        broker,
        "act",
        name="repo",
        action="log",
        input={"version": "main", "after": "v1"},
    )
    assert {one["subject"] for one in log.data["commits"]} == {
        "Merge",
        "Side",
        "Second",
    }
    log = ask(
        broker,
        "act",
        name="repo",
        action="log",
        input={"path": "a.txt", "version": "main~0"},
    )
    assert log.error == "not_found"
    second = git(repository, "rev-parse", "main~1").decode().strip()
    shown = ask(
        broker, "act", name="repo", action="show", input={"version": second[:9]}
    ).data
    assert "-two\n+2\n" in shown["diff"]
    assert "--- a/dir/b" in shown["diff"]
    assert ask(broker, "read", name="repo", version="v1", key="dir/b").content == b"b"
    assert (
        ask(broker, "read", name="repo", version="v1", key="ü \t.txt").content
        == b"\xff\x00"
    )
    assert (
        ask(broker, "read", name="repo", version="main", key="dir/b").error
        == "not_found"
    )
    assert (
        ask(broker, "act", name="repo", action="push", input={"version": "v1"}).error
        == "invalid"
    )


@pytest.mark.parametrize(
    "stream",
    [
        b"blob\nmark :1\ndata 100\nshort",
        b"hello\n",
        b"commit refs/heads/x\n",
        b"reset refs/heads/x\nfrom :9\n",
    ],
)
def test_a_broken_stream_is_named_with_its_line(stream: bytes) -> None:
    with pytest.raises(HistoryError, match="about line"):
        read_history(stream)
    broker = broker_of(
        [{"name": "repo", "kind": "history", "source": "r"}], {"r": stream}
    )
    assert ask(broker, "act", name="repo", action="log").error == "failed"
