"""What the python3 of an image is, asked in a container that can do nothing else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from docker import DockerClient
from docker.errors import DockerException
from docker.models.images import Image as DockerImage
from pydantic import BaseModel, ConfigDict, StringConstraints

from envplatform.errors import SandboxError
from envplatform.sandbox.base import EngineImage
from envplatform.sandbox.mounts import CLEAN_ENVIRONMENT
from envplatform.sandbox.owners import LABEL, current_owner

WANTED = ("pytest", "coverage")
"""Modules that are looked for: what runs and measures a suite."""
_QUESTION = """
import importlib.util, json, pathlib, sys
is_virtual = sys.prefix != sys.base_prefix
executable = pathlib.Path(sys.executable)
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "executable": str(executable if is_virtual else executable.resolve()),
    "is_virtual": is_virtual,
    "modules": [n for n in ("pytest", "coverage") if importlib.util.find_spec(n)],
}))
"""
_BASE_TAG = "envplatform/base-of"
_OLDEST = (3, 7)
_MEMORY = "512m"
_ANSWER_S = 60
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+$", max_length=10)]
    executable: Annotated[
        str, StringConstraints(pattern=r"^/[^\x00-\x1f]+$", max_length=1000)
    ]
    is_virtual: bool
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """An image to build upon."""

    name: str
    id: str
    version: str
    """Minor version of its python3."""
    executable: str
    is_virtual: bool = False
    """Whether its python3 is one of a virtual environment."""
    modules: tuple[str, ...] = ()
    """Those of WANTED that it has."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What commands start with: the image's own settings, ours before them on paths."""

    @property
    def reference(self) -> str:
        """A name of ours that `FROM` finds, which nobody moves to another image."""
        return _own_name(self.id)


def reference_of(engine: EngineImage) -> str:
    """Return what finds this image and no other: at a registry, or on its engine alone."""
    return engine.registry or _own_name(engine.id)


def _own_name(image_id: str) -> str:
    return f"{_BASE_TAG}:{image_id.removeprefix('sha256:')[:32]}"


def ask_base(client: DockerClient, image_id: str, name: str) -> Base:
    """Return what the image is; `name` stands for it in errors.

    Raises:
        SandboxError: no python3 of 3.7 or newer in it, or it would run or keep things
            behind our back.
    """
    try:
        image = client.images.get(image_id)
        settings = image.attrs.get("Config") or {}
        _check_quiet(settings, name)
        answer = _ask(client, image, name)
        base = Base(
            name=name,
            id=str(image.id),
            version=answer.version,
            executable=answer.executable,
            is_virtual=answer.is_virtual,
            modules=answer.modules,
            environment=_environment(settings.get("Env") or ()),
        )
        image.tag(*base.reference.split(":"))
    except DockerException as error:
        msg = f"Docker image {name} can't be used: {error}"
        raise SandboxError(msg) from error
    if tuple(map(int, base.version.split("."))) < _OLDEST:
        msg = f"Docker image {name} has Python {base.version}; suites need 3.7 or newer"
        raise SandboxError(msg)
    return base


def _ask(client: DockerClient, image: DockerImage, name: str) -> _Answer:
    try:
        return _Answer.model_validate_json(_answer(client, image))
    except (DockerException, OSError, ValueError) as error:
        why = str(error).splitlines()[0][:300]
        msg = f"Docker image {name} has no working python3 on its PATH: {why}"
        raise SandboxError(msg) from error


def _answer(client: DockerClient, image: DockerImage) -> bytes:
    """What python3 prints; the container is gone even if it never started."""
    container = client.containers.create(
        image,
        ["-c", _QUESTION],
        entrypoint="python3",
        user="1000:1000",
        working_dir="/",
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        pids_limit=64,
        mem_limit=_MEMORY,
        labels={LABEL: current_owner().label()},
    )
    try:
        container.start()
        status = container.wait(timeout=_ANSWER_S)["StatusCode"]
        if status:
            msg = f"status {status}: {container.logs(tail=1)[-300:]!r}"
            raise ValueError(msg)
        return container.logs(stdout=True, stderr=False, tail=10)
    finally:
        container.remove(force=True, v=True)


def _check_quiet(settings: Mapping[str, object], name: str) -> None:
    """Refuse what would run at our build, or be writable without a limit."""
    if settings.get("OnBuild"):
        msg = f"Docker image {name} has ONBUILD steps, which would run in our build"
    elif settings.get("Volumes"):
        places = ", ".join(sorted(dict(settings["Volumes"])))  # type: ignore[call-overload]
        msg = (
            f"Docker image {name} declares VOLUME {places}, which no disk limit holds: "
            "build one without (copy what is needed of it into another image)"
        )
    else:
        return
    raise SandboxError(msg)


def _environment(lines: list[str] | tuple[()]) -> dict[str, str]:
    own = dict(line.split("=", 1) for line in lines if re.match(r"[^=]+=", line))
    path = own.get("PATH") or _PATH
    python = own.get("PYTHONPATH")
    site = CLEAN_ENVIRONMENT["PYTHONPATH"]
    return {
        **own,
        **CLEAN_ENVIRONMENT,
        "PATH": f"/opt/bin:{path}",
        "PYTHONPATH": f"{site}:{python}" if python else site,
    }
