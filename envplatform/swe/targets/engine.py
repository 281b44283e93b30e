"""From what a target says under `[image]` to an image of Docker's.

Asks the engine that DOCKER_HOST names, or this machine's own.
"""

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from docker import DockerClient

from envplatform.errors import SandboxError, SandboxUnavailableError, TargetError
from envplatform.registries.indexes import pip_settings
from envplatform.sandbox.base import EngineImage, Image
from envplatform.sandbox.docker import connect
from envplatform.sandbox.engine_commands import CommandBuild, commands_image
from envplatform.sandbox.engine_images import (
    FAILURES,
    DockerfileBuild,
    dockerfile_image,
    existing_image,
)
from envplatform.sandbox.engine_python import WANTED, Base, ask_base
from envplatform.sandbox.images import above, build_image
from envplatform.swe.targets.surroundings import (
    CommandsImage,
    DockerfileImage,
    ExistingImage,
    ImageSource,
)
from envplatform.swe.targets.target import Target
from envplatform.tree import Tree

_SILENCE_S = 3600
"""How long a step of a build may say nothing; its own limit comes first."""
_MAX_DOCKERFILE_BYTES = 1_000_000
_TAKES = re.compile(r"^\s*ARG\s+(PIP_[A-Z_]+)", re.MULTILINE | re.IGNORECASE)


def engine_image(target: Target, tree: Tree, cache: Path) -> Image:
    """Return the image that `target.image` describes, made where it is missing.

    Raises:
        TargetError: it can't be had or made, its Python is not one of `python`, or it
            has no pytest or coverage and the target's pins have none either.
        SandboxUnavailableError: no Docker Engine answers.
        SandboxError: the engine failed.
    """
    if target.image is None:
        msg = f"{target.name} has no [image]"
        raise TargetError(msg)
    try:
        client, _ = connect(answer_s=_SILENCE_S)
    except SandboxUnavailableError as error:
        msg = f"{target.name}: [image] needs Docker: {error}"
        raise SandboxUnavailableError(msg) from error
    try:
        with _alone(cache):
            engine = _resolve(client, target.image, tree)
        base = _asked(client, engine)
    except TargetError as error:
        msg = f"{target.name}: {error}"
        raise TargetError(msg) from error
    finally:
        client.close()
    _check(target, base)
    return _with_pins(target, base, engine, cache)


def named_images(image: ImageSource | None) -> dict[str, str]:
    """Digest (hex) of each image that is given by a name, as the engine has it now.

    What is not there yet has none: it is pulled when the target is prepared.
    """
    match image:
        case ExistingImage():
            name = image.name
        case CommandsImage():
            name = image.base
        case _:
            return {}
    with suppress(SandboxUnavailableError, *FAILURES):
        client, _ = connect()
        try:
            found = str(client.images.get(name).id)
        finally:
            client.close()
        return {f"image {name}": found.removeprefix("sha256:")}
    return {}


def read_dockerfile(image: DockerfileImage) -> str:
    """Return the text of the Dockerfile.

    Raises:
        TargetError: it can't be read.
    """
    try:
        with image.path.open("rb") as stream:
            data = stream.read(_MAX_DOCKERFILE_BYTES + 1)
        if len(data) > _MAX_DOCKERFILE_BYTES:
            msg = f"image.path: {image.path} is too large for a Dockerfile"
            raise TargetError(msg)
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"image.path: the Dockerfile {image.path} can't be read: {error}"
        raise TargetError(msg) from error


def _resolve(client: DockerClient, image: ImageSource, tree: Tree) -> EngineImage:
    match image:
        case ExistingImage():
            return existing_image(client, image.name, digest=image.digest)
        case DockerfileImage():
            text = read_dockerfile(image)
            build = DockerfileBuild(
                text=text,
                args={**_index_arguments(text), **image.args},
                tree=tree,
                network=image.network,
                timeout_s=image.timeout_s,
            )
            return dockerfile_image(
                client, build, origin=f"Dockerfile {image.path.name}"
            )
        case CommandsImage():
            settings = pip_settings()
            steps = CommandBuild(
                base=image.base,
                steps=image.commands,
                tree=tree,
                network=image.network,
                environment=settings.variables,
                files=settings.files,
                timeout_s=image.timeout_s,
            )
            return commands_image(
                client, steps, origin=f"an image made by commands in {image.base}"
            )


def _asked(client: DockerClient, engine: EngineImage) -> Base:
    try:
        return ask_base(client, engine.id, engine.origin)
    except SandboxError as error:
        # What is in the image is the target's matter, not the machine's.
        raise TargetError(str(error)) from error


def _index_arguments(text: str) -> dict[str, str]:
    """Pip's settings that the Dockerfile asks for by an ARG of that name."""
    known = pip_settings().variables
    return {name: known[name] for name in _TAKES.findall(text) if name in known}


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """One build at a time: of two, each would have an identity of its own."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "engine.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check(target: Target, base: Base) -> None:
    if target.python and base.version not in target.python:
        msg = (
            f"{target.name}: {base.name} has Python {base.version}, and python says "
            f"{', '.join(target.python)}: take another image, or correct python"
        )
        raise TargetError(msg)
    pinned = {pin.split("==")[0].lower() for pin in target.requirements}
    missing = [m for m in WANTED if m not in base.modules and m not in pinned]
    if missing and target.suite.results == "pytest":
        msg = (
            f"{target.name}: {base.name} has no {' and no '.join(missing)} for its "
            f"python3 ({base.executable}): install what runs and measures the suite in "
            "the image, or pin it in requirements"
        )
        raise TargetError(msg)


def _with_pins(target: Target, base: Base, engine: EngineImage, cache: Path) -> Image:
    """Lay the target's wheels above what the image has."""
    name = target.name.lower()
    try:
        plain = build_image(name, base.version, target.requirements, cache)
    except SandboxUnavailableError as error:
        msg = (
            f"{error}; it chooses the wheels of requirements. Or install them in the "
            "image, and leave requirements out"
        )
        raise SandboxUnavailableError(msg) from error
    return above(engine, plain)
