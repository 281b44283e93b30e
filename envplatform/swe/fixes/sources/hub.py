"""Data sets of a Hugging Face hub as a source, downloaded once into the cache.

The revision is resolved to a commit before anything else, so a set that moves on while
it is read gives one state or the other. A token comes from the variable HF_TOKEN and
from nowhere else, and stands in no message.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import ModuleType

from envplatform.configuration import FixLayout
from envplatform.errors import FixSourceError
from envplatform.swe.fixes.sources.conversion import Entry
from envplatform.swe.fixes.sources.files import (
    FileSource,
    data_files,
    settings_digest,
)
from envplatform.tree import TreeError, checked_path

TOKEN_VARIABLE = "HF_TOKEN"  # noqa: S105  the name of the variable
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHARD = re.compile(r"-\d+-of-\d+(?:-[0-9a-f]+)?$")
_MOST_FILES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    commit: str
    files: tuple[str, ...]
    """Paths of the data files of the wanted split, in order."""


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property needs a dict
class HubSource:
    """One split of a data set, or all of it."""

    name: str
    repository: str
    """`owner/name`."""
    cache: Path
    """Folder for downloads; created when needed."""
    revision: str | None = None
    """Branch, tag or commit; None: the newest."""
    split: str | None = None
    """None: all files."""
    layout: FixLayout = "auto"
    licence: str = ""
    endpoint: str | None = None
    """URL of the hub; None: as huggingface_hub is configured."""
    _token: str | None = field(
        default_factory=lambda: os.environ.get(TOKEN_VARIABLE), repr=False
    )

    def digest(self) -> str:
        """SHA-256 (hex) of the commit, the names of its files, and the settings.

        Raises:
            FixSourceError: the hub is out of reach, or there is no such set or split.
        """
        snapshot = self._snapshot
        return settings_digest(
            self.name,
            self.layout,
            self.licence,
            self.repository,
            snapshot.commit,
            *snapshot.files,
        )

    def read(self) -> Iterator[Entry]:
        """Yield each row of each file once; see `Source.read`."""
        paths = tuple(self._download(name) for name in self._snapshot.files)
        yield from FileSource(
            name=self.name, paths=paths, layout=self.layout, licence=self.licence
        ).read()

    @cached_property
    def _snapshot(self) -> _Snapshot:
        if not _REPOSITORY.fullmatch(self.repository):
            msg = f"hub = {self.repository!a}: expected owner/name of a data set"
            raise FixSourceError(msg)
        hub = _import_hub(self.repository)
        try:
            info = hub.HfApi(endpoint=self.endpoint).dataset_info(
                self.repository, revision=self.revision, token=self._token or False
            )
        except Exception as error:  # boundary: its HTTP client has errors of its own
            what = "can't be looked up"
            raise self._failure(what, error) from error
        names = [sibling.rfilename for sibling in info.siblings or ()]
        if not _COMMIT.fullmatch(info.sha or "") or len(names) > _MOST_FILES:
            msg = (
                f"hub data set {self.repository}: the hub names no commit, or too much"
            )
            raise FixSourceError(msg)
        return _Snapshot(commit=info.sha, files=self._choose(names))

    def _choose(self, names: Sequence[str]) -> tuple[str, ...]:
        """Data files of the split, all of one kind."""
        try:
            clean = [Path(checked_path(name)) for name in names]
        except TreeError as error:
            msg = f"hub data set {self.repository}: {error}"
            raise FixSourceError(msg) from error
        files = data_files(
            path
            for path in clean
            if path.name.isprintable() and not path.name.startswith(".")
        )
        chosen = tuple(
            path.as_posix() for path in files if self.split in {None, *_splits(path)}
        )
        if not chosen:
            splits = sorted({_splits(path)[0] for path in files})
            msg = (
                f"hub data set {self.repository} has no Parquet, JSON Lines or JSON "
                f"file{f' of split {self.split!a}' if self.split else ''}; "
                f"there are: {', '.join(map(ascii, splits)) or 'none'}"
            )
            raise FixSourceError(msg)
        return chosen

    def _download(self, name: str) -> Path:
        hub = _import_hub(self.repository)
        try:
            path = hub.hf_hub_download(
                self.repository,
                name,
                repo_type="dataset",
                revision=self._snapshot.commit,
                cache_dir=self.cache,
                endpoint=self.endpoint,
                token=self._token or False,
            )
        except Exception as error:  # boundary, as above
            what = f"{name!a} can't be downloaded"
            raise self._failure(what, error) from error
        return Path(path)

    def _failure(self, what: str, error: Exception) -> FixSourceError:
        """Say what failed, in one line and without the token."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = f"{type(error).__name__}: {' '.join(lines[:2])}"
        if self._token:
            reason = reason.replace(self._token, "***")
        at = f" at revision {self.revision!a}" if self.revision else ""
        msg = (
            f"hub data set {self.repository}{at} {what}: {reason}. Check name and "
            f"revision, the network, and {TOKEN_VARIABLE} if the set is gated"
        )
        return FixSourceError(msg)


def _splits(path: Path) -> tuple[str, ...]:
    """What may be the split of a file: its name without shard number, its folders."""
    stem = PurePosixPath(path.name.removesuffix(".gz")).stem
    return (_SHARD.sub("", stem), *path.parts[:-1])


def _import_hub(repository: str) -> ModuleType:
    try:
        import huggingface_hub  # noqa: PLC0415  an extra; slow to import
    except ImportError as error:
        msg = (
            f"hub data set {repository} needs huggingface_hub: "
            "pip install 'envplatform[hub]', or download the set and give its path"
        )
        raise FixSourceError(msg) from error
    return huggingface_hub
