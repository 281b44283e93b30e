"""From the settings of `[[fixes.sources]]` to the source that they name."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from envplatform.configuration import FixSourceSettings
from envplatform.errors import ConfigError, FixSourceError
from envplatform.registries.indexes import PackageIndex, configured_index
from envplatform.swe.fixes.histories.mining import GitSource, mined_repository
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.releases.pairs import ReleasePairs
from envplatform.swe.fixes.releases.tests4py import BuiltinTests4Py
from envplatform.swe.fixes.sources.base import Source
from envplatform.swe.fixes.sources.bugsinpy import BugsInPySource, is_bugsinpy
from envplatform.swe.fixes.sources.conversion import Entry
from envplatform.swe.fixes.sources.files import FileSource, data_files, file_kind
from envplatform.swe.fixes.sources.hub import HubSource
from envplatform.swe.fixes.sources.licence_names import spdx_identifier

MIRRORS = "mirrors"
"""Folder of git mirrors in the cache; histories are read from the same."""
SDISTS = "sdists"
"""Folder of source distributions in the cache; likewise."""
_SUFFIXES = ".parquet, .jsonl, .ndjson, .json, .jsonl.gz or .json.gz"
_KEYS_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "path": frozenset({"layout", "licence"}),
        "hub": frozenset({"layout", "licence", "split", "revision"}),
        "git": frozenset({"licence", "revision"}),
        "pypi": frozenset({"licence"}),
        "builtin": frozenset(),
    }
)
"""What decides anything for each kind of source, besides name and limit."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstInstances:
    """The first instances of another source, and the rows set aside on the way."""

    source: Source
    limit: int

    @property
    def name(self) -> str:
        """As the source's."""
        return self.source.name

    def digest(self) -> str:
        """SHA-256 (hex) of the source's and the limit."""
        text = f"{self.source.digest()} first {self.limit}"
        return hashlib.sha256(text.encode()).hexdigest()

    def read(self) -> Iterator[Entry]:
        """Yield what the source yields, up to and with the last instance."""
        taken = 0
        for entry in self.source.read():
            yield entry
            taken += isinstance(entry, FixInstance)
            if taken == self.limit:
                return


def open_sources(
    settings: Sequence[FixSourceSettings],
    *,
    cache: Path,
    hub_endpoint: str | None = None,
    index: PackageIndex | None = None,
) -> tuple[Source, ...]:
    """Open every source, in order.

    Raises:
        ConfigError: two of them have one name, or as `open_source`.
        FixSourceError: as `open_source`.
    """
    names = [source_name(each) for each in settings]
    for name in names:
        if names.count(name) > 1:
            msg = f"fixes.sources: two are called {name!r}; give one of them a name"
            raise ConfigError(msg)
    return tuple(
        open_source(each, cache=cache, hub_endpoint=hub_endpoint, index=index)
        for each in settings
    )


def open_source(
    settings: FixSourceSettings,
    *,
    cache: Path,
    hub_endpoint: str | None = None,
    index: PackageIndex | None = None,
) -> Source:
    """Find the source that `settings` name; reads no row yet.

    Args:
        settings: One `[[fixes.sources]]`.
        cache: Folder for downloads and mirrors; created when needed.
        hub_endpoint: URL of the hub; None: as huggingface_hub is configured.
        index: Where packages come from; None: as pip is configured.

    Raises:
        ConfigError: a key is set that means nothing for this kind of source.
        FixSourceError: the path is absent, or of no kind that can be read.
    """
    _refuse_idle_keys(settings)
    source = _open(settings, cache, hub_endpoint, index)
    if settings.limit is None:
        return source
    return FirstInstances(source=source, limit=settings.limit)


def source_name(settings: FixSourceSettings) -> str:
    """Name of a source in tables and funnels: as given, or made of its origin.

    Made of letters, digits and `._-`: `swebench_dev`, `SWE-Gym__SWE-Gym`.
    """
    origin = settings.name or settings.hub or settings.pypi or settings.builtin
    if origin is None and settings.path is not None:
        origin = Path(settings.path).name.split(".")[0]
    if origin is None and settings.git is not None:
        origin = mined_repository(settings.git)  # of a URL neither user nor query
    name = _UNSAFE.sub("-", (origin or "").replace("/", "__")).strip("-.")
    if settings.hub and settings.split and not settings.name:
        name = f"{name}-{_UNSAFE.sub('-', settings.split)}"
    return name or "source"


def _open(
    settings: FixSourceSettings,
    cache: Path,
    hub_endpoint: str | None,
    index: PackageIndex | None,
) -> Source:
    name = source_name(settings)
    if settings.path is not None:
        return _open_path(name, Path(settings.path), settings)
    if settings.hub is not None:
        return HubSource(
            name=name,
            repository=settings.hub,
            cache=cache / "hub",
            revision=settings.revision,
            split=settings.split,
            layout=settings.layout,
            licence=_licence(settings),
            endpoint=hub_endpoint,
        )
    if settings.git is not None:
        return GitSource(
            name=name,
            url=settings.git,
            cache=cache / MIRRORS,
            revision=settings.revision,
            licence=_licence(settings),
        )
    packages = index or configured_index()
    if settings.pypi is not None:
        return ReleasePairs(
            name,
            settings.pypi,
            cache / SDISTS,
            index=packages,
            licence=_licence(settings),
        )
    return BuiltinTests4Py(name, cache / SDISTS, index=packages)


def _refuse_idle_keys(settings: FixSourceSettings) -> None:
    """Refuse keys that would be passed over in silence."""
    kind = next(kind for kind in _KEYS_OF if getattr(settings, kind) is not None)
    idle = settings.model_fields_set - _KEYS_OF[kind] - {kind, "name", "limit"}
    if given := sorted(key for key in idle if getattr(settings, key) is not None):
        msg = (
            f"fixes.sources: {', '.join(given)} means nothing for a source that is "
            f"named by {kind}; leave it out"
        )
        raise ConfigError(msg)


def _open_path(name: str, path: Path, settings: FixSourceSettings) -> Source:
    """A file; a folder laid out as BugsInPy; a folder of shards."""
    licence = _licence(settings)
    if path.is_file():
        if file_kind(path) is None:
            msg = f"{path} is no data file by its name; expected {_SUFFIXES}"
            raise FixSourceError(msg)
        paths: tuple[Path, ...] = (path,)
    elif path.is_dir() and settings.layout in {"auto", "bugsinpy"}:
        if is_bugsinpy(path):
            return BugsInPySource(name=name, folder=path, licence=licence)
        paths = _shards(path)
    elif path.is_dir():
        paths = _shards(path)
    else:
        msg = f"{path} does not exist; path is read from the folder of envplatform.toml"
        raise FixSourceError(msg)
    return FileSource(name=name, paths=paths, layout=settings.layout, licence=licence)


def _shards(folder: Path) -> tuple[Path, ...]:
    found = (
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    paths = data_files(found)
    if not paths:
        msg = (
            f"{folder} holds neither projects/*/project.info (BugsInPy) nor a file "
            f"{_SUFFIXES}"
        )
        raise FixSourceError(msg)
    return paths


def _licence(settings: FixSourceSettings) -> str:
    """As SPDX spells it; a name unknown here is taken as it is given."""
    given = settings.licence or ""
    return spdx_identifier(given) or given
