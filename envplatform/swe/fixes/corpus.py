"""All sources together: one schema, no fix twice, sorted by repository.

A corpus may exceed the memory, so rows lie in an unnamed file between the pass that
reads the sources and the one that puts them out in order.
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Self, cast

from envplatform.store import record_of
from envplatform.store.values import decode, encode
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.sources.base import Source, instance_digest

REVISION = 2
"""Raised when the same sources give other rows."""

_RECORD = record_of(FixInstance)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCount:
    """How one source fared. `read` is the sum of the others."""

    source: str
    read: int
    kept: int
    duplicates: int
    """Fixes that an earlier row, of this source or another one, has already."""
    quarantined: int


@dataclass(slots=True)
class _Place:
    """Where a row lies in the spill file."""

    repository: str
    instance_id: str
    offset: int
    length: int


@dataclass(slots=True)
class Corpus:
    """What the sources gave. Holds an unnamed file until it is closed."""

    spill: IO[bytes]
    quarantined: list[QuarantinedRow] = field(default_factory=list)
    _read: Counter[str] = field(default_factory=Counter)
    _kept: Counter[str] = field(default_factory=Counter)
    _bad: Counter[str] = field(default_factory=Counter)
    _places: list[_Place] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)
    _names: set[str] = field(default_factory=set)
    _tried: Counter[str] = field(default_factory=Counter)
    """Numbers given so far to an id of a source, in small letters."""
    _spelling: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.spill.close()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def repositories(self) -> int:
        """Number of repositories with at least one fix."""
        return len(self._spelling)

    @property
    def sources(self) -> tuple[SourceCount, ...]:
        """In the order in which they were read."""
        return tuple(
            SourceCount(
                source=name,
                read=self._read[name],
                kept=self._kept[name],
                duplicates=self._read[name] - self._kept[name] - self._bad[name],
                quarantined=self._bad[name],
            )
            for name in self._read
        )

    def rows(self) -> Iterator[FixInstance]:
        """Yield the instances by repository, then by instance id."""
        for place in sorted(self._places, key=lambda p: (p.repository, p.instance_id)):
            self.spill.seek(place.offset)
            data = zlib.decompress(self.spill.read(place.length))
            row = decode(json.loads(data), _RECORD, f"fix {place.instance_id}")
            yield cast("FixInstance", row)

    def begin(self, source: str) -> None:
        """Count a source that may turn out to have no rows."""
        self._read[source] += 0

    def add(self, source: str, row: FixInstance | QuarantinedRow) -> None:
        """Take in the next row of a source."""
        self._read[source] += 1
        if isinstance(row, QuarantinedRow):
            self._bad[source] += 1
            self.quarantined.append(row)
            return
        digest = bytes.fromhex(instance_digest(row))
        if digest not in self._seen:
            self._seen.add(digest)
            self._kept[source] += 1
            self._keep(self._named(row))

    def _named(self, row: FixInstance) -> FixInstance:
        """Make the id unique, and spell the repository as its first fix does.

        Hosts tell no capitals apart: two spellings would be two partitions.
        """
        key = row.repository.lower()
        repository = self._spelling.setdefault(key, row.repository)
        name = row.instance_id
        while name.lower() in self._names:
            again = f"{row.instance_id}@{row.source}"
            # From where it stopped: ten thousand spellings of one id are no hour.
            self._tried[again.lower()] += 1
            number = self._tried[again.lower()]
            name = f"{again}.{number}" if number > 1 else again
        self._names.add(name.lower())
        return replace(row, instance_id=name, repository=repository)

    def _keep(self, row: FixInstance) -> None:
        plain = encode(row, _RECORD, f"fix {row.instance_id}")
        data = zlib.compress(json.dumps(plain).encode("ascii"), 1)
        offset = self.spill.seek(0, 2)
        self.spill.write(data)
        self._places.append(_Place(row.repository, row.instance_id, offset, len(data)))


def gather(sources: Sequence[Source], *, folder: Path) -> Corpus:
    """Read all sources, in order; the caller closes what is returned.

    Args:
        sources: with names that differ.
        folder: where the unnamed file lies; as large as the corpus, compressed.

    Raises:
        FixSourceError: a source as a whole can't be read; no corpus without it.
    """
    corpus = Corpus(TemporaryFile(dir=folder))  # noqa: SIM115  closed by the caller
    try:
        for source in sources:
            corpus.begin(source.name)
            for row in source.read():
                corpus.add(source.name, row)
    except BaseException:
        corpus.spill.close()
        raise
    return corpus
