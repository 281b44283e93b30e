"""What documents tell of: names to read, values to pass; and where each came from.

Nothing here knows how an environment was made. A name is whatever looks like a path, a
value whatever stands for itself in JSON or between marks in a text.
"""

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+")
_MARKED = re.compile(r"[<#\[{]([A-Za-z0-9_-]{3,40})[>#\]}]")
_QUOTED = re.compile(r"`([^`]{1,80})`")
_DIGEST = re.compile(r"SHA-256 begins with ([0-9a-f]{6,64})")
_DAMAGED = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError),
    *(EOFError, struct.error, zlib.error),
)
"""What reading an archive may end in; parts of one look like archives too."""
_MOST_BYTES = 1_000_000
_MOST_NESTED = 4
_LONGEST_VALUE = 80


@dataclass(slots=True)
class Mentions:
    """Accounts of names and the documents that were read, by where they came from."""

    about: dict[str, str] = field(default_factory=dict)
    """Name to what the list tells of it."""
    origin: dict[str, str] = field(default_factory=dict)
    """Name to the name of the document that told of it."""
    values: dict[str, dict[str, None]] = field(default_factory=dict)
    """Name to values in its document, in their order."""
    stamps: dict[str, dict[str, None]] = field(default_factory=dict)
    """Key of a JSON object to values that stood under it anywhere."""
    locked: dict[str, str] = field(default_factory=dict)
    """Name to the argument that it wants, where no value has been found for sure."""
    finished: dict[str, str] = field(default_factory=dict)
    """Name to its finished job."""
    waiting: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Name to those of which it wants finished jobs."""

    def learn(self, name: str, content: bytes) -> list[str]:
        """Remember a document; return names that it tells of."""
        text = unpacked(content)
        data = _parsed(text)
        values = list(_strings(data, self.stamps)) if data is not None else []
        values += _MARKED.findall(text)
        known = self.values.setdefault(name, {})
        known.update(dict.fromkeys(one for one in values if one))
        told = values if data is not None else []
        names = [one for one in told if _NAME.fullmatch(one)]
        if _NAME.fullmatch(text.strip()):
            names.append(text.strip())
        for one in names:
            self.origin.setdefault(one, name)
        return list(dict.fromkeys(names))

    def learn_list(self, names: list[dict[str, Any]]) -> None:
        """Remember what a list tells of names, and whose account names another."""
        for one in names:
            self.about[str(one["name"])] = str(one.get("about", ""))
        for name, about in self.about.items():
            for other in self.about:
                if other != name and other in about:
                    self.origin.setdefault(other, name)

    def named_by(self, name: str) -> list[str]:
        """Return names in the account of `name` that no list has told of."""
        found = _NAME.findall(self.about.get(name, ""))
        told = [one.rstrip(".") for one in found if one.rstrip(".") != name]
        fresh = [one for one in dict.fromkeys(told) if one not in self.about]
        for one in fresh:
            self.origin.setdefault(one, name)
        return fresh

    def keys_for(self, name: str) -> list[str]:
        """Return values that may have to be passed to `name`, most likely ones first."""
        about = self.about.get(name, "")
        begins = _DIGEST.search(about)
        quoted = [
            value
            for word in _QUOTED.findall(about)
            for value in self.stamps.get(word, ())
        ]
        if begins:
            fit = (one for one in quoted if _sha256(one).startswith(begins[1]))
            return list(dict.fromkeys(fit))
        near = [
            value
            for other, values in self.values.items()
            for value in values
            if self._speaks_of(other, name)
        ]
        return list(dict.fromkeys((*(one for one in quoted if one in near), *near)))

    def _speaks_of(self, other: str, name: str) -> bool:
        """Whether the account of a document, or of where it came from, names `name`."""
        seen: set[str] = set()
        while other and other not in seen:
            seen.add(other)
            if name in self.about.get(other, "") or other in self.about.get(name, ""):
                return True
            other = self.origin.get(other, "")
        return False

    def terms(self, name: str) -> list[str]:
        """Return what the account of `name` sets apart to be passed as it stands."""
        return _QUOTED.findall(self.about.get(name, ""))


def unpacked(content: bytes) -> str:
    """Return a content as text; of an archive, its members', one after the other."""
    for _ in range(_MOST_NESTED):
        try:
            if not zipfile.is_zipfile(io.BytesIO(content)):
                break
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                small = [m for m in archive.infolist() if m.file_size <= _MOST_BYTES]
                content = b"\n".join(archive.read(member) for member in small[:20])
        except _DAMAGED:
            break
    return content.decode("utf-8", "replace")


def _parsed(text: str) -> Any:  # noqa: ANN401  JSON
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict | list) else None


def _strings(data: Any, under: dict[str, dict[str, None]], key: str = "") -> list[str]:  # noqa: ANN401  JSON
    if isinstance(data, dict):
        return [s for k, v in data.items() for s in _strings(v, under, str(k))]
    if isinstance(data, list):
        return [s for value in data for s in _strings(value, under, key)]
    if not isinstance(data, str) or not data or len(data) > _LONGEST_VALUE:
        return []
    if key:
        under.setdefault(key, {})[data] = None
    return [data]


def _sha256(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
