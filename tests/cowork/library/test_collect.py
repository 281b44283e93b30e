"""One source from its files to rows: kept, refused with a reason, or not asked for."""

import io
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.cowork.library.collect import PACKS, collect, content_path
from envplatform.cowork.library.gather import gather, source_state
from envplatform.cowork.library.git_commit import fetch_commit
from envplatform.cowork.library.material import Registries
from envplatform.cowork.library.specification import (
    FileRule,
    Git,
    LicenceList,
    Limits,
    SourceSpec,
)
from envplatform.errors import LibraryError
from envplatform.registries import PackageIndex
from envplatform.store import Store
from tests.cowork.library.made_source import MIT, collected, folder_source
from tests.registries.made_registry import MadeRegistry, serving, tarball

LIMITS = Limits(file_bytes=1_000)


def never() -> PackageIndex:
    raise AssertionError


def test_a_folder_is_sorted_file_by_file(tmp_path: Path) -> None:
    files = {
        "LICENSE.txt": b"MIT",
        "data/a.csv": b"n\n1\n",
        "data/same.csv": b"n\n1\n",
        "data/big.csv": b"n\n" + b"1\n" * 600,
        "lib/x.py": b"x = 1\n",
        "icon.png": b"\x89PNG",
        ".git/config": b"[core]",
    }
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "link.csv").symlink_to("/etc/passwd")
    found, store = collected(tmp_path, files, limits=LIMITS)
    assert {row.path: row.kind for row in found.rows} == {
        "LICENSE.txt": "document",
        "data/a.csv": "table",
        "data/same.csv": "table",
        "lib/x.py": "code",
    }
    assert {row.path: row.reason for row in found.refused} == {
        "data/big.csv": "too_large",
        "icon.png": "no_such_kind",
        "link.csv": "link",
    }
    one, other = found.rows[1:3]
    assert (one.resource_id, one.digest) == ("made/data/a.csv", other.digest)
    pack = store.directory(PACKS, one.pack)
    assert (pack / content_path(one.digest)).read_bytes() == b"n\n1\n"
    assert store.verify() == ()
    assert found.report.kept == 4
    assert found.report.refused == 3


def test_the_first_rule_that_fits_counts(tmp_path: Path) -> None:
    rules = (
        FileRule(files=("b.csv",), refuse="it is a friend's"),
        FileRule(files=("*.csv",), licence="CC-BY-NC-4.0", licence_source="README"),
        FileRule(files=("*.json",), licence="MIT", licence_source="README"),
    )
    files = {
        "a.csv": b"n\n1\n",
        "b.csv": b"n\n1\n",
        "c.json": b'[{"n": 1}]',
        "d.txt": b"x",
    }
    found, _ = collected(tmp_path, files, *rules, limits=LIMITS)
    assert [row.path for row in found.rows] == ["c.json"]
    assert [(row.path, row.reason, row.detail) for row in found.refused[1:]] == [
        ("b.csv", "no_licence", "it is a friend's"),
        ("d.txt", "no_licence", "the source's list states no licence for this file"),
    ]
    assert found.refused[0].reason == "licence_refused"


def test_files_that_nobody_asks_for_are_counted(tmp_path: Path) -> None:
    files = {"a.csv": b"n\n1\n", "b.csv": b"n\n1\n", "c.txt": b"x"}
    spec = folder_source(tmp_path / "source", files)
    spec = replace(spec, include=("*.csv",), exclude=("b*",))
    found = collect(spec, Store(tmp_path / "home"), tmp_path / "cache", LIMITS)
    assert (found.report.kept, found.report.not_asked) == (1, 2)


def listed(tmp_path: Path, descriptor: bytes) -> SourceSpec:
    files = {"data/a.csv": b"n\n1\n", "data/b.csv": b"n\n1\n", "p.json": descriptor}
    names = {"free": "CC0-1.0"}
    return replace(
        folder_source(tmp_path / "source", files),
        include=("data/*",),
        licence_list=LicenceList(path="p.json", root="data/", names=names),
    )


def test_a_source_s_own_list_counts_and_not_the_rules(tmp_path: Path) -> None:
    descriptor = b'{"resources": [{"path": "a.csv", "licenses": [{"title": "free"}]}]}'
    spec = listed(tmp_path, descriptor)
    found = collect(spec, Store(tmp_path / "home"), tmp_path / "cache", LIMITS)
    assert [(row.path, row.licence) for row in found.rows] == [
        ("data/a.csv", "CC0-1.0")
    ]
    assert [(row.path, row.reason) for row in found.refused] == [
        ("data/b.csv", "no_licence")
    ]


def test_a_list_that_is_none_fails_its_source(tmp_path: Path) -> None:
    found = collect(
        listed(tmp_path, b"?"), Store(tmp_path / "home"), tmp_path / "cache", LIMITS
    )
    assert found.failed
    assert found.rows == ()


def test_a_tarball_of_npm(tmp_path: Path) -> None:
    """Downloaded once; the second time nobody is asked, not even which registry."""
    with serving(MadeRegistry(data=tarball({"a.csv": b"n\n1\n"}))) as made:
        spec = SourceSpec(name="npm", origin=made.release, include=("*",), rules=(MIT,))
        asking = Registries(index=never, npm=lambda: made.registry)
        found = collect(spec, Store(tmp_path / "home"), tmp_path, LIMITS, asking)
    assert [row.resource_id for row in found.rows] == ["npm/a.csv"]
    again = collect(spec, Store(tmp_path / "home"), tmp_path, LIMITS, Registries(never))
    assert again.rows == found.rows


