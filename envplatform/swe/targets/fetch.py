"""Fetch sdists as files: digest checked, kept in a cache, never built or run."""

from pathlib import Path

import pypi_simple

from envplatform import registries
from envplatform.errors import RegistryError, TargetError
from envplatform.registries import PackageIndex, Release
from envplatform.swe.targets.target import SdistSource


def fetch_sdist(source: SdistSource, cache: Path, *, index: PackageIndex) -> Path:
    """Return the archive's path below `cache`, downloading it if it is not there.

    Raises:
        TargetError: the release or its sdist does not exist, the index does not
            answer, or the file is not the one that `source` pins.
    """
    release = Release(
        package=source.package, version=source.version, sha256=source.sha256
    )
    try:
        return registries.fetch_release(release, cache, index=index)
    except RegistryError as error:
        raise TargetError(str(error)) from error


def list_sdists(
    package: str, *, index: PackageIndex
) -> tuple[pypi_simple.DistributionPackage, ...]:
    """Return what the index says of all sdists of `package`, in its order.

    Raises:
        TargetError: no such package, or the index does not answer.
    """
    try:
        return registries.list_sdists(package, index=index)
    except RegistryError as error:
        raise TargetError(str(error)) from error
