"""The private pipe: only what the plugin wrote, all of it, in order."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.p2f.inside.channel import ChannelError, Reader, open_writer

KEY = b"k" * 32
RECORDS: list[dict[str, object]] = [
    {"kind": "begin", "id": "é\u2028\n"},
    {"kind": "end"},
    {"n": 1.5},
]


def written(
    records: list[dict[str, object]], *, key: bytes = KEY, stream: int = 0
) -> bytes:
    """The bytes that a writer sends."""
    out, into = os.pipe()
    try:
        send = open_writer(into, key, stream)
        for record in records:
            send(record)
        return os.read(out, 1_000_000)
    finally:
        os.close(out)
        os.close(into)


def read(data: bytes, *, size: int = 1_000_000) -> list[tuple[int, dict[str, object]]]:
    """What a reader makes of `data`, fed `size` bytes at a time."""
    reader = Reader(KEY, 1_000_000)
    found = [
        item
        for start in range(0, len(data), size)
        for item in reader.feed(data[start : start + size])
    ]
    reader.close()
    return found


@given(st.integers(min_value=1, max_value=40))
def test_records_arrive_whole_however_they_are_cut(size: int) -> None:
    """Pipes give any number of bytes."""
    assert read(written(RECORDS), size=size) == [(0, record) for record in RECORDS]


@given(st.data())
def test_any_changed_byte_is_noticed(data: st.DataObject) -> None:
    """No other content, stream or signature passes for a record."""
    good = written(RECORDS)
    place = data.draw(st.integers(0, len(good) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != good[place]))
    bad = good[:place] + bytes([byte]) + good[place + 1 :]
    with pytest.raises(ChannelError):
        read(bad)


@given(st.permutations(range(3)).filter(lambda order: order != [0, 1, 2]))
def test_reordered_records_are_noticed(order: list[int]) -> None:
    """The number is signed with the content."""
    lines = written(RECORDS).splitlines(keepends=True)
    with pytest.raises(ChannelError):
        read(b"".join(lines[place] for place in order))


def test_repeated_left_out_and_cut_records_are_noticed() -> None:
    """Neither a copy nor a gap nor half a line passes."""
    first, second, third = written(RECORDS).splitlines(keepends=True)
    for bad in (first + first, first + third, second, first + second[:-1]):
        with pytest.raises(ChannelError):
            read(bad)


def test_another_key_is_no_key() -> None:
    """Who has not got the key can't write a record."""
    with pytest.raises(ChannelError):
        read(written([{"kind": "finish"}], key=b"x" * 32))


def test_streams_count_apart() -> None:
    """Repetitions have streams of their own."""
    both = written([{"a": 1}], stream=1) + written([{"b": 2}], stream=2)
    assert read(both) == [(1, {"a": 1}), (2, {"b": 2})]


def test_a_flood_is_cut_off() -> None:
    """More than the job allows is an error, not memory."""
    reader = Reader(KEY, 1000)
    with pytest.raises(ChannelError):
        list(reader.feed(b"x" * 1001))


def test_a_forked_copy_falls_silent() -> None:
    """A test that forks and runs on must not report twice."""
    out, into = os.pipe()
    send = open_writer(into, KEY, 0)
    child = os.fork()
    if child == 0:
        send({"kind": "finish"})
        os._exit(0)
    os.waitpid(child, 0)
    send({"kind": "begin"})
    data = os.read(out, 10_000)
    os.close(out)
    os.close(into)
    assert read(data) == [(0, {"kind": "begin"})]
