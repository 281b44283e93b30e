"""A crash at any point, or another writer, leaves whole versions only."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from envplatform.store import Store
from tests.store.rows import ORIGIN, Named, Number

REPOSITORY = Path(__file__).parents[2]
OLD = [Number(value=-1)]
NEW = [Number(value=number) for number in range(100)]


def crashes(template: Path, folder: Path, action: str) -> list[Path]:
    """Homes of writers that died at step 1, 2, ...; the last one came to its end."""
    folder.mkdir()
    subprocess.run(
        [sys.executable, "-m", "tests.store.crashing_writer", template, folder, action],
        check=True,
        cwd=REPOSITORY,
    )
    return sorted(folder.iterdir(), key=lambda path: int(path.name))


def data_files(home: Path) -> list[Path]:
    """Everything that looks like table data, finished or not."""
    return [
        path
        for path in (home / "tables").rglob("*")
        if path.suffix in {".parquet", ".tmp"}
    ]


def test_a_crash_while_replacing_a_table_leaves_the_old_or_the_new(
    tmp_path: Path,
) -> None:
    template = tmp_path / "template"
    Store(template).write_rows("a", OLD, row_type=Number, origin=ORIGIN, partition="p")
    homes = crashes(template, tmp_path / "homes", "write")
    seen = []
    for home in homes:
        store = Store(home)
        rows = store.rows(Number, "a", "p")
        assert rows in (OLD, NEW)
        seen.append(rows)
        assert store.verify() == ()
        store.sweep_orphans()
        assert len(data_files(home)) == 1
        assert store.rows(Number, "a", "p") == rows
        store.write_rows("a", NEW, row_type=Number, origin=ORIGIN, partition="p")
        assert store.rows(Number, "a", "p") == NEW
        assert len(data_files(home)) == 1
    assert len(homes) > 8
    assert seen == sorted(seen, key=len)
    assert seen[0] == OLD
    assert seen[-2] == NEW, "the crash between pointer and clean-up was not reached"


def test_a_crash_while_writing_the_first_version_leaves_nothing_or_all(
    tmp_path: Path,
) -> None:
    (tmp_path / "template").mkdir()
    for home in crashes(tmp_path / "template", tmp_path / "homes", "write"):
        store = Store(home)
        if store.manifest("a", "p") is not None:
            assert store.rows(Number, "a", "p") == NEW
        assert store.verify() == ()
        store.sweep_orphans()
        assert len(data_files(home)) == len(store.manifests("a"))


def test_a_crash_between_streamed_rows_leaves_the_old_or_the_new(
    tmp_path: Path,
) -> None:
    template = tmp_path / "template"
    old = [Named(name="old")]
    Store(template).write_rows(
        "a", old, row_type=Named, origin=ORIGIN, partition="p", part_by="name"
    )
    seen = []
    for home in crashes(template, tmp_path / "homes", "stream"):
        store = Store(home)
        manifest = store.manifest("a", "p")
        assert manifest is not None
        names = [row.name for row in store.scan(Named, "a", "p")]
        assert list(manifest.parts) == names
        for name, digest in manifest.parts.items():
            (row,) = store.scan(Named, "a", "p", part=name, digest=digest)
            assert row.name == name
        seen.append(names)
        store.sweep_orphans()
        assert store.verify() == ()
        assert len(data_files(home)) == 1
    new = [str(number) for number in range(4)]
    assert seen == [["old"]] * seen.count(["old"]) + [new] * seen.count(new)
    assert seen.count(["old"]) > len(new)
    assert seen.count(new) > 1


def test_a_crash_while_storing_a_directory_leaves_none_or_all(tmp_path: Path) -> None:
    template = tmp_path / "template"
    (template / "sub").mkdir(parents=True)
    (template / "sub" / "file").write_text("content")
    for home in crashes(template, tmp_path / "homes", "put"):
        store = Store(home)
        target = home / "directories" / "kind" / "digest"
        if target.exists():
            assert (target / "sub" / "file").read_text() == "content"
        assert store.verify() == ()
        store.sweep_orphans()
        assert [path.name for path in home.glob("staging/*") if path.is_dir()] == []
        stored = store.put_directory("kind", "digest", template)
        assert (stored / "sub" / "file").read_text() == "content"
        assert store.verify() == ()


def test_a_crash_while_keeping_a_result_leaves_the_old_or_the_new(
    tmp_path: Path,
) -> None:
    template = tmp_path / "template"
    Store(template).results("stage").put("key", b"old")
    values = []
    for home in crashes(template, tmp_path / "homes", "remember"):
        store = Store(home)
        values.append(store.results("stage").get("key"))
        store.sweep_orphans()
        assert list(home.rglob("*.tmp")) == []
    assert set(values) == {b"old", b"new"}


def write_often(home: Path, partition: str, worker: int) -> None:
    """Write a partition 20 times, each time with other content."""
    for number in range(20):
        rows = [Number(value=worker * 1000 + number)] * (worker + 1)
        Store(home).write_rows(
            "a", rows, row_type=Number, origin=ORIGIN, partition=partition
        )


def test_processes_that_write_and_read_at_once_see_whole_versions(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path)
    store.write_rows("a", OLD, row_type=Number, origin=ORIGIN, partition="shared")
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        jobs = [
            pool.submit(partial(write_often, tmp_path, partition, worker))
            for worker in range(2)
            for partition in ("shared", f"own{worker}")
        ]
        while not all(job.done() for job in jobs):
            rows = store.rows(Number, "a", "shared")
            assert len(set(rows)) == 1
            worker = rows[0].value // 1000
            assert rows == OLD or len(rows) == worker + 1
        for job in jobs:
            job.result()
    assert {manifest.partition for manifest in store.manifests("a")} == {
        "own0",
        "own1",
        "shared",
    }
    assert len(data_files(tmp_path)) == 3
    assert store.verify() == ()
