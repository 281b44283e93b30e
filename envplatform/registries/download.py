"""One file over HTTP: bounded, digest checked, kept in a cache or not at all."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import requests

from envplatform.errors import RegistryError

Answer = TypeVar("Answer")

TIMEOUT_S = 60
MAX_DOWNLOAD = 200_000_000
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What an archive must be."""

    name: str
    """Package and version, for messages."""
    algorithm: Literal["sha256", "sha512"]
    digest: str
    """Hex."""

    def kept(self, cache: Path) -> Path | None:
        """The archive below `cache`, if it is there and is the one."""
        folder = cache / self.digest
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            if path.is_file() and self._of(path) == self.digest:
                return path
        return None

    def check(self, file: Path) -> None:
        """See that a file is the one.

        Raises:
            RegistryError: it is another; names both digests.
        """
        found = self._of(file)
        if found != self.digest:
            msg = (
                f"{self.name}: the archive's {self.algorithm} is {found}, pinned is "
                f"{self.digest}; correct the pin if you trust what the index has"
            )
            raise RegistryError(msg)

    def _of(self, file: Path) -> str:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, self.algorithm).hexdigest()


def keep(
    pin: Pin, cache: Path, *, session: requests.Session, url: str, filename: str
) -> Path:
    """Download `url` into the cache, under the name that `filename` ends in.

    Raises:
        RegistryError: too large, or not what was pinned; nothing is kept.
        requests.RequestException: no answer; may be tried again.
    """
    folder = cache / pin.digest
    folder.mkdir(parents=True, exist_ok=True)
    answer = session.get(url, stream=True, timeout=TIMEOUT_S)
    answer.raise_for_status()
    with tempfile.TemporaryDirectory(dir=folder, suffix=".part") as aside:
        part = Path(aside, "archive")
        with part.open("wb") as stream:
            for chunk in _bounded(answer, pin.name):
                stream.write(chunk)
        pin.check(part)
        return part.rename(folder / Path(filename).name)


def persist(name: str, ask: Callable[[], Answer]) -> Answer:
    """Ask up to three times.

    Raises:
        RegistryError: there was no answer; names the package and never the address,
            which may hold a password.
    """
    problem: Exception | None = None
    for _ in range(_ATTEMPTS):
        try:
            return ask()
        except requests.RequestException as error:
            problem = error
    status = getattr(getattr(problem, "response", None), "status_code", None)
    reason = f"HTTP {status}" if status else type(problem).__name__
    msg = f"{name}: the package index did not give it: {reason}"
    raise RegistryError(msg) from problem


def new_session(certificate: str | None) -> requests.Session:
    """A session that trusts `certificate`, a bundle's path; None: the usual ones."""
    session = requests.Session()
    if certificate is not None:
        session.verify = certificate
    return session


def _bounded(answer: requests.Response, name: str) -> Iterator[bytes]:
    size = 0
    for chunk in answer.iter_content(1 << 20):
        size += len(chunk)
        if size > MAX_DOWNLOAD:
            msg = f"{name}: the archive is over {MAX_DOWNLOAD:,} bytes"
            raise RegistryError(msg)
        yield chunk