def hostile(name: str, kind: bytes = tarfile.REGTYPE) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        good = tarfile.TarInfo("package/a.csv")
        good.size = 4
        archive.addfile(good, io.BytesIO(b"n\n1\n"))
        bad = tarfile.TarInfo(name)
        bad.type, bad.linkname = kind, "/etc/passwd"
        archive.addfile(bad)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        hostile("../../etc/cron.d/x"),
        hostile("/etc/cron.d/x"),
        hostile("package/a.csv"),
        hostile("package/b.csv")[:60],
        b"no archive",
    ],
    ids=["out", "absolute", "twice", "cut", "none"],
)
def test_nothing_is_taken_from_an_unsound_archive(data: bytes, tmp_path: Path) -> None:
    with serving(MadeRegistry(data=data)) as made:
        spec = SourceSpec(name="npm", origin=made.release, include=("*",), rules=(MIT,))
        asking = Registries(npm=lambda: made.registry)
        found = collect(spec, Store(tmp_path / "home"), tmp_path, LIMITS, asking)
    assert found.failed
    assert found.rows == ()
    assert [one.path for one in found.refused] == [""]


def test_a_link_in_an_archive_is_refused_alone(tmp_path: Path) -> None:
    with serving(MadeRegistry(data=hostile("package/l.csv", tarfile.SYMTYPE))) as made:
        spec = SourceSpec(name="npm", origin=made.release, include=("*",), rules=(MIT,))
        asking = Registries(npm=lambda: made.registry)
        found = collect(spec, Store(tmp_path / "home"), tmp_path, LIMITS, asking)
    assert [row.path for row in found.rows] == ["a.csv"]
    assert [(one.path, one.reason) for one in found.refused] == [("l.csv", "link")]


def test_too_many_files_fail_the_source(tmp_path: Path) -> None:
    files = {f"{number}.csv": b"n\n1\n" for number in range(5)}
    found, _ = collected(tmp_path, files, limits=Limits(source_files=4))
    assert found.failed
    assert "over 4 files" in found.refused[0].detail


@pytest.fixture
def repository(tmp_path: Path) -> Git:
    """Two commits; the first is meant."""
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        done = subprocess.run(
            ["git", "-C", str(folder), *who, *arguments],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    git("init", "-q")
    (folder / "a.csv").write_text("n\n1\n")
    (folder / "link.csv").symlink_to("/etc/passwd")
    git("add", "-A")
    git("commit", "-qm", "one")
    first = git("rev-parse", "HEAD")
    (folder / "a.csv").write_text("n\n2\n")
    git("commit", "-qam", "two")
    return Git(url=str(folder), commit=first)


def test_a_commit_of_a_repository(repository: Git, tmp_path: Path) -> None:
    spec = SourceSpec(name="own", origin=repository, include=("*",), rules=(MIT,))
    store = Store(tmp_path / "home")
    found = collect(spec, store, tmp_path / "cache", LIMITS)
    assert [(row.path, row.version) for row in found.rows] == [
        ("a.csv", repository.commit)
    ]
    pack = store.directory(PACKS, found.rows[0].pack)
    content = pack / content_path(found.rows[0].digest)
    assert content.read_bytes() == b"n\n1\n"
    assert [(one.path, one.reason) for one in found.refused] == [("link.csv", "link")]


def test_a_commit_that_is_not_there_is_named(repository: Git, tmp_path: Path) -> None:
    url = f"file://user:secret@localhost{repository.url}"
    wrong = replace(repository, url=url, commit="1" * 40)
    with pytest.raises(LibraryError, match=r"own: .*gives no commit 1+: ") as caught:
        fetch_commit(wrong, tmp_path, name="own")
    assert "secret" not in str(caught.value)


def test_a_broken_source_costs_no_other_and_is_tried_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    good = folder_source(tmp_path / "good", {"a.csv": b"n\n1\n"}, name="good")
    gone = folder_source(tmp_path / "gone", {"b.csv": b"n\n1\n"}, name="gone")
    (tmp_path / "gone").rename(tmp_path / "elsewhere")
    bad, fine = gather((gone, good), store, LIMITS)
    assert (bad.failed, fine.failed) == (True, False)
    assert "correct path in [[cowork.library.sources]]" in bad.refused[0].detail
    (tmp_path / "elsewhere").rename(tmp_path / "gone")
    back, known = gather((gone, good), store, LIMITS)
    assert [row.path for row in back.rows] == ["b.csv"]
    assert known.rows == fine.rows
    assert known.report.seconds == 0.0


def test_the_state_of_a_folder_is_what_is_asked_of_it(tmp_path: Path) -> None:
    files = {"a.csv": b"n\n1\n", "b.txt": b"x"}
    spec = replace(folder_source(tmp_path / "source", files), include=("*.csv",))
    before = source_state(spec, LIMITS)
    (tmp_path / "source" / "b.txt").write_text("y")
    assert source_state(spec, LIMITS) == before
    (tmp_path / "source" / "a.csv").write_text("n\n2\n")
    assert source_state(spec, LIMITS) != before


def test_contents_that_were_lost_are_made_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    spec = folder_source(tmp_path / "source", {"a.csv": b"n\n1\n"})
    (found,) = gather((spec,), store, LIMITS)
    folder = store.directory(PACKS, found.rows[0].pack)
    folder.rename(tmp_path / "lost")
    (again,) = gather((spec,), store, LIMITS)
    assert again.rows == found.rows
    assert store.directory(PACKS, found.rows[0].pack).is_dir()
