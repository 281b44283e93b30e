"""`release.json`: what a release says of itself, and the files that it consists of."""

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from envplatform.bundle import records
from envplatform.errors import BundleError, StoreError
from envplatform.release.members import LeftOut, Member

FORMAT = "envplatform release"
FORMAT_VERSION = 1
MANIFEST = "release.json"
CARD = "README.md"
MEMBERS = "members.jsonl"
LEFT_OUT = "left_out.jsonl"

_HEX = re.compile(r"[0-9a-f]{64}")
_MOST_MANIFEST_BYTES = 10_000_000
_MOST_LINE_BYTES = 1_000_000

Line = TypeVar("Line", Member, LeftOut)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """One file of a release."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much there is."""

    environments: int
    trajectories: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One version of a data set."""

    format: str
    format_version: int
    name: str
    version: int
    """From 1; a version is never given twice."""
    digest: str
    """Of its content, whatever version and time."""
    created: str
    """ISO 8601, with time zone."""
    policy: Mapping[str, str]
    """What decided: settings by name, and the digests of held-out sets."""
    counts: Counts
    notes: tuple[str, ...]
    """What a reader should know of its making, one sentence each."""
    files: Mapping[str, FileFacts]
    """All but release.json, by path."""


def manifest_bytes(release: Release) -> bytes:
    """Return the content of release.json."""
    return records.dump(records.encode(release))


def read_release(folder: Path) -> Release:
    """Read release.json; the files it names are not looked at.

    Raises:
        StoreError: there is none, or it is no such file, or of another format; names
            file and field.
    """
    path = folder / MANIFEST
    try:
        _check_plain(path)
        if path.stat().st_size > _MOST_MANIFEST_BYTES:
            msg = f"{path} is over {_MOST_MANIFEST_BYTES:,} bytes"
            raise StoreError(msg)
        said = records.load(path.read_bytes(), str(path))
        if said.get("format") != FORMAT or said.get("format_version") != FORMAT_VERSION:
            msg = f"{path} is no {FORMAT} of format {FORMAT_VERSION}"
            raise StoreError(msg)
        release = records.decode(Release, said, str(path))
    except OSError as error:
        msg = f"{folder} holds no release that can be read ({error})"
        raise StoreError(msg) from error
    except BundleError as error:
        raise StoreError(str(error)) from error
    _check(release, path)
    return release


def read_members(folder: Path) -> tuple[Member, ...]:
    """What is in a release, in the order it was written.

    Raises:
        StoreError: the list is missing or damaged; names the line.
    """
    return _read_lines(folder / MEMBERS, Member)


def read_left_out(folder: Path) -> tuple[LeftOut, ...]:
    """What is not, and why.

    Raises:
        StoreError: the list is missing or damaged; names the line.
    """
    return _read_lines(folder / LEFT_OUT, LeftOut)


def _read_lines(path: Path, kind: type[Line]) -> tuple[Line, ...]:
    try:
        _check_plain(path)
        with path.open("rb") as file:
            return tuple(
                _line(kind, number, path, data)
                for number, data in enumerate(_lines(file), start=1)
            )
    except (OSError, BundleError) as error:
        msg = f"{path} can't be read ({error})"
        raise StoreError(msg) from error


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines, cut where one never ends."""
    while data := file.readline(_MOST_LINE_BYTES):
        yield data


def _line(kind: type[Line], number: int, path: Path, data: bytes) -> Line:
    where = f"{path.name}, line {number}"
    return records.decode(kind, records.load(data, where), where)


def _check_plain(path: Path) -> None:
    """See that it is a file: a pipe would never end.

    Raises:
        StoreError: it is none.
        OSError: there is nothing.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        msg = f"{path} is no plain file"
        raise StoreError(msg)


def _check(release: Release, path: Path) -> None:
    """See that names lead nowhere and digests are some: they may be a stranger's."""
    bad = [one for one in release.files if not _is_plain(one)]
    wrong = [
        name for name, one in release.files.items() if not _HEX.fullmatch(one.sha256)
    ]
    if bad or wrong or not _HEX.fullmatch(release.digest) or release.version < 1:
        what = next(iter(bad + wrong), "digest or version")
        msg = f"{path}: {what!r} is no file, digest or version of a release"
        raise StoreError(msg)


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9_]+(/[A-Za-z0-9_]+)?\.[a-z]+", name) is not None
