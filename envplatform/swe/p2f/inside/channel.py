"""The private pipe between the child and the runner: signed, numbered records.

A record is one line: signature, stream, JSON. The signature covers stream, running
number and content, so that a record can't be invented, repeated, reordered or left
out by whoever finds the pipe but not the key. Knows nothing of pytest.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

MAX_LINE = 8_000_000
"""Bytes of one record; a longer one is taken for garbage."""
_MAX_STREAM_DIGITS = 6


class ChannelError(Exception):
    """Something that the plugin did not write arrived on its pipe."""


def open_writer(fd: int, key: bytes, stream: int) -> Callable[[dict[str, Any]], None]:
    """Return the function that sends one record on `fd`.

    The key stays in an opaque object of the interpreter. Only this very process can
    send: a forked copy that runs on falls silent instead of doubling records.
    Functions are bound now, since tests patch `os` and `json`.
    """
    signer = hmac.new(key, digestmod="sha256")
    owner, getpid, write, dumps = os.getpid(), os.getpid, os.write, json.dumps
    number = 0

    def send(record: dict[str, Any]) -> None:
        nonlocal number
        if getpid() != owner:
            return
        content = dumps(record).encode("ascii")
        signature = signer.copy()
        signature.update(b"%d:%d:" % (stream, number) + content)
        number += 1
        left = b"%s %d %s\n" % (signature.hexdigest().encode(), stream, content)
        while left:
            left = left[write(fd, left) :]

    return send


class Reader:
    """Takes bytes from the pipe and gives back the records that are genuine."""

    def __init__(self, key: bytes, max_total: int) -> None:
        self._key = key
        self._max_total = max_total
        self._total = 0
        self._rest = b""
        self._numbers: dict[int, int] = {}

    def feed(self, data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (stream, record) for each line that `data` completes.

        Raises:
            ChannelError: a line is not signed, not in order, or too long.
        """
        self._total += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._total > self._max_total or len(self._rest) > MAX_LINE:
            msg = "more came on the plugin's pipe than the job allows"
            raise ChannelError(msg)
        for line in lines:
            yield self._record(line)

    def close(self) -> None:
        """Say that nothing more will come.

        Raises:
            ChannelError: the last line has no end.
        """
        if self._rest:
            msg = "the last record on the plugin's pipe is cut off"
            raise ChannelError(msg)

    def _record(self, line: bytes) -> tuple[int, dict[str, Any]]:
        signature, _, rest = line.partition(b" ")
        name, _, content = rest.partition(b" ")
        known = name.isdigit() and len(name) <= _MAX_STREAM_DIGITS
        stream = int(name) if known else -1
        number = self._numbers.get(stream, 0)
        signed = b"%d:%d:" % (stream, number) + content
        expected = hmac.new(self._key, signed, "sha256").hexdigest().encode()
        if not known or not hmac.compare_digest(signature, expected):
            msg = "a line on the plugin's pipe is not its next record"
            raise ChannelError(msg)
        self._numbers[stream] = number + 1
        record: dict[str, Any] = json.loads(content.decode("ascii"))
        return stream, record
