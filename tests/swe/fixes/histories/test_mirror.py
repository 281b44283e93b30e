import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.histories.git_command import started_git
from envplatform.swe.fixes.histories.mirror import Mirror, open_mirror
from envplatform.swe.fixes.histories.objects import ObjectReader
from tests.swe.fixes.histories.git_server import GitServer, serve_repository
from tests.swe.fixes.histories.made_repository import MadeRepository

NAME = "owner__name"
TEXT = os.urandom(200_000).hex().encode()


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    """Three commits of two files."""
    made = MadeRepository(tmp_path / "made")
    for number in range(3):
        made.commit({"a.py": b"%d\n" % number + TEXT, "b/c.py": b"%d\n" % number})
    return made


@pytest.fixture
def server(made: MadeRepository) -> Iterator[GitServer]:
    """Serves what was made."""
    with serve_repository(made.folder) as server:
        yield server


def here(mirror: Mirror, *names: str) -> list[bool]:
    with ObjectReader(mirror.folder) as objects:
        return [header is not None for _, header in objects.headers(names)]


def names_in(cache: Path) -> list[str]:
    """All that is visible beside locks, relative to the mirror's folder."""
    return sorted(path.name for path in cache.glob("*/*") if path.name != ".lock")


def test_a_mirror_has_commits_and_trees_and_no_blob(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    mirror = open_mirror(NAME, server.url, tmp_path / "cache")
    wanted = (made.git("rev-parse", name) for name in ("main", "main:b", "main:a.py"))
    assert here(mirror, *wanted) == [True, True, False]
    assert mirror.is_filtered


def test_reading_never_asks_the_remote(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    mirror = open_mirror(NAME, server.url, tmp_path / "cache")
    asked = server.requests
    with ObjectReader(mirror.folder) as objects:
        blob = made.git("rev-parse", "main:a.py")
        assert objects.read(blob, limit_bytes=10**9) is None
    assert server.requests == asked


def test_blobs_come_in_one_request_and_unknown_ones_cost_no_other(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    mirror = open_mirror(NAME, server.url, tmp_path / "cache")
    blobs = [made.git("rev-parse", f"main~{age}:b/c.py") for age in range(3)]
    before = server.requests
    mirror.fetch(blobs)
    assert server.requests == before + 1
    mirror.fetch([made.git("rev-parse", "main:a.py"), "1" * 40])
    assert here(mirror, *blobs, made.git("rev-parse", "main:a.py")) == [True] * 4


def test_a_second_opening_asks_nobody(server: GitServer, tmp_path: Path) -> None:
    first = open_mirror(NAME, server.url, tmp_path / "cache")
    asked = server.requests
    assert open_mirror(NAME, server.url, tmp_path / "cache") == first
    assert server.requests == asked


def test_a_remote_without_filters_is_mirrored_whole(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    server.allows_filter = False
    mirror = open_mirror(NAME, server.url, tmp_path / "cache")
    assert not mirror.is_filtered
    assert here(mirror, made.git("rev-parse", "main:a.py")) == [True]
    assert not open_mirror(NAME, server.url, tmp_path / "cache").is_filtered


def test_a_clone_that_breaks_off_leaves_nothing_and_the_next_try_works(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    server.allows_filter = False
    server.cut_after_bytes = 100_000
    with pytest.raises(FixSourceError, match=r"owner__name: git clone of git://127"):
        open_mirror(NAME, server.url, tmp_path / "cache")
    assert names_in(tmp_path / "cache") == []
    server.cut_after_bytes = None
    mirror = open_mirror(NAME, server.url, tmp_path / "cache")
    assert here(mirror, made.git("rev-parse", "main:a.py")) == [True]


def test_a_fetch_that_breaks_off_leaves_the_mirror_usable(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    mirror = open_mirror(NAME, server.url, tmp_path / "cache")
    blob = made.git("rev-parse", "main:a.py")
    server.cut_after_bytes = 50_000
    with pytest.raises(FixSourceError, match="git fetch"):
        mirror.fetch([blob])
    server.cut_after_bytes = None
    (mirror.folder / "objects" / "pack" / "tmp_pack_killed").write_bytes(b"half")
    mirror.fetch([blob])
    assert here(mirror, blob) == [True]
    assert not list(mirror.folder.glob("objects/pack/tmp_*"))


def test_a_killed_process_leaves_only_what_the_next_one_sweeps(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    server.hangs = True
    program = (
        "import sys; from pathlib import Path;"
        "from envplatform.swe.fixes.histories.mirror import open_mirror;"
        "open_mirror(sys.argv[1], sys.argv[2], Path(sys.argv[3]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, NAME, server.url, str(tmp_path / "cache")]
    ) as process:
        while not server.requests:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert [name.endswith(".tmp") for name in names_in(tmp_path / "cache")] == [True]
    server.hangs = False
    mirror = open_mirror(NAME, server.url, tmp_path / "cache")
    assert names_in(tmp_path / "cache") == ["mirror.git"]
    assert here(mirror, made.git("rev-parse", "main")) == [True]


def test_a_remote_that_hangs_is_given_up_in_time(
    server: GitServer, tmp_path: Path
) -> None:
    server.hangs = True
    started = time.monotonic()
    with pytest.raises(FixSourceError, match="did not complete in 1 secs"):
        open_mirror(NAME, server.url, tmp_path / "cache", timeout_s=1)
    assert time.monotonic() - started < 60  # a busy machine, but not for ever
    assert names_in(tmp_path / "cache") == []


def _open(url: str, cache: Path) -> None:
    open_mirror(NAME, url, cache)


def test_two_processes_clone_once(server: GitServer, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_open, args=(server.url, tmp_path / "cache"))
        for _ in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert server.requests == 1


def test_a_folder_is_copied_with_its_blobs_and_without_its_hooks(
    made: MadeRepository, tmp_path: Path
) -> None:
    hook = made.folder / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    mirror = open_mirror(NAME, str(made.folder), tmp_path / "cache")
    assert here(mirror, made.git("rev-parse", "main:a.py")) == [True]
    assert not (mirror.folder / "hooks").exists()
    assert not (tmp_path / "ran").exists()


def test_new_commits_come_with_a_refresh(made: MadeRepository, tmp_path: Path) -> None:
    mirror = open_mirror(NAME, made.url, tmp_path / "cache")
    commit = made.commit({"new.py": b"1\n"})
    assert here(mirror, commit) == [False]
    mirror.refresh()
    assert here(mirror, commit) == [True]


def test_a_repository_without_commits_is_mirrored(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "empty")
    mirror = open_mirror(NAME, made.url, tmp_path / "cache")
    assert here(mirror, "HEAD") == [False]


def test_a_folder_that_is_no_repository_is_named(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(
        FixSourceError, match=r"owner__name.*plain.*\[fixes.histories\]"
    ):
        open_mirror(NAME, str(tmp_path / "plain"), tmp_path / "cache")


def test_credentials_stand_neither_in_messages_nor_on_disk(
    made: MadeRepository, tmp_path: Path
) -> None:
    url = f"file://me:secret@{made.folder}"
    with pytest.raises(FixSourceError) as caught:
        open_mirror(NAME, url + "-absent", tmp_path / "cache")
    mirror = open_mirror(NAME, made.url, tmp_path / "cache")
    assert "secret" not in str(caught.value)
    assert "url" not in (mirror.folder / "config").read_text()


@pytest.mark.parametrize("name", ["../x", "a/b", "", "-x", ".git", "a" * 300])
def test_a_repository_name_names_no_other_folder(name: str, tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "made")
    with pytest.raises(FixSourceError, match="owner__name"):
        open_mirror(name, made.url, tmp_path / "cache")


class _Asks(BaseHTTPRequestHandler):
    """Wants a password, notes it, and then has nothing."""

    seen: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        given = self.headers.get("Authorization")
        self.seen.append(given)
        self.send_response(404 if given else 401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_remote_gets_the_credentials_that_no_message_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Asks) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        url = f"http://me:secret@127.0.0.1:{server.server_port}/a.git"
        with pytest.raises(FixSourceError) as caught:
            open_mirror(NAME, url, tmp_path / "cache")
        server.shutdown()
        thread.join()
    assert "secret" not in str(caught.value)
    assert _Asks.seen[-1] == "Basic " + b64encode(b"me:secret").decode()


def test_a_remote_that_wants_a_password_gets_no_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("GIT_ASKPASS", "false")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Asks) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/a.git"
        with pytest.raises(FixSourceError, match=r"prompts? (have been )?disabled"):
            open_mirror(NAME, url, tmp_path / "cache")
        server.shutdown()
        thread.join()


def test_a_branch_may_become_a_folder_of_branches(
    made: MadeRepository, tmp_path: Path
) -> None:
    made.git("branch", "topic")
    mirror = open_mirror(NAME, made.url, tmp_path / "cache")
    made.git("branch", "--delete", "--force", "topic")
    made.git("branch", "topic/one")
    commit = made.commit({"new.py": b"1\n"})
    mirror.refresh()
    assert here(mirror, commit, "topic/one", "topic") == [True, True, False]


def test_a_damaged_mirror_is_named_with_what_to_do(
    made: MadeRepository, tmp_path: Path
) -> None:
    mirror = open_mirror(NAME, made.url, tmp_path / "cache")
    (mirror.folder / "HEAD").unlink()
    with pytest.raises(FixSourceError, match=r"mirror\.git: .*remove that folder"):
        here(mirror, "1" * 40)


def test_a_shallow_folder_is_read_as_far_as_it_goes(
    made: MadeRepository, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow"
    made.git("clone", "--quiet", "--depth=1", made.url, str(shallow))
    mirror = open_mirror(NAME, str(shallow), tmp_path / "cache")
    wanted = (made.git("rev-parse", name) for name in ("main", "main~1"))
    assert here(mirror, *wanted) == [True, False]


def test_a_machine_without_git_is_told_what_is_missing(
    made: MadeRepository, tmp_path: Path
) -> None:
    program = (
        "import sys; from pathlib import Path;"
        "from envplatform.swe.fixes.histories.mirror import open_mirror;"
        "open_mirror('a__b', sys.argv[1], Path(sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, made.url, str(tmp_path / "cache")],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert b"FixSourceError: reading histories needs git" in done.stderr


def test_a_git_that_died_before_it_was_asked_hides_no_error() -> None:
    with started_git("--git-dir=/nowhere", "cat-file", "--batch") as git:
        assert git.answers.read() == b""
        git.ask("HEAD\n")
    assert git.status()


@pytest.mark.parametrize("name", ["GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"])
def test_a_mirror_made_within_a_hook_of_git_is_whole(
    made: MadeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv(name, str(elsewhere) if "DIRECTORY" in name else "theirs")
    mirror = open_mirror(NAME, made.url, tmp_path / "cache")
    monkeypatch.delenv(name)
    assert not list(elsewhere.iterdir())
    assert here(mirror, "refs/heads/main", made.git("rev-parse", "main^{tree}")) == [
        True,
        True,
    ]
