"""Fetch sdists as files: digest checked, kept in a cache, never built or run."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pypi_simple
import requests

from envplatform.errors import TargetError
from envplatform.swe.targets.indexes import PackageIndex
from envplatform.swe.targets.target import SdistSource

Answer = TypeVar("Answer")

_ATTEMPTS = 3
_TIMEOUT_S = 60
_MAX_BYTES = 200_000_000


def fetch_sdist(source: SdistSource, cache: Path, *, index: PackageIndex) -> Path:
    """Return the archive's path below `cache`, downloading it if it is not there.

    Raises:
        TargetError: the release or its sdist does not exist, the index does not
            answer, or the file is not the one that `source` pins.
    """
    folder = cache / source.sha256
    for kept in sorted(folder.glob("*")) if folder.is_dir() else ():
        if kept.is_file() and _sha256(kept) == source.sha256:
            return kept
    folder.mkdir(parents=True, exist_ok=True)
    return _download(source, folder, index)


def list_sdists(
    package: str, *, index: PackageIndex
) -> tuple[pypi_simple.DistributionPackage, ...]:
    """Return what the index says of all sdists of `package`, in its order.

    Raises:
        TargetError: no such package, or the index does not answer.
    """
    return _persist(
        package, index, lambda client: tuple(_sdists(package, client, asked=package))
    )


def _download(source: SdistSource, folder: Path, index: PackageIndex) -> Path:
    return _persist(
        _name(source), index, lambda client: _fetch_once(source, folder, client)
    )


def _persist(
    name: str, index: PackageIndex, ask: Callable[[pypi_simple.PyPISimple], Answer]
) -> Answer:
    problem: Exception | None = None
    for _ in range(_ATTEMPTS):
        try:
            with _session(index) as session:
                return ask(session)
        except (
            requests.RequestException,
            pypi_simple.UnsupportedRepoVersionError,
        ) as e:
            problem = e
    msg = f"{name}: the package index did not give it: {_reason(problem)}"
    raise TargetError(msg) from problem


def _session(index: PackageIndex) -> pypi_simple.PyPISimple:
    session = requests.Session()
    if index.certificate is not None:
        session.verify = index.certificate
    return pypi_simple.PyPISimple(endpoint=index.url, session=session)


def _fetch_once(
    source: SdistSource, folder: Path, client: pypi_simple.PyPISimple
) -> Path:
    package = _find(source, client)
    answer = client.s.get(package.url, stream=True, timeout=_TIMEOUT_S)
    answer.raise_for_status()
    with tempfile.TemporaryDirectory(dir=folder, suffix=".part") as aside:
        part = Path(aside, "sdist")
        with part.open("wb") as stream:
            for chunk in _bounded(answer, source):
                stream.write(chunk)
        _check(part, source)
        return part.rename(folder / Path(package.filename).name)


def _find(
    source: SdistSource, client: pypi_simple.PyPISimple
) -> pypi_simple.DistributionPackage:
    found = [
        package
        for package in _sdists(source.package, client, asked=_name(source))
        if package.version == source.version
    ]
    if not found:
        msg = f"{_name(source)}: the package index has no sdist of this version"
        raise TargetError(msg)
    named = [p for p in found if (p.digests or {}).get("sha256") == source.sha256]
    return (named or found)[0]


def _sdists(
    package: str, client: pypi_simple.PyPISimple, *, asked: str
) -> Iterator[pypi_simple.DistributionPackage]:
    try:
        page = client.get_project_page(package, timeout=_TIMEOUT_S)
    except pypi_simple.NoSuchProjectError as error:
        msg = f"{asked}: the package index has no such package"
        raise TargetError(msg) from error
    return (found for found in page.packages if found.package_type == "sdist")


def _bounded(answer: requests.Response, source: SdistSource) -> Iterator[bytes]:
    size = 0
    for chunk in answer.iter_content(1 << 20):
        size += len(chunk)
        if size > _MAX_BYTES:
            msg = f"{_name(source)}: the archive is over {_MAX_BYTES:,} bytes"
            raise TargetError(msg)
        yield chunk


def _check(file: Path, source: SdistSource) -> None:
    found = _sha256(file)
    if found != source.sha256:
        msg = (
            f"{_name(source)}: the archive's sha256 is {found}, pinned is "
            f"{source.sha256}; correct the pin if you trust what the index has"
        )
        raise TargetError(msg)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _name(source: SdistSource) -> str:
    return f"{source.package} {source.version}"


def _reason(error: Exception | None) -> str:
    """Say what went wrong without the URL, which may hold a password."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return f"HTTP {status}" if status else type(error).__name__
