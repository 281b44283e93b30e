"""What decides the rows of the group `fixes`, and what is kept beside its tables."""

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from assets.batch import Batch
from assets.fix_keys import CORPUS
from envplatform.configuration import (
    Configuration,
    CurationSettings,
    SamplingSettings,
)
from envplatform.errors import ConfigError
from envplatform.store import Store
from envplatform.swe.fixes import reverse
from envplatform.swe.fixes.curation.held_out import builtin_digest
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.places import clone_url
from envplatform.swe.fixes.reverse_patch import ReverseFacts
from envplatform.swe.fixes.sources.opening import open_sources

QUARANTINED = "quarantined_fixes"
"""Rows of sources that could not be brought to the schema; no asset."""

DOWNLOADS = "fixes"
"""The store's cache of mirrors and downloads."""


def source_order(configuration: Configuration) -> list[str]:
    """The sources in order: the first that has a fix is named for it."""
    return [each.model_dump_json() for each in configuration.fixes.sources]


def source_digests(
    configuration: Configuration, _: str, store: Store
) -> dict[str, str]:
    """What the corpus is read from, and in which state."""
    cache = store.cache_folder(DOWNLOADS)
    sources = open_sources(configuration.fixes.sources, cache=cache)
    return {source.name: source.digest() for source in sources}


def history_place(
    configuration: Configuration, repository: str, _: Store
) -> dict[str, str]:
    """Where a history is cloned from: another place may hold other commits."""
    place = clone_url(configuration.fixes, repository)
    return {"history": hashlib.sha256(place.encode()).hexdigest()}


def reversal(_: object) -> dict[str, str]:
    """Whose code decides what a reverse patch is."""
    return dict(reverse.tools())


def curation(configuration: Configuration) -> CurationSettings:
    """`[fixes.curation]`."""
    return configuration.fixes.curation


def held_out_sets(configuration: Configuration, _: str, store: Store) -> dict[str, str]:
    """Held-out sets by content: those shipped, and the user's own by their number.

    Two files may have one name, each in a folder of its own.
    """
    del store
    settings = configuration.fixes.curation
    shipped = {name: builtin_digest(name) for name in settings.held_out}
    own = {
        f"held out {number} {Path(file).name}": _digest_of(Path(file))
        for number, file in enumerate(settings.held_out_files, 1)
    }
    return shipped | own


def sampling(configuration: Configuration) -> SamplingSettings:
    """`[fixes.sampling]`."""
    return configuration.fixes.sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    """An instance of the corpus, by name alone."""

    VIEW_OF: ClassVar[type] = FixInstance

    instance_id: str
    repository: str


class InCorpus:
    """Rows of `reverse_patches` whose instance the corpus still has, and their number.

    Tables may tell of more: a source that was taken out leaves partitions behind until
    their keys are dropped, and a repository that failed since keeps its earlier rows.
    """

    def __init__(self, batch: Batch[Any]) -> None:
        self._batch = batch
        corpus = batch.scan(_Published, CORPUS)
        self._home = {row.instance_id: sys.intern(row.repository) for row in corpus}
        self.refusals: Counter[str] = Counter()
        """Rows that say why there is no reverse patch, by code; once `facts` has ended."""
        self.sources: Counter[str] = Counter()
        """Source to its rows, likewise."""
        self.missing = 0
        """Instances without any row: their repository failed, or is not done yet."""

    def __len__(self) -> int:
        return len(self._home)

    def facts(self) -> Iterator[ReverseFacts]:
        """Go through them, in order of repository and instance."""
        refusals, sources = Counter[str](), Counter[str]()
        only = frozenset(self._home.values())
        for row in self._batch.scan(ReverseFacts, "reverse_patches", only=only):
            if self._home.get(row.instance_id) == row.repository:
                sources[row.source] += 1
                if row.refusal:
                    refusals[row.refusal] += 1
                yield row
        self.refusals, self.sources = refusals, sources
        self.missing = len(self) - sources.total()


def _digest_of(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        msg = f"[fixes.curation] held_out_files: {file} can't be read: {error}"
        raise ConfigError(msg) from error
