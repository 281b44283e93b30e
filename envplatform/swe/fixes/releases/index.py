"""Releases of a package on an index, and their archives as files in the cache."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pypi_simple
from packaging.version import InvalidVersion, Version

from envplatform.errors import FixSourceError, TargetError
from envplatform.swe.targets import (
    PackageIndex,
    SdistSource,
    fetch_sdist,
    list_sdists,
    stream_sdist,
)
from envplatform.tree import File

_MAX_FILES = 100_000
_MAX_BYTES = 1_000_000_000
"""More than for a target: nothing is kept but what is asked for. ansible has 20,000."""


class UnsoundReleaseError(FixSourceError):
    """The archive is the one that was pinned, and is none that is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SdistIndex:
    """An index to fetch from, and the folder that keeps what was fetched."""

    index: PackageIndex
    cache: Path
    """Each archive lies in a folder named by its digest."""

    def final_releases(self, package: str) -> tuple[SdistSource, ...]:
        """Return the final releases that have a `.tar.gz` sdist, oldest first.

        Withdrawn ones and those without digest are left out; empty if none is left.

        Raises:
            FixSourceError: no such package, or the index does not answer.
        """
        try:
            listed = list_sdists(package, index=self.index)
        except TargetError as error:
            raise FixSourceError(str(error)) from error
        found: dict[Version, SdistSource] = {}
        for sdist in listed:
            version = _final_version(sdist)
            sha256 = (sdist.digests or {}).get("sha256", "")
            if version is not None and sha256:
                found[version] = SdistSource(
                    package=package, version=str(sdist.version), sha256=sha256
                )
        return tuple(found[version] for version in sorted(found))

    def read(
        self, sdist: SdistSource, wanted: Callable[[str, int], bool]
    ) -> Iterator[tuple[str, File]]:
        """Fetch a release and go through it once; see `stream_sdist`.

        Raises:
            FixSourceError: it can't be had; names project, version and step. Also if
                it is gone: it was there when it was pinned, so that says nothing
                about a fix, and the same call may well succeed on another index.
            UnsoundReleaseError: it was had, and can't be read.
        """
        try:
            archive = fetch_sdist(sdist, self.cache, index=self.index)
        except TargetError as error:
            msg = f"release {error}"
            raise FixSourceError(msg) from error
        try:
            yield from stream_sdist(
                archive, wanted=wanted, max_files=_MAX_FILES, max_bytes=_MAX_BYTES
            )
        except TargetError as error:
            msg = f"release {sdist.package} {sdist.version}: {error}"
            raise UnsoundReleaseError(msg) from error


def _final_version(sdist: pypi_simple.DistributionPackage) -> Version | None:
    if sdist.is_yanked or not sdist.filename.endswith(".tar.gz"):
        return None
    try:
        version = Version(sdist.version or "")
    except InvalidVersion:
        return None
    return None if version.is_prerelease or version.is_devrelease else version
