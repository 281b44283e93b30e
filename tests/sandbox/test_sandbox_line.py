"""The channel to a container believes nothing that is not well-formed."""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import SandboxError
from envplatform.sandbox.line import HungUpError, Line, Patience


@pytest.fixture
def ends() -> Iterator[tuple[Line, socket.socket]]:
    """A line, and the other end of it."""
    here, there = socket.socketpair()
    with here, there:
        yield Line(here, here), there


def frames(data: bytes, kind: int = 1) -> bytes:
    """`data` as the engine frames it."""
    return struct.pack(">BxxxL", kind, len(data)) + data


def soon() -> Patience:
    """Patience for a second."""
    return Patience(time.monotonic() + 1, lambda: False)


def test_an_answer_arrives_however_it_is_cut(ends: tuple[Line, socket.socket]) -> None:
    line, other = ends
    answer = frames(b'{"bytes": 5, "exit') + frames(b"noise\n", kind=2)
    answer += frames(b'_code": 3}\nhel') + frames(b"lo")

    def send() -> None:
        for number in range(len(answer)):
            other.send(answer[number : number + 1])

    thread = threading.Thread(target=send)
    thread.start()
    reply, data = line.ask({"do": "x"}, b"in", soon(), most=5)
    thread.join()
    assert (reply.exit_code, data, line.last_words) == (3, b"hello", "noise\n")
    head, _, payload = other.recv(1000).partition(b"\n")
    assert (json.loads(head), payload) == ({"do": "x", "bytes": 2}, b"in")


@pytest.mark.parametrize(
    "answer",
    [
        b"\n",
        b"[]\n",
        b"nonsense\n",
        b"{}\n",
        b'{"bytes": -1}\n',
        b'{"bytes": 6}\nhello!',
        b'{"bytes": "5"}\nhello',
        b'{"bytes": 0, "breach": "won"}\n',
        b'{"bytes": 0, "unknown": 1}\n',
    ],
)
def test_anything_else_is_no_answer(
    ends: tuple[Line, socket.socket], answer: bytes
) -> None:
    line, other = ends
    other.send(frames(answer))
    with pytest.raises(SandboxError):
        line.ask({}, b"", soon(), most=5)


@given(answer=st.binary(max_size=60))
def test_no_answer_breaks_the_line_in_any_other_way(answer: bytes) -> None:
    here, there = socket.socketpair()
    with here, there:
        there.send(answer)
        there.shutdown(socket.SHUT_WR)
        with pytest.raises((SandboxError, HungUpError)):
            Line(here, here).ask({}, b"", soon(), most=5)


def test_silence_ends_with_patience(ends: tuple[Line, socket.socket]) -> None:
    line, _ = ends
    with pytest.raises(HungUpError):
        line.ask({}, b"", Patience(time.monotonic() + 0.01, lambda: False), most=5)


def test_a_cancelled_question_is_called_off_once(
    ends: tuple[Line, socket.socket],
) -> None:
    line, other = ends
    patience = Patience(time.monotonic() + 0.5, lambda: True)
    with pytest.raises(HungUpError):
        line.ask({}, b"", patience, most=5)
    assert other.recv(1000) == b'{"bytes": 0}\n\n'
