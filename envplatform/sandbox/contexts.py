"""Docker images made of ours: base, interpreter names, site folder, first process.

Built from a Dockerfile that only copies: nothing runs while an image is built. One
image per digest, base and version of what we copy in; an existing one is reused.
"""

import hashlib
import io
import shlex
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from docker import DockerClient
from docker.errors import BuildError, DockerException, ImageNotFound

from envplatform.errors import SandboxError
from envplatform.sandbox import inside
from envplatform.sandbox.base import WRITABLE, EngineImage, Image
from envplatform.sandbox.engine_python import Base, ask_base
from envplatform.sandbox.mounts import ETC

_DOCKERFILE = """\
FROM {base}
COPY root/ /
ENV PYTHONPATH=/opt/envp
USER 1000:1000
WORKDIR /workspace
STOPSIGNAL SIGTERM
HEALTHCHECK NONE
ENTRYPOINT ["/opt/bin/python3", "-s", "-m", "envplatform.sandbox.inside"]
"""
_ETC = ("passwd", "group")
"""Of our synthetic /etc; the rest is the engine's."""
_REPOSITORY = "envplatform/image"
HOW_TO_GET_A_BASE = (
    "docker pull it, or set [sandbox] base_image to an image that is there "
    "(scripts/docker_for_tests.sh imports envplatform/base:bookworm)"
)


def find_base(client: DockerClient, name: str) -> Base:
    """Return the image `name`, pulled where it is missing.

    Raises:
        SandboxError: it is not to be had, or has no python3.
    """
    try:
        try:
            image = client.images.get(name)
        except ImageNotFound:
            image = client.images.pull(name)
    except DockerException as error:
        msg = f"Docker image {name} can't be used ({error}): {HOW_TO_GET_A_BASE}"
        raise SandboxError(msg) from error
    return ask_base(client, str(image.id), name)


def engine_base(client: DockerClient, engine: EngineImage) -> Base:
    """Return what a target chose to stand upon.

    Raises:
        SandboxError: it was removed from the engine, or has no python3.
    """
    try:
        client.images.get(engine.id)
    except DockerException as error:
        msg = (
            f"{engine.origin} ({engine.id[:19]}) is not on Docker Engine any more "
            f"({error}): materialise target_repositories again"
        )
        raise SandboxError(msg) from error
    return ask_base(client, engine.id, engine.origin)


def image_for(client: DockerClient, image: Image, base: Base) -> str:
    """Return the id of the engine's image for `image`, built where it is missing.

    Raises:
        SandboxError: the base has another Python, or the build failed.
    """
    if base.version != image.python:
        msg = (
            f"image {image.name} wants Python {image.python}, Docker image "
            f"{base.name} has {base.version}: set [sandbox] base_image to one that fits"
        )
        raise SandboxError(msg)
    tag = f"{_REPOSITORY}:{_fingerprint(image, base)}"
    try:
        return str(client.images.get(tag).id)
    except ImageNotFound:
        pass
    with tempfile.TemporaryFile() as context:
        _write_context(context, image, base)
        context.seek(0)
        try:
            built, _ = client.images.build(
                fileobj=context, custom_context=True, tag=tag, rm=True, forcerm=True
            )
        except BuildError as error:
            msg = f"Docker could not build {tag} for image {image.name}: {error}"
            raise SandboxError(msg) from error
    return str(built.id)


def _fingerprint(image: Image, base: Base) -> str:
    digest = hashlib.sha256(f"{image.digest}\n{base.id}\n{_DOCKERFILE}".encode())
    for path in _own_modules():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


def _own_modules() -> list[Path]:
    """The modules of the first process."""
    return sorted(Path(inside.__path__[0]).glob("*.py"))


def _write_context(out: IO[bytes], image: Image, base: Base) -> None:
    """Write the build context: the same bytes for the same image."""
    with tarfile.open(fileobj=out, mode="w", dereference=True) as archive:
        dockerfile = _DOCKERFILE.format(base=base.reference)
        _add(archive, "Dockerfile", dockerfile.encode())
        for place in WRITABLE:
            _add_folder(archive, f"root{place}")
        for name, text in ETC.items():
            if name in _ETC:
                _add(archive, f"root/etc/{name}", text.encode())
        for name in ("python", "python3", f"python{base.version}"):
            _add_python(archive, f"root/opt/bin/{name}", base)
        package = "root/opt/envp/envplatform"
        for folder in (package, f"{package}/sandbox"):
            _add(archive, f"{folder}/__init__.py", b"")
        for module in _own_modules():
            name = f"{package}/sandbox/inside/{module.name}"
            _add(archive, name, module.read_bytes())
        for path, file in _site_files(image.site):
            _add(archive, f"root/opt/site/{path}", file.read_bytes(), file)


def _site_files(site: Path | None) -> Iterator[tuple[str, Path]]:
    for path in sorted(site.rglob("*")) if site else ():
        if path.is_file():
            yield path.relative_to(site or path).as_posix(), path


def _add(
    archive: tarfile.TarFile, name: str, data: bytes, like: Path | None = None
) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    executable = like is not None and like.stat().st_mode & 0o100
    entry.mode = 0o755 if executable else 0o644
    archive.addfile(entry, io.BytesIO(data))


def _add_python(archive: tarfile.TarFile, name: str, base: Base) -> None:
    """A link; where a virtual environment would not be found by it, a script."""
    if base.is_virtual:
        script = f'#!/bin/sh\nexec {shlex.quote(base.executable)} "$@"\n'
        _add(archive, name, script.encode(), Path(sys.executable))
    else:
        _add_link(archive, name, base.executable)


def _add_folder(archive: tarfile.TarFile, name: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
    archive.addfile(entry)


def _add_link(archive: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    archive.addfile(entry)
