"""An image made by commands: they run in a base image, and what they leave is kept.

Settings that they need (a package index, perhaps with a password) are given to each
command alone, so that neither the image nor its history tells them.
"""

import base64
import io
import tarfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from docker import DockerClient
from docker.models.containers import Container

from envplatform.errors import SandboxError, TargetError
from envplatform.sandbox.base import EngineImage
from envplatform.sandbox.docker_sandbox import remove_container
from envplatform.sandbox.engine_images import (
    FAILURES,
    Network,
    existing_image,
    fingerprint,
    kept_image,
    log_tail,
    no_network_hint,
    tag_of,
    write_tree,
)
from envplatform.sandbox.owners import LABEL, current_owner
from envplatform.tree import Tree

Step = str | tuple[str, ...]
"""A line for the image's own shell, or words that no shell sees."""

_WORKSPACE = "/workspace"
_SETTINGS = "/run/envplatform"
_CHUNK = 48_000
"""Bytes of a setting's file in one variable: the kernel takes 128 KiB."""
_MEMORY = "8g"
_PROCESSES = 4096
_LOG_BYTES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandBuild:
    """Commands and what they find."""

    base: str
    """Name of the image that they run in, as root."""
    steps: tuple[Step, ...]
    tree: Tree
    """Lies in /workspace, where they run; it is gone from the image afterwards."""
    network: Network = "none"
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """May hold passwords: not in the image, not in its identity."""
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Name of a variable to the content of the file that it shall name."""
    timeout_s: float
    """For all commands together."""


def commands_image(
    client: DockerClient, build: CommandBuild, *, origin: str
) -> EngineImage:
    """Return the image that the commands leave, or left before.

    Raises:
        TargetError: the base is not to be had, or a command failed; names it, with
            the end of what it said.
        SandboxError: the engine failed.
    """
    base = existing_image(client, build.base)
    recipe = ["commands", base.id, list(build.steps), build.network]
    tag = tag_of(fingerprint(recipe, build.tree))
    kept = kept_image(client, tag)
    if kept is not None:
        return EngineImage(id=kept, origin=origin)
    try:
        container = _create(client, build, base.id)
        try:
            container.start()
            _run_all(client, container, build, origin)
            made = container.commit(
                *tag.split(":"), changes=[f'LABEL {LABEL}=""', "ENTRYPOINT []"]
            )
        finally:
            remove_container(container)
    except FAILURES as error:
        msg = f"{origin}: Docker Engine failed to make it: {error}"
        raise SandboxError(msg) from error
    return EngineImage(id=str(made.id), origin=origin)


def _create(client: DockerClient, build: CommandBuild, base_id: str) -> Container:
    container = client.containers.create(
        base_id,
        # Ends by itself, should nobody be left to remove it.
        entrypoint=["/bin/sh", "-c", f"sleep {int(build.timeout_s) + 60}"],
        user="0:0",
        init=True,
        network_mode="host" if build.network == "host" else build.network,
        security_opt=["no-new-privileges"],
        pids_limit=_PROCESSES,
        mem_limit=_MEMORY,
        memswap_limit=_MEMORY,
        tmpfs={_SETTINGS: "rw,size=16m,mode=0700"},
        labels={LABEL: current_owner().label()},
    )
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        folder = tarfile.TarInfo(_WORKSPACE.lstrip("/"))
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(folder)
        write_tree(archive, build.tree, below=f"{_WORKSPACE.lstrip('/')}/")
    container.put_archive("/", stream.getvalue())
    return container


def _run_all(
    client: DockerClient, container: Container, build: CommandBuild, origin: str
) -> None:
    late = threading.Event()

    def end() -> None:
        late.set()
        container.kill()

    timer = threading.Timer(build.timeout_s, end)
    timer.start()
    try:
        environment = {**build.environment, **_give_files(client, container, build)}
        for number, step in enumerate(build.steps):
            code, log = _run(client, container, _argv(step), environment)
            if late.is_set():
                what = f"took longer than image.timeout_s = {build.timeout_s:g}"
            elif code != 0:
                what = f"ended with status {code}"
            else:
                continue
            said = log_tail(iter(log.decode("utf-8", "replace").splitlines()))
            hint = "" if late.is_set() else no_network_hint(build.network)
            msg = f"{origin}: image.commands[{number}] ({_shown(step)}) {what}{said}"
            raise TargetError(msg + hint)
        _run(client, container, ("rm", "-rf", _WORKSPACE), {})
    finally:
        timer.cancel()


def _give_files(
    client: DockerClient, container: Container, build: CommandBuild
) -> dict[str, str]:
    """Write the settings' files where a commit does not reach; return the variables."""
    names: dict[str, str] = {}
    for variable, content in sorted(build.files.items()):
        names[variable] = f"{_SETTINGS}/{variable.lower()}"
        script = f'printf %s "$PIECE" | base64 -d >> {names[variable]}'
        for start in range(0, len(content), _CHUNK):
            piece = base64.b64encode(content[start : start + _CHUNK]).decode()
            argv = ("/bin/sh", "-euc", script)
            code, log = _run(client, container, argv, {"PIECE": piece})
            if code != 0:
                msg = f"a setting can't be given to the build: {log[-300:]!r}"
                raise SandboxError(msg)
    return names


def _run(
    client: DockerClient,
    container: Container,
    argv: Sequence[str],
    environment: Mapping[str, str],
) -> tuple[int, bytes]:
    """Return the status and the end of the output."""
    made = client.api.exec_create(
        container.id, list(argv), environment=dict(environment), workdir=_WORKSPACE
    )
    log = b""
    for piece in _pieces(client, str(made["Id"])):
        log = (log + piece)[-_LOG_BYTES:]
    code = client.api.exec_inspect(made["Id"])["ExitCode"]
    return (-1 if code is None else int(code)), log


def _pieces(client: DockerClient, exec_id: str) -> Iterator[bytes]:
    stream = client.api.exec_start(exec_id, stream=True)
    try:
        yield from stream
    finally:
        # docker-py leaves the connection to whoever collects garbage.
        stream.close()
        stream._response.close()  # type: ignore[attr-defined]  # noqa: SLF001


def _argv(step: Step) -> tuple[str, ...]:
    return ("/bin/sh", "-ec", step) if isinstance(step, str) else step


def _shown(step: Step) -> str:
    text = step if isinstance(step, str) else " ".join(step)
    return " ".join(text.split())[:200]
