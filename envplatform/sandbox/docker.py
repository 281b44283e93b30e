"""Docker sandboxes: one container each, with one channel to its first process.

No `docker exec`: the container's first process (`inside`) runs the commands, so that
they start in milliseconds, their endings are exact, and it still can kill when no
further process fits in. Images are made in `contexts`; what an open sandbox does
stands in `docker_sandbox`.
"""

import os
import socket
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import docker
from docker.errors import NotFound
from docker.models.containers import Container
from docker.models.volumes import Volume
from docker.types import LogConfig, Ulimit

from envplatform.errors import SandboxError, SandboxUnavailableError
from envplatform.sandbox.base import (
    WRITABLE,
    Door,
    Image,
    Limits,
    SandboxInfo,
    SandboxProvider,
)
from envplatform.sandbox.contexts import engine_base, find_base, image_for
from envplatform.sandbox.docker_sandbox import (
    FAILURES,
    DockerSandbox,
    remove_container,
)
from envplatform.sandbox.engine_python import Base
from envplatform.sandbox.line import Line
from envplatform.sandbox.mounts import CLEAN_ENVIRONMENT
from envplatform.sandbox.owners import LABEL, current_owner, parse_owner
from envplatform.sandbox.threads import Threads

_DEFAULT = "unix:///var/run/docker.sock"
HOW_TO_INSTALL = (
    "install Docker Engine (apt-get install docker.io), start it (systemctl start "
    "docker, or dockerd) and let this user reach its socket (group docker)"
)
_ANSWER_S = 120
_OWN_PROCESSES = 1
_SOCKETS = "size=1m,mode=0711,uid=1000,gid=1000"
_MB = 1024 * 1024


class DockerProvider(SandboxProvider):
    """Opens containers of one engine; sweeps those of dead owners first.

    `base` names the image to build upon; `{python}` in it becomes the version.

    Raises:
        SandboxUnavailableError: no engine answers.
    """

    def __init__(
        self, *, base: str = "python:{python}-slim", url: str | None = None
    ) -> None:
        self._client, version = connect(url)
        self._base = base
        self._bases: dict[str, Base] = {}
        self._building = threading.Lock()
        self._threads = Threads()
        self.info = SandboxInfo(kind="docker", version=version, limits="engine")
        self._sweep()

    def close(self) -> None:
        """Let go of the connections to the engine."""
        self._client.close()

    @asynccontextmanager
    async def open(
        self,
        image: Image,
        limits: Limits = Limits(),  # noqa: B008  frozen
        *,
        doors: Sequence[Door] = (),
    ) -> AsyncIterator[DockerSandbox]:
        """Open a fresh container; see the base class."""
        sandbox = await self._threads.run(
            lambda _: self._make(image, limits, doors), undo=lambda made: made.remove()
        )
        try:
            yield sandbox
        finally:
            await self._threads.run(lambda _: sandbox.remove())

    @asynccontextmanager
    async def meet(self) -> AsyncIterator[str]:
        """Make a volume in memory for sockets; see the base class."""
        volume = await self._threads.run(lambda _: self._volume(), undo=remove_volume)
        try:
            yield str(volume.id)
        finally:
            await self._threads.run(lambda _: remove_volume(volume))

    async def reach(self, place: str) -> Path | None:
        """Return where the engine mounts the volume, if it does so in our sight."""
        return await self._threads.run(lambda _: self._mounted(place))

    def _mounted(self, place: str) -> Path | None:
        try:
            folder = Path(self._client.volumes.get(place).attrs["Mountpoint"])
        except FAILURES as error:
            msg = f"volume {place} can't be looked at: {error}"
            raise SandboxError(msg) from error
        try:
            is_mount = folder.stat().st_dev != folder.parent.stat().st_dev
        except OSError:  # another machine's, or not for this user to see
            return None
        return folder if is_mount else None

    def _volume(self) -> Volume:
        try:
            return self._client.volumes.create(
                driver="local",
                driver_opts={"type": "tmpfs", "device": "tmpfs", "o": _SOCKETS},
                labels={LABEL: current_owner().label()},
            )
        except FAILURES as error:
            msg = f"Docker could not create a volume: {error}"
            raise SandboxError(msg) from error

    def _make(
        self, image: Image, limits: Limits, doors: Sequence[Door]
    ) -> DockerSandbox:
        base = self._base_of(image)
        try:
            container = self._create(self._image(image, base), limits, doors)
        except FAILURES as error:
            msg = f"Docker could not create a container: {error}"
            raise SandboxError(msg) from error
        try:
            line = _attach(self._client, container)
            container.start()
        except FAILURES as error:
            remove_container(container)
            msg = f"Docker could not start a container: {error}"
            raise SandboxError(msg) from error
        sandbox = DockerSandbox(
            self.info,
            container,
            line,
            limits,
            self._threads,
            environment=base.environment if image.engine else CLEAN_ENVIRONMENT,
        )
        try:
            sandbox.greet()
        except SandboxError:
            sandbox.remove()
            raise
        return sandbox

    def _base_of(self, image: Image) -> Base:
        name = self._base.format(python=image.python)
        key = image.engine.id if image.engine else name
        with self._building:
            if key not in self._bases:
                self._bases[key] = (
                    engine_base(self._client, image.engine)
                    if image.engine
                    else find_base(self._client, name)
                )
            return self._bases[key]

    def _image(self, image: Image, base: Base) -> str:
        """The id of the engine's image; one build at a time."""
        with self._building:
            return image_for(self._client, image, base)

    def _create(
        self, image_id: str, limits: Limits, doors: Sequence[Door]
    ) -> Container:
        memory = limits.memory_mb * _MB
        # Larger than allowed: the limit is then noticed (`inside`) before a write
        # fails, which would look like the code's own failure.
        size = f"size={2 * limits.disk_mb + 64}m,mode=0755,uid=1000,gid=1000"
        return self._client.containers.create(
            image_id,
            stdin_open=True,  # and once: the first process ends when we hang up
            network_mode="none",
            hostname="sandbox",
            user="1000:1000",
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            ipc_mode="private",
            pids_limit=limits.processes + _OWN_PROCESSES,
            mem_limit=memory,
            memswap_limit=memory,
            tmpfs=dict.fromkeys(WRITABLE, f"rw,exec,nosuid,nodev,{size}"),
            volumes={
                door.place: {
                    "bind": f"/run/{door.name}",
                    "mode": "rw" if door.serves else "ro",
                }
                for door in doors
            },
            shm_size=64 * _MB,
            ulimits=[Ulimit(name="core", soft=0, hard=0)],
            log_config=LogConfig(type="none"),
            labels={LABEL: current_owner().label()},
        )

    def _sweep(self) -> None:
        """Remove containers whose owner was killed before it could."""
        with suppress(*FAILURES):
            found = self._client.containers.list(
                all=True, filters={"label": LABEL}, ignore_removed=True
            )
            for container in found:
                owner = parse_owner(container.labels.get(LABEL, ""))
                if owner is not None and owner.is_dead():
                    remove_container(container)
            for volume in self._client.volumes.list(filters={"label": LABEL}):
                labels = volume.attrs.get("Labels") or {}
                owner = parse_owner(labels.get(LABEL, ""))
                if owner is not None and owner.is_dead():
                    remove_volume(volume)


