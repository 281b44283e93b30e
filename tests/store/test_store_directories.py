"""Content-addressed directories: whole, unchanged, verifiable."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envplatform.errors import StoreError
from envplatform.store import Store


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tree with a nested executable file."""
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    script = folder / "sub" / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    return folder


def test_a_directory_is_copied_whole(store: Store, source: Path) -> None:
    stored = store.put_directory("environment", "abc", source)
    assert stored == store.directory("environment", "abc")
    (source / "a.txt").write_text("changed later")
    assert (stored / "a.txt").read_text() == "a"
    assert (stored / "sub" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert store.verify() == ()


def test_the_first_writer_of_a_digest_stays(store: Store, source: Path) -> None:
    first = store.put_directory("environment", "abc", source)
    (source / "a.txt").write_text("b")
    assert store.put_directory("environment", "abc", source) == first
    assert (first / "a.txt").read_text() == "a"


def test_writers_of_one_digest_are_no_conflict(store: Store, source: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        stored = list(
            pool.map(lambda _: store.put_directory("image", "d", source), range(16))
        )
    assert len(set(stored)) == 1
    assert store.verify() == ()
    assert [path for path in (store.home / "staging").iterdir() if path.is_dir()] == []


def test_kinds_and_digests_cannot_leave_the_store(store: Store, source: Path) -> None:
    stored = store.put_directory("../../kind", "../digest", source)
    assert stored.resolve().is_relative_to((store.home / "directories").resolve())
    assert len(stored.relative_to(store.home).parts) == 3


def test_links_are_refused_and_nothing_stays(store: Store, source: Path) -> None:
    (source / "link").symlink_to("/etc/passwd")
    with pytest.raises(StoreError, match="link is a link or a device"):
        store.put_directory("environment", "abc", source)
    with pytest.raises(StoreError, match="no environment with digest abc"):
        store.directory("environment", "abc")
    assert [path for path in (store.home / "staging").iterdir() if path.is_dir()] == []


def test_a_missing_source_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere is no directory"):
        store.put_directory("environment", "abc", tmp_path / "nowhere")


@pytest.mark.parametrize("damage", ["change", "remove", "add", "mode"])
def test_verify_names_a_damaged_directory(
    store: Store, source: Path, damage: str
) -> None:
    healthy = store.put_directory("environment", "good", source)
    stored = store.put_directory("environment", "bad", source)
    match damage:
        case "change":
            (stored / "a.txt").write_text("b")
        case "remove":
            (stored / "a.txt").unlink()
        case "add":
            (stored / "b.txt").write_text("")
        case "mode":
            (stored / "a.txt").chmod(0o755)
    (problem,) = store.verify()
    assert problem.path == stored != healthy
