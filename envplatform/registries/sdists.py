"""Sdists of a package index as files: digest checked, cached, never built or run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pypi_simple
import requests

from envplatform.errors import RegistryError
from envplatform.registries.download import TIMEOUT_S, Pin, keep, new_session, persist
from envplatform.registries.indexes import PackageIndex

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The sdist of one release."""

    package: str
    version: str
    sha256: str
    """Hex digest of the archive."""

    @property
    def pin(self) -> Pin:
        """What the archive must be."""
        name = f"{self.package} {self.version}"
        return Pin(name=name, algorithm="sha256", digest=self.sha256)


def fetch_release(release: Release, cache: Path, *, index: PackageIndex) -> Path:
    """Return the archive's path below `cache`, downloading it if it is not there.

    Raises:
        RegistryError: the release or its sdist does not exist, the index does not
            answer, or the file is not the one that is pinned.
    """
    return release.pin.kept(cache) or _ask(
        release.pin.name, index, lambda client: _fetch_once(release, cache, client)
    )


def list_sdists(
    package: str, *, index: PackageIndex
) -> tuple[pypi_simple.DistributionPackage, ...]:
    """Return what the index says of all sdists of `package`, in its order.

    Raises:
        RegistryError: no such package, or the index does not answer.
    """
    return _ask(
        package, index, lambda client: tuple(_sdists(package, client, asked=package))
    )


def _ask(
    name: str, index: PackageIndex, ask: Callable[[pypi_simple.PyPISimple], Answer]
) -> Answer:
    def once() -> Answer:
        session = new_session(index.certificate)
        with pypi_simple.PyPISimple(endpoint=index.url, session=session) as client:
            try:
                return ask(client)
            except pypi_simple.UnsupportedRepoVersionError as error:
                raise requests.RequestException(str(error)) from error

    return persist(name, once)


def _fetch_once(release: Release, cache: Path, client: pypi_simple.PyPISimple) -> Path:
    found = _find(release, client)
    return keep(
        release.pin, cache, session=client.s, url=found.url, filename=found.filename
    )


def _find(
    release: Release, client: pypi_simple.PyPISimple
) -> pypi_simple.DistributionPackage:
    name = release.pin.name
    found = [
        package
        for package in _sdists(release.package, client, asked=name)
        if package.version == release.version
    ]
    if not found:
        msg = f"{name}: the package index has no sdist of this version"
        raise RegistryError(msg)
    named = [p for p in found if (p.digests or {}).get("sha256") == release.sha256]
    return (named or found)[0]


def _sdists(
    package: str, client: pypi_simple.PyPISimple, *, asked: str
) -> Iterator[pypi_simple.DistributionPackage]:
    try:
        page = client.get_project_page(package, timeout=TIMEOUT_S)
    except pypi_simple.NoSuchProjectError as error:
        msg = f"{asked}: the package index has no such package"
        raise RegistryError(msg) from error
    return (found for found in page.packages if found.package_type == "sdist")
