"""All sources of the library, one after the other; known results serve again."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

from envplatform.cowork.library.collect import PACKS, Collected, collect
from envplatform.cowork.library.material import FolderMaterial, Registries
from envplatform.cowork.library.resource import RefusedResource, ResourceRow
from envplatform.cowork.library.specification import (
    REVISION,
    Folder,
    Limits,
    SourceSpec,
)
from envplatform.errors import LibraryError, StoreError
from envplatform.store import Manifest, Store, result_key
from envplatform.store.values import digest_json

REFUSED = "refused_resources"
"""Table beside the asset: what sources have and the library does not."""
REPORTS = "library_sources"
"""Table beside the asset: how each source fared."""
DOWNLOADS = "library"
"""The store's cache of archives."""
_RESULTS = "resource_library"


def gather(
    sources: Iterable[SourceSpec],
    store: Store,
    limits: Limits,
    registries: Registries | None = None,
) -> Iterator[Collected]:
    """Yield each source in turn; one that can't be had is a refused row of its own.

    A source in a state that was read before, within the same limits, is not read again.

    Raises:
        StoreError: the store failed.
    """
    results = store.results(_RESULTS)
    cache = store.cache_folder(DOWNLOADS)
    for spec in sources:
        key = result_key(
            revision=REVISION,
            inputs={"source": source_state(spec, limits)},
            config=limits_json(limits),
            tools={},
        )
        known = results.get_row(key, Collected)
        if known is not None and _is_held(store, known.rows):
            yield replace(known, report=replace(known.report, seconds=0.0))
            continue
        found = collect(spec, store, cache, limits, registries)
        if not found.failed:
            results.put_row(key, found)
        yield found


def source_state(spec: SourceSpec, limits: Limits) -> str:
    """SHA-256 (hex) of what a source is and, of a folder, of the files asked for.

    A folder that can't be read has a state of its own.
    """
    if not isinstance(spec.origin, Folder):
        return spec.digest
    digest = hashlib.sha256(spec.digest.encode())
    links: list[str] = []

    def is_wanted(path: str, size: int) -> bool:
        return spec.asks_for(path) and size <= limits.file_bytes

    try:
        material = FolderMaterial(spec.origin.path)
        for path, data in material.files(is_wanted, links.append, limits):
            content = hashlib.sha256(data).hexdigest()
            digest.update(f"{content} {path}\n".encode("utf-8", "surrogateescape"))
        names = sorted(ascii(path) for path in material.names())
        digest.update(digest_json([names, sorted(map(ascii, links))]).encode())
    except LibraryError as error:
        digest.update(str(error).encode())
    return digest.hexdigest()


def limits_json(limits: Limits) -> dict[str, object]:
    """Limits as a JSON value, for recipes."""
    return {**asdict(limits), "licences": sorted(limits.licences)}


def library_is_held(store: Store, manifest: Manifest) -> bool:
    """Whether every content is in the store, and no source is still to be had."""
    refused = store.rows(RefusedResource, REFUSED)
    if any(one.reason == "source_failed" for one in refused):
        return False
    return _is_held(store, store.scan(ResourceRow, manifest.asset))


def _is_held(store: Store, rows: Iterable[ResourceRow]) -> bool:
    try:
        for pack in {row.pack for row in rows}:
            store.directory(PACKS, pack)
    except StoreError:
        return False
    return True