def remove_volume(volume: Volume) -> None:
    """Remove; that it is gone already is no failure.

    Raises:
        SandboxError: the engine refused.
    """
    try:
        volume.remove(force=True)
    except NotFound:
        return
    except FAILURES as error:
        msg = f"volume {volume.id} can't be removed: {error}"
        raise SandboxError(msg) from error


def connect(
    url: str | None = None, *, answer_s: int = _ANSWER_S
) -> tuple[docker.DockerClient, str]:
    """A client of the engine at `url` (None: as DOCKER_HOST says), and its version.

    `answer_s`: how long the engine may be silent.

    Raises:
        SandboxUnavailableError: no engine answers.
    """
    try:
        _knock(url or os.environ.get("DOCKER_HOST") or _DEFAULT)
        if url is None:
            client = docker.from_env(timeout=answer_s)
        else:
            client = docker.DockerClient(base_url=url, timeout=answer_s)
        return client, str(client.version()["Version"])
    except FAILURES as error:
        msg = f"no Docker Engine answers ({error}): {HOW_TO_INSTALL}"
        raise SandboxUnavailableError(msg) from error


def _knock(url: str) -> None:
    """Try the engine's socket ourselves: docker-py leaves one open that failed.

    Raises:
        OSError: nobody listens, or this user may not connect.
    """
    scheme, _, path = url.partition("://")
    if scheme.endswith("unix"):
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.connect("/" + path.lstrip("/"))


def _attach(client: docker.DockerClient, container: Container) -> Line:
    """Open the channel; to be done before the start, so that nothing is missed."""
    stream = client.api.attach_socket(
        str(container.id), params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    )
    # docker-py hands out a reader; the channel is two-way, so take what it wraps.
    return Line(stream, getattr(stream, "_sock", stream))
