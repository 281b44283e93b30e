"""What decides the rows of the group `fixes`, and what is kept beside its tables."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

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
from envplatform.swe.fixes.places import clone_url
from envplatform.swe.fixes.sources.opening import open_sources

QUARANTINED = "quarantined_fixes"
"""Rows of sources that could not be brought to the schema; no asset."""

DOWNLOADS = "fixes"
"""The store's cache of mirrors and downloads."""

Row = TypeVar("Row")


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


def held_out_files(
    configuration: Configuration, _: str, store: Store
) -> dict[str, str]:
    """The user's own held-out sets, by content."""
    del store
    return {
        Path(file).name: _digest_of(Path(file))
        for file in configuration.fixes.curation.held_out_files
    }


def sampling(configuration: Configuration) -> SamplingSettings:
    """`[fixes.sampling]`."""
    return configuration.fixes.sampling


def in_corpus(batch: Batch[Any], row_type: type[Row]) -> Iterator[Row]:
    """Rows of `reverse_patches` whose repository the corpus still has.

    A source that was taken out may leave partitions behind until their keys are dropped.
    """
    corpus = batch.store.manifest(CORPUS)
    parts = corpus.parts if corpus else {}
    return batch.scan(row_type, "reverse_patches", only=parts.keys())


def _digest_of(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        msg = f"[fixes.curation] held_out_files: {file} can't be read: {error}"
        raise ConfigError(msg) from error
