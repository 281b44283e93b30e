"""The machine of a Harbor task: built from its Dockerfile by Docker, its /workspace taken out.

A Dockerfile is foreign code: the engine alone runs it, without network, with limits.
Our sandboxes have a read-only root, so a task must work in /workspace; what the image
has there is what the agent finds.
"""

import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docker import DockerClient

from envplatform.errors import SandboxError, TargetError
from envplatform.interop.harbor.reading import HarborTask
from envplatform.sandbox.base import EngineImage, Image
from envplatform.sandbox.docker import connect
from envplatform.sandbox.engine_images import (
    FAILURES,
    DockerfileBuild,
    dockerfile_image,
    no_network_hint,
)
from envplatform.sandbox.engine_python import ask_base
from envplatform.sandbox.images import above, build_image
from envplatform.sandbox.owners import LABEL, current_owner
from envplatform.tree import File, TreeError, checked_path

WORKSPACE = "/workspace"
_SILENCE_S = 3600
_MAX_WORKSPACE_BYTES = 64_000_000
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9./:@_-]{0,255}")
_FROM = re.compile(r"^([ \t]*FROM[ \t]+)(\S+)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a task starts from."""

    image: Image
    workspace: Mapping[str, File]
    left_out: int
    """Links and devices in /workspace, which no tree holds."""


def build_machine(task: HarborTask, *, base: str | None, cache: Path) -> Machine:
    """Build the task's image, or take it where it was built before.

    `base`: stands in for what its Dockerfile starts from; None leaves that as it is.

    Raises:
        TargetError: it can't be built, has no python3, or works elsewhere.
        SandboxUnavailableError: no Docker Engine answers.
        SandboxError: the engine failed.
    """
    client, _ = connect(answer_s=_SILENCE_S)
    try:
        engine = _engine_image(client, task, base)
        image = _image(client, engine, cache)
        _check_workdir(client, engine, task)
        workspace, left_out = _taken_out(client, engine)
        return Machine(image=image, workspace=workspace, left_out=left_out)
    finally:
        client.close()


def dockerfile_text(task: HarborTask, base: str | None) -> str:
    """The Dockerfile to build, on `base` where one is given.

    Raises:
        TargetError: there is none, or it has several stages and `base` can't say for which.
    """
    named = task.file.environment.docker_image
    if "Dockerfile" in task.context:
        text = task.context["Dockerfile"].data.decode("utf-8", "replace")
    elif named and _REFERENCE.fullmatch(named):
        text = f"FROM {named}\n"
    else:
        msg = "environment/Dockerfile is missing, and docker_image names no image"
        raise TargetError(msg)
    if base is None:
        return text
    if len(_FROM.findall(text)) != 1:
        msg = "environment/Dockerfile has not one FROM, so no other base can be set"
        raise TargetError(msg)
    return _FROM.sub(lambda found: f"{found[1]}{base}", text)


def _engine_image(
    client: DockerClient, task: HarborTask, base: str | None
) -> EngineImage:
    try:
        return dockerfile_image(client, _build(task, base), origin=task.name)
    except TargetError as error:
        # What follows tells of a target's settings, which there are none of here.
        said = str(error).partition(no_network_hint("none"))[0]
        msg = f"{said} (builds have no network here)"
        raise TargetError(msg) from error


def _build(task: HarborTask, base: str | None) -> DockerfileBuild:
    return DockerfileBuild(
        text=dockerfile_text(task, base),
        args={},
        tree=task.context,
        timeout_s=task.file.environment.build_timeout_sec,
    )


def _image(client: DockerClient, engine: EngineImage, cache: Path) -> Image:
    try:
        found = ask_base(client, engine.id, engine.origin)
    except SandboxError as error:
        # What is in the image is the task's matter, not the machine's.
        raise TargetError(str(error)) from error
    plain = build_image("harbor", found.version, (), cache)
    return above(engine, plain)


def _check_workdir(client: DockerClient, engine: EngineImage, task: HarborTask) -> None:
    settings = client.images.get(engine.id).attrs.get("Config") or {}
    folder = task.file.environment.workdir or settings.get("WorkingDir") or "/"
    if str(folder).rstrip("/") != WORKSPACE:
        msg = f"it works in {folder}; sandboxes here are writable in {WORKSPACE} only"
        raise TargetError(msg)


def _taken_out(
    client: DockerClient, engine: EngineImage
) -> tuple[dict[str, File], int]:
    """Read /workspace of an image in a container that never runs."""
    try:
        container = client.containers.create(
            engine.id,
            "true",  # never run, but an engine wants a command
            network_mode="none",
            labels={LABEL: current_owner().label()},
        )
        try:
            pieces, _ = container.get_archive(WORKSPACE)
            data = _bounded(pieces)
        finally:
            container.remove(force=True)
    except FAILURES as error:
        msg = f"{WORKSPACE} can't be read out of the image: {str(error)[:200]}"
        raise TargetError(msg) from error
    files: dict[str, File] = {}
    left_out = 0
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.isreg() else None
            if content is not None:
                path = _below(entry.name)
                files[path] = File(content.read(), bool(entry.mode & 0o100))
            else:
                left_out += not entry.isdir()
    return files, left_out


def _bounded(pieces: Iterator[bytes]) -> bytes:
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > _MAX_WORKSPACE_BYTES:
            msg = (
                f"{WORKSPACE} of the image is larger than {_MAX_WORKSPACE_BYTES} bytes"
            )
            raise TargetError(msg)
    return bytes(data)


def _below(name: str) -> str:
    try:
        return checked_path(name.partition("/")[2])
    except TreeError as error:
        msg = f"{WORKSPACE} of the image: {error}"
        raise TargetError(msg) from error
