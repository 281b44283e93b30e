"""Images: an interpreter version and a folder of unpacked wheels, by content.

Building runs no foreign code. Docker's own images are made from these (`docker`).
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from envplatform.errors import TargetError
from envplatform.sandbox.base import EngineImage, Image
from envplatform.sandbox.interpreters import find_interpreter
from envplatform.sandbox.wheels import (
    Wheel,
    compile_bytecode,
    download_wheels,
    unpack,
)

_NAME = re.compile(r"[a-z0-9_.-]+")
_PYTHON = re.compile(r"3\.\d{1,2}")


class _Record(BaseModel):
    """What a request for an image gave; one JSON file each in the cache."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    python: str
    requirements: tuple[str, ...]
    digest: str
    wheels: dict[str, str]
    """File name to SHA-256."""


@dataclass(frozen=True, slots=True)
class _Cache:
    """Folders below the one that the caller gave."""

    root: Path

    def record(self, python: str, requirements: Sequence[str], *, alone: bool) -> Path:
        asked = [python, sorted(requirements), *(["alone"] if alone else [])]
        request = json.dumps(asked).encode()
        name = hashlib.sha256(request).hexdigest()
        return self.root / "requests" / f"{name}.json"

    def site(self, digest: str) -> Path:
        return self.root / "site" / digest

    @property
    def wheels(self) -> Path:
        return self.root / "wheels"


def build_image(
    name: str,
    python: str,
    requirements: Sequence[str],
    cache: Path,
    *,
    alone: bool = False,
) -> Image:
    """Return the image for `requirements`, from `cache` where it was built before.

    Pins of every package make it the same on any machine; what is left open is
    resolved once and then kept. Without requirements the image is bare. `alone`:
    without what the requirements depend on, for who names all that is used.

    Raises:
        TargetError: a requirement has no wheel, or `name` or `python` is malformed.
        SandboxUnavailableError: Python of that version is not on this machine.
    """
    if not _NAME.fullmatch(name) or not _PYTHON.fullmatch(python):
        msg = f"image {name!r} for Python {python!r}: want [a-z0-9_.-]+ and e.g. 3.11"
        raise TargetError(msg)
    if not requirements:
        return Image(
            name=name,
            python=python,
            requirements=(),
            digest=_digest(python, (), None),
            site=None,
        )
    path = _Cache(cache).record(python, requirements, alone=alone)
    record = _known(_Cache(cache), path)
    if record is None:
        record = _build(_Cache(cache), name, python, requirements, alone=alone)
        _write(path, record)
    return Image(
        name=name,
        python=python,
        requirements=record.requirements,
        digest=record.digest,
        site=_Cache(cache).site(record.digest),
    )


def above(engine: EngineImage, plain: Image) -> Image:
    """Return `plain`, made for the engine image's Python, as it stands upon that."""
    digest = hashlib.sha256(f"{engine.id}\n{plain.digest}".encode()).hexdigest()
    return replace(plain, digest=digest, engine=engine)


def _known(cache: _Cache, path: Path) -> _Record | None:
    try:
        record = _Record.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    return record if cache.site(record.digest).is_dir() else None


def _build(
    cache: _Cache, name: str, python: str, requirements: Sequence[str], *, alone: bool
) -> _Record:
    interpreter = find_interpreter(python)
    cache.root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="building-", dir=cache.root) as scratch:
        download, site = Path(scratch, "wheels"), Path(scratch, "site")
        download.mkdir()
        wheels = download_wheels(
            requirements, interpreter, download, image=name, alone=alone
        )
        site.mkdir(mode=0o755)
        for wheel in wheels:
            unpack(wheel, site)
        pins = tuple(wheel.pin for wheel in wheels)
        digest = _digest(python, pins, site)
        compile_bytecode(site, interpreter)  # outside the digest
        _publish(site, cache.site(digest))
        _keep(wheels, cache.wheels)
    return _Record(
        python=python,
        requirements=pins,
        digest=digest,
        wheels={wheel.path.name: wheel.sha256 for wheel in wheels},
    )


def _digest(python: str, pins: Sequence[str], site: Path | None) -> str:
    """SHA-256 (hex) over version, pins, and every path, mode and content of `site`."""
    digest = hashlib.sha256("\n".join([f"python {python}", *pins, ""]).encode())
    files = [path for path in site.rglob("*") if path.is_file()] if site else []
    for path in sorted(files, key=lambda path: path.as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        executable = int(bool(path.stat().st_mode & 0o100))
        relative = path.relative_to(site).as_posix() if site else ""
        digest.update(f"{content} {executable} {relative}\n".encode())
    return digest.hexdigest()


def _publish(site: Path, final: Path) -> None:
    """Make the finished folder visible at once; who comes second has lost nothing."""
    final.parent.mkdir(exist_ok=True)
    for folder in [site, *(path for path in site.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)  # sandboxes read it as another user
    try:
        site.rename(final)
    except OSError:
        if not final.is_dir():
            raise


def _keep(wheels: Sequence[Wheel], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for wheel in wheels:
        shutil.move(wheel.path, folder / wheel.path.name)


def _write(path: Path, record: _Record) -> None:
    path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as out:
        out.write(record.model_dump_json(indent=2))
    Path(out.name).rename(path)
