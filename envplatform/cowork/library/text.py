"""Bytes of strangers to text, or why they are none that is taken."""

import codecs
import gzip
import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO

from envplatform.cowork.library.resource import Refusal

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HOSTILE = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but tab, line ends and form feed; marks that turn the direction of
text around; and halves of characters, which JSON can spell."""
_FOREIGN_SHARE = 0.3
"""Of bytes over 127, from which on an 8-bit encoding is no likely one."""
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file is not taken."""

    reason: Refusal
    detail: str


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded content, line ends as they came."""

    text: str
    encoding: str


def unpacked(path: str, data: bytes, limit: int) -> tuple[str, bytes] | Fault:
    """Name and content of what a `.gz` or a `.zip` of one file holds.

    Anything else comes back as it is. Never more than `limit` bytes are unpacked.
    """
    suffix = path.rpartition(".")[2].lower()
    try:
        if suffix == "gz":
            with gzip.open(io.BytesIO(data)) as stream:
                return _bounded(path.rpartition(".")[0], stream, limit)
        if suffix == "zip":
            return _single(path, data, limit)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        return Fault("unsound", f"can't be unpacked: {error}")
    except (NotImplementedError, ValueError) as error:
        return Fault("unsound", f"is packed in a way that is not taken: {error}")
    if len(data) > limit:
        return _too_large(limit)
    return path, data


def decode(data: bytes) -> Text | Fault:
    """Text of a file in UTF-8, in UTF-16 or -32 with a mark, or in Windows-1252."""
    if not data.strip():
        return Fault("empty", "no content")
    found = _decoded(data)
    if isinstance(found, Fault):
        return found
    if fault := hostile(found.text):
        return fault
    if not found.text.strip():
        return Fault("empty", "no content")
    return found


def hostile(text: str) -> Fault | None:
    """Say where text holds a character that steers a terminal or hides something."""
    found = _HOSTILE.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    return Fault("control_characters", f"line {line} holds U+{ord(found[0]):04X}")


def _decoded(data: bytes) -> Text | Fault:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return Text(data.decode(encoding), encoding)
            except UnicodeDecodeError as error:
                return Fault("malformed", f"has the mark of {encoding}: {error.reason}")
    if b"\0" in data:
        return Fault("binary", f"byte {data.index(0)} is NUL")
    marked = data.startswith(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _eight_bits(data, error.start)
    return Text(text, "utf-8 with mark" if marked else "utf-8")


def _eight_bits(data: bytes, bad: int) -> Text | Fault:
    """Windows-1252, unless parts are UTF-8 or it is no likely text at all."""
    lenient = data.decode("utf-8", "surrogateescape")
    if any(ord(one) > 127 and not 0xDC80 <= ord(one) <= 0xDCFF for one in lenient):  # noqa: PLR2004  ASCII, and how Python spells bytes that are no UTF-8
        detail = f"byte {bad} is no UTF-8, and other parts are"
        return Fault("mixed_encodings", detail)
    foreign = sum(byte > 127 for byte in data)  # noqa: PLR2004  ASCII
    try:
        if foreign > _FOREIGN_SHARE * len(data):
            return Fault("binary", f"{foreign} of {len(data)} bytes are no ASCII")
        return Text(data.decode("cp1252"), "windows-1252")
    except UnicodeDecodeError as error:
        detail = f"byte {error.start} is neither UTF-8 nor Windows-1252"
        return Fault("binary", detail)


def _single(path: str, data: bytes, limit: int) -> tuple[str, bytes] | Fault:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [one for one in archive.infolist() if not one.is_dir()]
        if len(files) != 1:
            return Fault("unsound", f"is a .zip of {len(files)} files; one is taken")
        inner = files[0].filename.rpartition("/")[2]
        folder = path.rpartition("/")[0]
        with archive.open(files[0]) as stream:
            return _bounded(f"{folder}/{inner}" if folder else inner, stream, limit)


def _bounded(
    name: str, stream: IO[bytes] | gzip.GzipFile, limit: int
) -> tuple[str, bytes] | Fault:
    """Read piece by piece: a bomb is given up at the limit."""
    out = bytearray()
    while piece := stream.read(_PIECE):
        out += piece
        if len(out) > limit:
            return _too_large(limit)
    return name, bytes(out)


def _too_large(limit: int) -> Fault:
    return Fault("too_large", f"is over {limit:,} bytes, unpacked")
