from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.histories.git_history import GitHistory, open_history
from envplatform.swe.fixes.histories.mirror import open_mirror
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.refusal import Refused
from envplatform.tree import File
from tests.swe.fixes.histories.git_server import GitServer, serve_repository
from tests.swe.fixes.histories.made_repository import (
    EXECUTABLE,
    LINK,
    SUBMODULE,
    MadeRepository,
    Moded,
)

NAME = "owner__name"
STRANGE = {
    "latin1.py": "# café\r\n".encode("latin-1"),
    "utf16.py": "x = 1\n".encode("utf-16"),
    "crlf.py": b"a = 1\r\nb = 2\r\n",
    "bom.py": b"\xef\xbb\xbfa = 1\n",
    "open.py": b"a = 1",
    "feed.py": b"a = 1\n\x0c\nb = '\xe2\x80\xa8'\n",
    "empty.py": b"",
    "cr.py": b"a\rb\r",
}
"""Files that a reader who decodes or splits lines would spoil."""


def instance(commit: str) -> FixInstance:
    return FixInstance(
        instance_id="owner__name-1",
        source="made",
        repository=NAME,
        origin="git",
        base_commit=commit,
        patch="",
    )


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    """One commit with all that may stand in a tree."""
    made = MadeRepository(tmp_path / "made")
    made.commit(
        {
            "pkg/deep/a.py": b"a = 1\n",
            "run.sh": Moded(EXECUTABLE, b"true\n"),
            "link.py": Moded(LINK, b"pkg/deep/a.py"),
            "linked": Moded(LINK, b"pkg"),
            "module": Moded(SUBMODULE, b"1" * 40),
            "big.py": b"#" * (10 * 2**20),
            "caf\udce9.py": b"raw name\n",
            **STRANGE,
        }
    )
    return made


@pytest.fixture
def server(made: MadeRepository) -> Iterator[GitServer]:
    """Serves what was made."""
    with serve_repository(made.folder) as server:
        yield server


@pytest.fixture
def history(server: GitServer, tmp_path: Path) -> Iterator[GitHistory]:
    """A history over a blob-filtered mirror."""
    with open_history(NAME, server.url, tmp_path / "cache") as history:
        yield history


def refusal(history: GitHistory, commit: str, *paths: str) -> tuple[str, str]:
    with pytest.raises(Refused) as caught:
        history.read(instance(commit), paths)
    return caught.value.code, caught.value.detail


def test_bytes_come_as_they_are_in_the_repository(
    made: MadeRepository, history: GitHistory
) -> None:
    one = instance(made.git("rev-parse", "main"))
    history.prefetch([(one, tuple(STRANGE))])
    side = history.read(one, tuple(STRANGE))
    assert side.files == {path: File(data) for path, data in STRANGE.items()}
    assert side.which == "buggy"


def test_a_batch_of_instances_costs_one_request(
    made: MadeRepository, server: GitServer, history: GitHistory
) -> None:
    commits = [made.git("rev-parse", "main")]
    commits += [made.commit({"pkg/deep/a.py": b"a = %d\n" % n}) for n in range(20)]
    history.prefetch([(instance(commits[-1]), ["pkg/deep/a.py"])])  # brings commits
    before = server.requests
    wanted = [(instance(commit), ["pkg/deep/a.py", "bom.py"]) for commit in commits]
    history.prefetch(wanted)
    assert server.requests == before + 1
    for one, paths in wanted:
        assert len(history.read(one, paths).files) == 2
    history.prefetch(wanted)
    assert server.requests == before + 1


def test_the_executable_bit_comes_from_the_tree(
    made: MadeRepository, history: GitHistory
) -> None:
    one = instance(made.git("rev-parse", "main"))
    history.prefetch([(one, ["run.sh", "bom.py"])])
    files = history.read(one, ["run.sh", "bom.py"]).files
    assert [files["run.sh"].executable, files["bom.py"].executable] == [True, False]


def test_a_name_that_is_no_utf8_is_found(
    made: MadeRepository, history: GitHistory
) -> None:
    one = instance(made.git("rev-parse", "main"))
    history.prefetch([(one, ["caf\udce9.py"])])
    assert (
        history.read(one, ["caf\udce9.py"]).files["caf\udce9.py"].data == b"raw name\n"
    )


