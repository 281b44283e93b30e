"""Held-out sets on disk: hashes only, one JSON object.

    {"format": "envplatform held-out hashes", "version": 1, "name": "our-benchmark",
     "repositories": [64 hex, ...], "blobs": [64 hex, ...], "ngrams": [16 hex, ...]}

`hash_set` makes one of fix instances. A patch is enough for repositories and lines;
whole files are recognised only where both sides of the fix are given too.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import ConfigError, PatchError
from envplatform.swe.fixes.analysis.digests import git_blob
from envplatform.swe.fixes.analysis.ngrams import ngrams_of_patch
from envplatform.swe.fixes.analysis.paths import path_kind
from envplatform.swe.fixes.curation.hashes import (
    HeldOutSet,
    blob_hash,
    repository_hash,
)
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.sides import Sides

FORMAT = "envplatform held-out hashes"
VERSION = 1

_FIELDS = frozenset({"format", "version", "name", "repositories", "blobs", "ngrams"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SHA256_DIGITS, _NGRAM_DIGITS = 64, 16
_MAX_FILE_BYTES = 2**30
_MIN_BLOB_BYTES = 200
"""Smaller files (empty ones, two imports) are the same in many repositories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutFix:
    """One held-out instance, with its files where they are at hand."""

    instance: FixInstance
    sides: Sides | None = None


def hash_set(
    name: str, fixes: Iterable[HeldOutFix], *, unread: list[str] | None = None
) -> HeldOutSet:
    """Hash repositories, changed lines, and files where `sides` are given.

    Args:
        name: of the set.
        fixes: what to hold out.
        unread: takes the ids of instances whose patch is no diff that is taken; of
            them the repository alone is held out.

    Raises:
        ConfigError: without `unread`, of the first such patch; naming the instance.
    """
    repositories: set[str] = set()
    blobs: set[str] = set()
    ngrams: set[int] = set()
    for fix in fixes:
        repositories.add(repository_hash(fix.instance.repository))
        try:
            ngrams |= _ngrams(fix)
        except ConfigError:
            if unread is None:
                raise
            unread.append(fix.instance.instance_id)
        blobs |= _blobs(fix.sides) if fix.sides else set()
    return HeldOutSet(
        name=name,
        repositories=frozenset(repositories),
        blobs=frozenset(blobs),
        ngrams=frozenset(ngrams),
    )


def _ngrams(fix: HeldOutFix) -> frozenset[int]:
    patch = fix.sides.bug_patch if fix.sides else fix.instance.patch
    if patch and not patch.endswith("\n"):
        patch += "\n"
    try:
        return ngrams_of_patch(patch)
    except PatchError as error:
        msg = f"held-out instance {fix.instance.instance_id!r}, patch: {error}"
        raise ConfigError(msg) from error


def _blobs(sides: Sides) -> set[str]:
    return {
        blob_hash(git_blob(file.data))
        for tree in (sides.buggy, sides.fixed)
        for path, file in tree.items()
        if path_kind(path) == "code" and len(file.data) >= _MIN_BLOB_BYTES
    }


def write_held_out(held: HeldOutSet, path: Path) -> None:
    """Write a set; whatever was at `path` is replaced, at once and only when whole.

    Raises:
        ConfigError: the name of the set may not stand in a file.
        OSError: `path` can't be written.
    """
    _check_name(held.name, path)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "name": held.name,
        "repositories": sorted(held.repositories),
        "blobs": sorted(held.blobs),
        "ngrams": [f"{gram:016x}" for gram in sorted(held.ngrams)],
    }
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=path.name, suffix=".part", delete=False
    ) as part:
        try:
            json.dump(content, part, indent=0)
            part.close()
            Path(part.name).replace(path)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    path.chmod(0o666 & ~_umask())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_held_out(path: Path) -> HeldOutSet:
    """Read what `write_held_out` wrote.

    Raises:
        ConfigError: the file can't be read or is of another format; names file and
            field.
    """
    content = _read_object(path)
    if content.get("format") != FORMAT:
        msg = f"{path}: field format is {_show(content.get('format'))}, not {FORMAT!r}"
        raise ConfigError(msg)
    if content.get("version") != VERSION:
        found = _show(content.get("version"))
        msg = f"{path}: field version is {found}; this release reads version {VERSION}"
        raise ConfigError(msg)
    for name in sorted(content.keys() ^ _FIELDS):
        problem = "is missing" if name in _FIELDS else "is unknown"
        msg = f"{path}: field {_show(name)} {problem}"
        raise ConfigError(msg)
    return HeldOutSet(
        name=_check_name(content["name"], path),
        repositories=frozenset(_hashes(content, "repositories", _SHA256_DIGITS, path)),
        blobs=frozenset(_hashes(content, "blobs", _SHA256_DIGITS, path)),
        ngrams=frozenset(
            int(gram, 16) for gram in _hashes(content, "ngrams", _NGRAM_DIGITS, path)
        ),
    )


def _read_object(path: Path) -> Mapping[str, object]:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            msg = f"{path}: over {_MAX_FILE_BYTES:,} bytes; split the set"
            raise ConfigError(msg)
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path} can't be read ({error}); it stands in fixes.curation"
        raise ConfigError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{path} is no valid JSON: {error}"
        raise ConfigError(msg) from error
    if not isinstance(content, dict):
        msg = f"{path}: holds no JSON object, but {_show(content)}"
        raise ConfigError(msg)
    return content


def _hashes(
    content: Mapping[str, object], name: str, digits: int, path: Path
) -> Sequence[str]:
    values = content[name]
    if not isinstance(values, list):
        msg = f"{path}: field {name} is no list, but {_show(values)}"
        raise ConfigError(msg)
    valid = re.compile(f"[0-9a-f]{{{digits}}}")
    for number, value in enumerate(values):
        if not isinstance(value, str) or not valid.fullmatch(value):
            msg = (
                f"{path}: field {name}[{number}] is {_show(value)}, "
                f"not {digits} lower-case hex digits"
            )
            raise ConfigError(msg)
    return values


def _check_name(name: object, path: Path) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        msg = f"{path}: field name is {_show(name)}; use letters, digits and `._-`"
        raise ConfigError(msg)
    return name


def _show(value: object) -> str:
    return ascii(value)[:80]
