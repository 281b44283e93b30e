"""Too many, too large, too fast: what a broker refuses, and goes on after."""

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from envplatform.ws import Broker, FolderHoldings, Request, read_manifest
from envplatform.ws.holdings import MAX_FILE_BYTES
from envplatform.ws.view_table import MAX_TABLE_BYTES, dump_of
from tests.ws.made_manifest import ask, broker_of, manifest_bytes

FOLDERS, FILES = 100, 1000
LONG = """
insert into t
select replace(printf('%.*c', 10000, 'x'), 'x', printf('%.*c', 10000, 'y'))
"""
MANY = """
with recursive n(i) as (select 1 union all select i + 1 from n limit {})
insert into t select printf('%.*c', 1000000, 'x') from n
"""


@pytest.fixture
def root() -> Iterator[Path]:
    """Return a folder in memory where there is one: files by the thousand."""
    memory = Path("/dev/shm")  # noqa: S108  a fresh folder is made in it
    place = memory if memory.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="ws-", dir=place) as made:
        yield Path(made)


def test_a_hundred_thousand_files_are_listed_in_parts(root: Path) -> None:
    for number in range(FOLDERS):
        folder = root / "big" / f"{number:02}"
        folder.mkdir(parents=True)
        for name in range(FILES):
            (folder / f"{name:03}").touch()
    views = [{"name": "all", "kind": "folder", "source": "big"}]
    manifest = read_manifest(manifest_bytes(views, {"big": b""}))
    broker = Broker(manifest, FolderHoldings(root))
    everything = broker.ask(Request("list", {})).data
    assert len(everything["names"]) + everything["left_out"] == FOLDERS * FILES
    assert everything["names"][0]["name"] == "all/00/000"
    part = broker.ask(Request("list", {"prefix": "all/07/01"})).data
    assert [one["name"] for one in part["names"]] == [
        f"all/07/{name:03}" for name in range(10, 20)
    ]
    for prefix, found in (("al", True), ("all/07/..", False), ("b", False)):
        told = broker.ask(Request("list", {"prefix": prefix})).data
        assert bool(told["names"]) == found, prefix


@pytest.mark.parametrize("kind", ["table", "content"])
def test_a_gigabyte_is_refused_unread(tmp_path: Path, kind: str) -> None:
    with (tmp_path / "big").open("wb") as stream:
        stream.truncate(1_000_000_000)
    views = [{"name": "t", "kind": kind, "source": "big"}]
    manifest = read_manifest(manifest_bytes(views, {"big": b"", "small": b""}))
    broker = Broker(manifest, FolderHoldings(tmp_path))
    said = Request("query", {"name": "t", "sql": "select 1"})
    reply = broker.ask(said if kind == "table" else Request("read", {"name": "t"}))
    assert reply.error == "too_large"
    assert f"1000000000 bytes, over the {MAX_FILE_BYTES}" in reply.message
    assert broker.ask(Request("list", {})).ok


def table(rows: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(f"create table t (a text); {rows}")
    return dump_of(connection)


def test_a_table_over_its_bound_is_refused() -> None:
    views = [{"name": "db", "kind": "table", "source": "db"}]
    dump = table("") + b"-- " + b"x" * MAX_TABLE_BYTES
    reply = ask(broker_of(views, {"db": dump}), "query", name="db", sql="select 1")
    assert reply.error == "too_large"
    assert f"over the {MAX_TABLE_BYTES} of a table store" in reply.message


@pytest.mark.parametrize(
    "sql",
    [
        LONG,
        MANY.format(400),
        MANY.format(90),
    ],
    ids=["one value", "a full store", "a long dump"],
)
def test_a_table_does_not_grow_without_bound(sql: str) -> None:
    views = [{"name": "db", "kind": "table", "source": "db"}]
    held = {"db": table("insert into t values ('kept');")}
    broker = broker_of(views, held, operations=["list", "query"], writable_names=["db"])
    reply = ask(broker, "query", name="db", sql=sql)
    assert reply.error == "too_large", reply.message
    rows = ask(broker, "query", name="db", sql="select a from t").data["rows"]
    assert rows == [["kept"]]


def test_a_message_to_the_user_is_bounded_and_needs_one_who_hears_it() -> None:
    broker = broker_of([], {}, operations=["list", "say"])
    assert ask(broker, "say", text="x" * 20_001).error == "too_large"
    assert ask(broker, "say", text=1).error == "invalid"
    unheard = ask(broker, "say", text="hello")
    assert (unheard.error, unheard.message) == ("failed", "the user does not answer")
    silent = broker_of([], {})
    assert ask(silent, "say", text="hello").error == "refused"
