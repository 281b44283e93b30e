"""Rows of JSON Lines and of JSON arrays, one at a time, whatever the file's size."""

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.sources.rows import MAX_ROW_BYTES, BrokenRow, Row

_CHUNK_BYTES = 2**20
_BOM = b"\xef\xbb\xbf"
_GAP = re.compile(rb"[\s,]*+")
_BETWEEN_ITEMS = re.compile(rb'["{}\[\],]')
_BETWEEN_FIELDS = re.compile(rb'["{}\[\]]')
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_MAX_VALUES = 1_000_000
"""Of one row, members and items together; real rows have some ten thousand tests."""
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)


def json_line_rows(path: Path) -> Iterator[Row | BrokenRow]:
    """Yield the object on each line; blank lines are none. `.gz` is unpacked.

    Raises:
        FixSourceError: the file can't be opened.
    """
    with _open(path) as file:
        number = 0
        while True:
            number += 1
            where = f"{path.name}, line {number}"
            try:
                line = file.readline(MAX_ROW_BYTES + 1)
                if len(line) > MAX_ROW_BYTES:
                    _skip_line(file)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                yield _broken(where, f"the file breaks off: {error}")
                return
            if not line:
                return
            if len(line) > MAX_ROW_BYTES:
                yield _too_large(where)
            elif line.strip():
                yield _parse(where, line, at_end=not line.endswith(b"\n"))


def json_array_rows(path: Path) -> Iterator[Row | BrokenRow]:
    """Yield each object of an array, or of objects in a row without one.

    Objects are cut out by their braces before they are parsed: one that is no JSON, or
    no UTF-8, costs no other.

    Raises:
        FixSourceError: the file can't be opened, or begins with neither `[` nor `{`.
    """
    with _open(path) as file:
        scanner = _Scanner(file)
        opening = scanner.enter()
        if opening not in {b"[", b"{"}:
            msg = f"{path} begins with {opening!r}, expected a JSON array of objects"
            raise FixSourceError(msg)
        number = 0
        while (item := scanner.next_item()) is not None:
            number += 1
            where = f"{path.name}, row {number}"
            if len(item) > MAX_ROW_BYTES:
                yield _too_large(where)
            else:
                yield _parse(where, item, at_end=scanner.broken_off)
        if opening == b"[" and not scanner.closed and not scanner.broken_off:
            yield _broken(f"{path.name}, row {number + 1}", "the array is never closed")


class _Scanner:
    """Cuts top-level items out of a stream: counts braces, steps over strings.

    Holds one chunk and one item, the item cut off at `MAX_ROW_BYTES` and one.
    """

    def __init__(self, file: BufferedIOBase) -> None:
        self.closed = False
        """The array came to its end."""
        self.broken_off = False
        """The file ended within an item."""
        self._file = file
        self._chunk = b""
        self._position = 0
        self._depth = 0
        self._in_string = False

    def enter(self) -> bytes:
        """First byte that is no blank; an array's bracket is stepped over."""
        if self._fill() and self._chunk.startswith(_BOM):
            self._position = len(_BOM)
        first = self._skip_gap()
        self._position += first == b"["
        return first

    def next_item(self) -> bytes | None:
        """Bytes of the next item; None at the end."""
        first = self._skip_gap()
        if first in {b"", b"]"}:
            self.closed = first == b"]"
            return None
        item = bytearray()
        while self._fill():
            start = self._position
            complete = self._advance()
            room = MAX_ROW_BYTES + 1 - len(item)
            item += self._chunk[start : min(self._position, start + room)]
            if complete:
                return bytes(item)
        self.broken_off = True
        return bytes(item)

    def _advance(self) -> bool:
        """Go on in this chunk; true where the item ends."""
        while self._position < len(self._chunk):
            if self._in_string:
                self._advance_in_string()
                continue
            marks = _BETWEEN_FIELDS if self._depth else _BETWEEN_ITEMS
            found = marks.search(self._chunk, self._position)
            self._position = found.end() if found else len(self._chunk)
            if found and self._count(found[0]):
                return True
        return False

    def _count(self, mark: bytes) -> bool:
        self._in_string = mark == b'"'
        self._depth += (mark in b"{[") - (mark in b"}]")
        if self._depth < 0:  # a bracket too many ends the array, not the item
            self._depth = 0
            self._position -= 1
            return True
        return self._depth == 0 and mark in b"}],"

    def _advance_in_string(self) -> None:
        found = _IN_STRING.match(self._chunk, self._position)
        self._position = found.end() if found else self._position
        rest = self._chunk[self._position : self._position + 1]
        self._in_string = rest != b'"'
        self._position += rest == b'"'

    def _skip_gap(self) -> bytes:
        """The next byte that is no blank or comma; empty at the end of the file."""
        while self._fill():
            gap = _GAP.match(self._chunk, self._position)
            self._position = gap.end() if gap else self._position
            if self._position < len(self._chunk):
                return self._chunk[self._position : self._position + 1]
        return b""

    def _fill(self) -> bool:
        """See to it that there is a byte to look at."""
        if self._position < len(self._chunk):
            return True
        self._position = 0
        try:
            self._chunk = self._file.read1(_CHUNK_BYTES)
            while self._chunk.endswith(b"\\") and (more := self._file.read(1)):
                self._chunk += more  # an escape is never cut in two
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self._chunk = b""
        return bool(self._chunk)


def _open(path: Path) -> BufferedIOBase:
    try:
        if path.suffix == ".gz":
            return gzip.open(path, "rb")
        return path.open("rb")
    except OSError as error:
        msg = f"{path} can't be opened: {error.strerror or error}"
        raise FixSourceError(msg) from error


def _skip_line(file: BufferedIOBase) -> None:
    while (rest := file.readline(_CHUNK_BYTES)) and not rest.endswith(b"\n"):
        pass


def _parse(where: str, data: bytes, *, at_end: bool) -> Row | BrokenRow:
    if _has_too_many_values(data):
        detail = f"the row has more than {_MAX_VALUES:,} values"
        return BrokenRow(where=where, reason="too_large", detail=detail)
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
        value = json.loads(text, parse_constant=lambda _: None)
    except UnicodeDecodeError as error:
        return _broken(where, f"no UTF-8 at byte {error.start + 1} of the row")
    except (ValueError, RecursionError) as error:
        reason = "the file breaks off here" if at_end else "no valid JSON"
        return _broken(where, f"{reason}: {error}")
    if not isinstance(value, dict):
        return _broken(where, f"is a {type(value).__name__}, expected an object")
    return Row(where=where, fields=value)


def _has_too_many_values(data: bytes) -> bool:
    """Tell whether a row would take far more memory than it has bytes.

    An empty list of two bytes takes seventy. Texts are full of brackets and commas, so
    they are cut out before these are counted; most rows never get so far.
    """
    if len(data) <= _MAX_VALUES or _marks(data) <= _MAX_VALUES:
        return False
    return _marks(_STRING.sub(b"", data)) > _MAX_VALUES


def _marks(data: bytes) -> int:
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def _broken(where: str, detail: str) -> BrokenRow:
    return BrokenRow(where=where, reason="unreadable", detail=detail)


def _too_large(where: str) -> BrokenRow:
    detail = f"the row has more than {MAX_ROW_BYTES:,} bytes"
    return BrokenRow(where=where, reason="too_large", detail=detail)