def test_absent_paths_are_left_out(made: MadeRepository, history: GitHistory) -> None:
    one = instance(made.git("rev-parse", "main"))
    paths = ["new.py", "pkg/new.py", "newer/new.py"]
    history.prefetch([(one, paths)])
    assert history.read(one, paths).files == {}


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("link.py", "patch_symlink"),
        ("linked/deep/a.py", "patch_symlink"),
        ("module", "patch_submodule"),
        ("module/a.py", "patch_submodule"),
        ("pkg/deep", "does_not_apply"),
        ("bom.py/a.py", "does_not_apply"),
        ("big.py", "too_large"),
    ],
)
def test_what_is_no_plain_file_of_fair_size_is_refused(
    path: str, code: str, made: MadeRepository, history: GitHistory
) -> None:
    commit = made.git("rev-parse", "main")
    history.prefetch([(instance(commit), [path])])
    found, detail = refusal(history, commit, path)
    assert found == code
    assert detail.startswith(path)


def test_after_a_file_that_was_too_large_the_next_is_read(
    made: MadeRepository, history: GitHistory
) -> None:
    one = instance(made.git("rev-parse", "main"))
    history.prefetch([(one, ["big.py", "bom.py"])])
    refusal(history, one.base_commit, "big.py")
    assert history.read(one, ["bom.py"]).files["bom.py"].data == STRANGE["bom.py"]


def test_a_file_may_make_way_for_a_folder_and_a_folder_for_a_file(
    made: MadeRepository, history: GitHistory
) -> None:
    one = instance(made.git("rev-parse", "main"))
    paths = ["bom.py", "bom.py/a.py", "pkg/deep", "pkg/deep/a.py"]
    history.prefetch([(one, paths)])
    assert sorted(history.read(one, paths).files) == ["bom.py", "pkg/deep/a.py"]


@pytest.mark.parametrize("commit", ["1" * 40, "1234567", "HEAD", "main", "", "--all"])
def test_a_commit_that_is_not_there_is_refused(
    commit: str, history: GitHistory
) -> None:
    history.prefetch([(instance(commit), ["bom.py"])])
    assert refusal(history, commit, "bom.py")[0] == "commit_missing"


def test_one_missing_commit_costs_the_others_nothing(
    made: MadeRepository, history: GitHistory
) -> None:
    good = instance(made.git("rev-parse", "main"))
    bad = [instance(digit * 40) for digit in "123"]
    history.prefetch([(one, ["bom.py"]) for one in [*bad, good]])
    assert history.read(good, ["bom.py"]).files["bom.py"].data == STRANGE["bom.py"]


def test_short_and_upper_case_ids_name_their_commit(
    made: MadeRepository, history: GitHistory
) -> None:
    commit = made.git("rev-parse", "main")
    for name in (commit[:10], commit.upper()):
        history.prefetch([(instance(name), ["bom.py"])])
        assert history.read(instance(name), ["bom.py"]).files


def test_a_branch_named_like_an_id_is_no_commit(
    made: MadeRepository, history: GitHistory
) -> None:
    made.git("update-ref", "refs/heads/abcdef1", "main")
    history.prefetch([(instance("abcdef1"), ["bom.py"])])
    assert refusal(history, "abcdef1", "bom.py")[0] == "commit_missing"


def test_commits_beside_all_branches_are_brought_by_their_id(
    made: MadeRepository, history: GitHistory
) -> None:
    orphan = made.commit({"bom.py": b"orphan\n"})
    made.git("update-ref", "refs/heads/main", f"{orphan}~1")
    history.prefetch([(instance(orphan), ["bom.py"])])
    assert (
        history.read(instance(orphan), ["bom.py"]).files["bom.py"].data == b"orphan\n"
    )


