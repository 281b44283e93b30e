"""One source of the library: what is kept of it, what is refused, how it fared.

A file is either kept, refused with a reason, or counted as not asked for. A source that
can't be had becomes one refused row and costs no other.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from envplatform.cowork.library.licences import (
    Doubt,
    Stated,
    judge,
    of_rule,
    read_list,
)
from envplatform.cowork.library.material import Material, Registries, open_material
from envplatform.cowork.library.reading import Kept, read_file
from envplatform.cowork.library.resource import (
    RefusedResource,
    ResourceRow,
    SourceReport,
)
from envplatform.cowork.library.specification import Limits, SourceSpec
from envplatform.cowork.library.text import Fault
from envplatform.errors import LibraryError, RegistryError
from envplatform.store import Store
from envplatform.store.values import digest_json

PACKS = "resource_packs"
"""Kind of stored directory: `<ab>/<sha256>`, contents of one source by digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """One source."""

    rows: tuple[ResourceRow, ...]
    """By path."""
    refused: tuple[RefusedResource, ...]
    """By path."""
    report: SourceReport

    @property
    def failed(self) -> bool:
        """Whether the source could not be had: another time it may."""
        return any(one.reason == "source_failed" for one in self.refused)


@dataclass(slots=True)
class _Sorting:
    """The files of one source on their way."""

    spec: SourceSpec
    limits: Limits
    kept: dict[str, tuple[Stated, Kept]] = field(default_factory=dict)
    refused: list[RefusedResource] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    not_asked: int = 0

    def refuse(self, path: str, why: Fault | Doubt) -> None:
        self.refused.append(
            RefusedResource(
                source=self.spec.name,
                version=self.spec.version,
                path=path,
                reason=why.reason,
                detail=why.detail,
            )
        )

    def is_wanted(self, path: str, size: int) -> bool:
        if not self.spec.asks_for(path):
            self.not_asked += 1
            return False
        if size > self.limits.file_bytes:
            limit = self.limits.file_bytes
            self.refuse(path, Fault("too_large", f"is {size:,} bytes of {limit:,}"))
            return False
        return True

    def link(self, path: str) -> None:
        if self.spec.asks_for(path):
            self.refuse(path, Fault("link", "is a link or a device"))
        else:
            self.not_asked += 1

    def take(self, path: str, data: bytes, stated: Stated | Doubt) -> None:
        if isinstance(stated, Doubt):
            self.refuse(path, stated)
            return
        doubt = judge(stated.licence, self.limits.licences)
        found = doubt or read_file(path, data, self.spec.rule(path), self.limits)
        if isinstance(found, Kept):
            self.kept[path] = (stated, found)
        else:
            self.refuse(path, found)


def collect(
    spec: SourceSpec,
    store: Store,
    cache: Path,
    limits: Limits,
    registries: Registries | None = None,
) -> Collected:
    """Read one source and keep its contents in the store.

    Args:
        spec: what is taken of it.
        store: where contents are kept.
        cache: folder of downloads.
        limits: what is too much.
        registries: whom to ask for packages; None: as this machine is set up.

    Raises:
        StoreError: the store failed.
    """
    started = monotonic()
    sorting = _Sorting(spec=spec, limits=limits)
    try:
        material = open_material(spec, cache, registries or Registries())
        _sort(sorting, material)
    except (LibraryError, RegistryError) as error:
        sorting = _Sorting(spec=spec, limits=limits)
        sorting.refuse("", Fault("source_failed", str(error)))
    rows = _rows(sorting, store)
    return Collected(
        rows=rows,
        refused=tuple(sorted(sorting.refused, key=lambda one: one.path)),
        report=_report(sorting, rows, round(monotonic() - started, 3)),
    )


def _sort(sorting: _Sorting, material: Material) -> None:
    listed = _listed(sorting, material)
    for path, data in material.files(sorting.is_wanted, sorting.link, sorting.limits):
        stated = (
            of_rule(sorting.spec.rule(path))
            if listed is None
            else listed.get(path)
            or Doubt("no_licence", "the source's licence list does not name this file")
        )
        sorting.take(path, data, stated)


def _listed(
    sorting: _Sorting, material: Material
) -> Mapping[str, Stated | Doubt] | None:
    """What the source's own list states; None: there is none to be read."""
    listed = sorting.spec.licence_list
    if listed is None:
        return None
    limit = sorting.limits.file_bytes

    def is_list(path: str, size: int) -> bool:
        return path == listed.path and size <= limit

    # To the end: only then is the archive known to be sound.
    found = dict(material.files(is_list, lambda _: None, sorting.limits))
    stated = read_list(found.get(listed.path, b""), listed)
    if stated is None:
        msg = f"{sorting.spec.name}: {listed.path} is no Data Package descriptor"
        raise LibraryError(msg)
    return stated


def _rows(sorting: _Sorting, store: Store) -> tuple[ResourceRow, ...]:
    if not sorting.kept:
        return ()
    contents = {kept.digest: kept.content for _, kept in sorting.kept.values()}
    pack = _keep(contents, store)
    return tuple(
        _row(sorting.spec, path, stated, kept, pack)
        for path, (stated, kept) in sorted(sorting.kept.items())
    )


def _keep(contents: Mapping[str, bytes], store: Store) -> str:
    """Keep the contents of one source in one directory; return its digest."""
    pack = digest_json(sorted(contents))
    with tempfile.TemporaryDirectory() as scratch:
        for digest, content in contents.items():
            place = Path(scratch, content_path(digest))
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content)
        store.put_directory(PACKS, pack, Path(scratch))
    return pack


def content_path(digest: str) -> str:
    """Where a content lies in its pack."""
    return f"{digest[:2]}/{digest}"


def _row(
    spec: SourceSpec, path: str, stated: Stated, kept: Kept, pack: str
) -> ResourceRow:
    return ResourceRow(
        resource_id=f"{spec.name}/{path}",
        source=spec.name,
        version=spec.version,
        path=path,
        kind=kept.kind,
        licence=stated.licence,
        licence_source=stated.licence_source,
        attribution=stated.attribution,
        digest=kept.digest,
        source_digest=kept.source_digest,
        pack=pack,
        bytes=len(kept.content),
        rows=kept.rows,
        rows_read=kept.rows_read,
        stride=kept.stride,
        columns=kept.columns,
        encoding=kept.encoding,
        notes=kept.notes,
    )


def _report(
    sorting: _Sorting, rows: tuple[ResourceRow, ...], seconds: float
) -> SourceReport:
    return SourceReport(
        source=sorting.spec.name,
        kind=sorting.spec.kind,
        version=sorting.spec.version,
        kept=len(rows),
        refused=len(sorting.refused),
        not_asked=sorting.not_asked,
        bytes=sum(row.bytes for row in rows),
        seconds=seconds,
    )
