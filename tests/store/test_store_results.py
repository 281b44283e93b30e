"""The cache of results: keys hold all that decides them; only values are kept."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import SandboxError, StoreError
from envplatform.store import Store, result_key
from tests.store.rows import Finding, Number, finding

BASE = {
    "revision": 1,
    "inputs": {"candidate": "abc"},
    "config": {"runs": 2},
    "tools": {"pytest": "9"},
}


def test_each_part_of_the_key_counts_and_order_does_not() -> None:
    def key(**changes: object) -> str:
        return result_key(**{**BASE, **changes})  # type: ignore[arg-type]  # one call for all parts

    assert key() == key(inputs=dict(reversed({"candidate": "abc"}.items())))
    changed = {
        key(),
        key(revision=2),
        key(inputs={"candidate": "abd"}),
        key(inputs={}),
        key(config={"runs": 3}),
        key(tools={"pytest": "8"}),
    }
    assert len(changed) == 6


@given(value=st.binary())
def test_any_bytes_come_back(
    value: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cache = Store(tmp_path_factory.mktemp("home")).results("stage")
    assert cache.get("key") is None
    cache.put("key", value)
    assert cache.get("key") == value
    cache.put("key", value + b"more")
    assert cache.get("key") == value + b"more"


def test_remember_computes_once(store: Store) -> None:
    calls = []

    def compute() -> bytes:
        calls.append(1)
        return b"value"

    cache = store.results("stage")
    assert cache.remember("key", compute) == b"value"
    assert cache.remember("key", compute) == b"value"
    assert calls == [1]
    assert store.results("other").get("key") is None


def test_an_infrastructure_error_is_not_remembered(store: Store) -> None:
    cache = store.results("stage")

    def broken() -> bytes:
        message = "no space left"
        raise SandboxError(message)

    with pytest.raises(SandboxError):
        cache.remember("key", broken)
    assert cache.get("key") is None
    assert cache.remember("key", lambda: b"fine") == b"fine"


def test_a_damaged_entry_counts_as_absent(store: Store) -> None:
    cache = store.results("stage")
    cache.put("key", b"value")
    (path,) = (path for path in cache.folder.rglob("*") if path.name == "key")
    for damaged in (b"", b"value", path.read_bytes()[:-1], path.read_bytes() + b"x"):
        path.write_bytes(damaged)
        assert cache.get("key") is None
    cache.put("key", b"value")
    assert cache.get("key") == b"value"


def test_rows_come_back_as_rows(store: Store) -> None:
    cache = store.results("stage")
    row = finding("\udc80 text")
    assert cache.get_row("key", Finding) is None
    cache.put_row("key", row)
    assert cache.get_row("key", Finding) == row
    with pytest.raises(StoreError, match="field value of Number is missing"):
        cache.get_row("key", Number)


def test_a_key_cannot_leave_the_store(store: Store, tmp_path: Path) -> None:
    store.results("../../x").put("../../../y", b"")
    assert {path.name for path in tmp_path.iterdir()} == {"home"}
    assert {path.name for path in store.home.iterdir()} == {"results"}