def test_a_lost_blob_is_refused_and_named(made: MadeRepository, tmp_path: Path) -> None:
    commit, blob = (made.git("rev-parse", name) for name in ("main", "main:bom.py"))
    history = GitHistory(open_mirror(NAME, str(made.folder), tmp_path / "cache"))
    (lost,) = tmp_path.glob(f"cache/*/mirror.git/objects/{blob[:2]}/{blob[2:]}")
    lost.unlink()
    history.prefetch([(instance(commit), ["bom.py"])])
    code, detail = refusal(history, commit, "bom.py")
    history.close()
    assert (code, detail) == ("blob_missing", f"bom.py: {blob} is not there")


def test_a_blob_that_was_not_fetched_beforehand_is_missing(
    made: MadeRepository, server: GitServer, history: GitHistory
) -> None:
    asked = server.requests
    commit = made.git("rev-parse", "main")
    assert refusal(history, commit, "bom.py")[0] == "blob_missing"
    assert server.requests == asked


def test_a_network_that_fails_decides_nothing(
    made: MadeRepository, server: GitServer, history: GitHistory
) -> None:
    server.cut_after_bytes = 0
    with pytest.raises(FixSourceError, match=NAME):
        history.prefetch([(instance(made.git("rev-parse", "main")), ["bom.py"])])


def test_sides_of_bug_patches_are_the_correct_ones(
    made: MadeRepository, tmp_path: Path
) -> None:
    one = instance(made.git("rev-parse", "main"))
    one = replace(one, patch_makes="bug")
    with open_history(NAME, str(made.folder), tmp_path / "cache") as history:
        assert history.read(one, ["bom.py"]).which == "fixed"


def test_a_repository_without_commits_has_no_commit(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "empty")
    with open_history(NAME, made.url, tmp_path / "cache") as history:
        history.prefetch([(instance("1" * 40), ["a.py"])])
        assert refusal(history, "1" * 40, "a.py")[0] == "commit_missing"


def test_sha256_repositories_are_read(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "made", object_format="sha256")
    commit = made.commit({"d/a.py": b"1\n"})
    with open_history(NAME, made.url, tmp_path / "cache") as history:
        history.prefetch([(instance(commit), ["d/a.py"])])
        assert history.read(instance(commit), ["d/a.py"]).files["d/a.py"].data == b"1\n"


MIT = b"Permission is hereby granted, free of charge, to any person ..."
APACHE = b"Apache License\n Version 2.0, January 2004"


def test_the_licence_is_that_of_the_base_commit(
    made: MadeRepository, history: GitHistory
) -> None:
    none = instance(made.git("rev-parse", "main"))
    mit = instance(made.commit({"LICENSE.txt": MIT}))
    apache = instance(made.commit({"LICENSE.txt": APACHE}))
    history.prefetch([(one, ["bom.py"]) for one in (none, mit, apache)])
    found = [history.licence(one) for one in (none, mit, apache)]
    assert found == ["", "MIT", "Apache-2.0"]


def test_a_licence_file_that_is_a_link_or_lost_says_nothing(
    made: MadeRepository, history: GitHistory
) -> None:
    link = instance(made.commit({"LICENSE": Moded(LINK, b"pkg/deep/a.py")}))
    assert history.licence(link) == ""  # nor was anything fetched beforehand
    history.prefetch([(link, [])])
    assert history.licence(link) == ""
    assert history.licence(instance("f" * 40)) == ""


def test_modes_are_read_as_git_reads_them(tmp_path: Path) -> None:
    """Old tools wrote folders as 040000 and files with the group's permissions."""
    made = MadeRepository(tmp_path / "old")
    file = bytes.fromhex(made.blob(b"a = 1\n"))
    inner = tree(made, b"100640 a.py\0" + file, b"100775 run.py\0" + file)
    root = tree(made, b"040000 pkg\0" + bytes.fromhex(inner))
    commit = made.git("commit-tree", root, stdin=b"Start")
    made.git("update-ref", "refs/heads/main", commit)
    paths = ["pkg/a.py", "pkg/run.py"]
    with open_history(NAME, made.url, tmp_path / "cache") as history:
        history.prefetch([(instance(commit), paths)])
        side = history.read(instance(commit), paths)
    assert [side.files[path].executable for path in paths] == [False, True]


def tree(made: MadeRepository, *entries: bytes) -> str:
    how = ("-t", "tree", "-w", "--literally", "--stdin")
    return made.git("hash-object", *how, stdin=b"".join(entries))
