"""Docker sandboxes: one container each, with one channel to its first process.

No `docker exec`: the container's first process (`inside`) runs the commands, so that
they start in milliseconds, their endings are exact, and it still can kill when no
further process fits in. Images are made in `contexts`.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import docker
import requests
from docker.errors import DockerException, NotFound
from docker.models.containers import Container
from docker.types import LogConfig, Ulimit

from envplatform.errors import (
    DownloadTooLargeError,
    SandboxError,
    SandboxUnavailableError,
)
from envplatform.sandbox.base import (
    WRITABLE,
    ExecResult,
    Image,
    Limits,
    Sandbox,
    SandboxInfo,
    SandboxProvider,
)
from envplatform.sandbox.contexts import Base, find_base, image_for
from envplatform.sandbox.endings import Finished, result_of
from envplatform.sandbox.inside.channel import decoded, encoded
from envplatform.sandbox.line import HungUpError, Line, Patience, Reply
from envplatform.sandbox.mounts import CLEAN_ENVIRONMENT
from envplatform.sandbox.owners import LABEL, current_owner, parse_owner
from envplatform.sandbox.places import inside_place
from envplatform.sandbox.threads import Cancelled, Threads
from envplatform.tree import File, Tree, TreeError, checked_path

HOW_TO_INSTALL = (
    "install Docker Engine (apt-get install docker.io), start it (systemctl start "
    "docker, or dockerd) and let this user reach its socket (group docker)"
)
_FAILURES = (DockerException, requests.RequestException, OSError)
_START_S = 60.0
_MOVE_S = 300.0
_GRACE_S = 30.0
_OWN_PROCESSES = 1
_MB = 1024 * 1024
T = TypeVar("T")


class DockerProvider(SandboxProvider):
    """Opens containers of one engine; sweeps those of dead owners first.

    `base` names the image to build upon; `{python}` in it becomes the version.

    Raises:
        SandboxUnavailableError: no engine answers.
    """

    def __init__(
        self, *, base: str = "python:{python}-slim", url: str | None = None
    ) -> None:
        try:
            self._client = (
                docker.DockerClient(base_url=url, timeout=120)
                if url
                else docker.from_env(timeout=120)
            )
            version = str(self._client.version()["Version"])
        except _FAILURES as error:
            msg = f"no Docker Engine answers ({error}): {HOW_TO_INSTALL}"
            raise SandboxUnavailableError(msg) from error
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
    ) -> AsyncIterator["DockerSandbox"]:
        """Open a fresh container; see the base class."""
        sandbox = await self._threads.run(
            lambda _: self._make(image, limits), undo=lambda made: made.remove()
        )
        try:
            yield sandbox
        finally:
            await self._threads.run(lambda _: sandbox.remove())

    def _make(self, image: Image, limits: Limits) -> "DockerSandbox":
        try:
            container = self._create(self._image(image), limits)
        except _FAILURES as error:
            msg = f"Docker could not create a container: {error}"
            raise SandboxError(msg) from error
        try:
            line = _attach(self._client, container)
            container.start()
        except _FAILURES as error:
            _remove(container)
            msg = f"Docker could not start a container: {error}"
            raise SandboxError(msg) from error
        return DockerSandbox(self.info, container, line, limits, self._threads)

    def _image(self, image: Image) -> str:
        """The id of the engine's image; one build at a time."""
        name = self._base.format(python=image.python)
        with self._building:
            if name not in self._bases:
                self._bases[name] = find_base(self._client, name)
            return image_for(self._client, image, self._bases[name])

    def _create(self, image_id: str, limits: Limits) -> Container:
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
            shm_size=64 * _MB,
            ulimits=[Ulimit(name="core", soft=0, hard=0)],
            log_config=LogConfig(type="none"),
            labels={LABEL: current_owner().label()},
        )

    def _sweep(self) -> None:
        """Remove containers whose owner was killed before it could."""
        with suppress(*_FAILURES):
            found = self._client.containers.list(
                all=True, filters={"label": LABEL}, ignore_removed=True
            )
            for container in found:
                owner = parse_owner(container.labels.get(LABEL, ""))
                if owner is not None and owner.is_dead():
                    _remove(container)


class DockerSandbox(Sandbox):
    """One running container; `container_id` and `image_id` are the engine's."""

    def __init__(
        self,
        info: SandboxInfo,
        container: Container,
        line: Line,
        limits: Limits,
        threads: Threads,
    ) -> None:
        self.info = info
        self.container_id = str(container.id)
        self.image_id = str(container.attrs["Image"])
        self._container = container
        self._line = line
        self._limits = limits
        self._memory_mb = limits.memory_mb
        self._threads = threads
        self._turn = asyncio.Lock()

    async def upload(self, tree: Tree, to: str) -> None:
        """Write `tree` below `to`; see the base class."""
        place = inside_place(to)
        files = sorted((checked_path(path), file) for path, file in tree.items())
        listed = [
            [encoded(path), file.executable, len(file.data)] for path, file in files
        ]
        request = {"do": "write", "to": f"/{place}", "files": listed}
        data = b"".join(file.data for _, file in files)
        await self._take_turn(lambda cancelled: self._move(request, data, 0, cancelled))

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/workspace",
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        limits: Limits | None = None,
    ) -> ExecResult:
        """Run `argv` to its end; see the base class."""
        allowed = limits or self._limits
        request = {
            "do": "run",
            "argv": list(argv),
            "cwd": cwd,
            "env": {**CLEAN_ENVIRONMENT, "PWD": cwd, **(env or {})},
            "wall_s": allowed.wall_s,
            "cpu_s": allowed.cpu_s,
            "processes": allowed.processes,
            "output_bytes": allowed.output_bytes,
            "disk_mb": allowed.disk_mb,
        }
        return await self._take_turn(
            lambda cancelled: self._run(request, stdin, allowed, cancelled)
        )

    async def download(
        self, path: str, *, max_bytes: int = 64_000_000
    ) -> dict[str, File]:
        """Read the plain files below `path`; see the base class."""
        request = {
            "do": "read",
            "path": f"/{inside_place(path)}",
            "max_bytes": max_bytes,
        }
        reply, data = await self._take_turn(
            lambda cancelled: self._move(request, b"", max_bytes, cancelled)
        )
        return _unpacked(reply, data)

    def remove(self) -> None:
        """Kill the container and remove it."""
        self._line.close()
        _remove(self._container)

    async def _take_turn(self, work: Callable[[Cancelled], T]) -> T:
        async with self._turn:
            return await self._threads.run(work)

    def _move(
        self,
        request: Mapping[str, object],
        data: bytes,
        most: int,
        cancelled: Cancelled,
    ) -> tuple[Reply, bytes]:
        patience = Patience(time.monotonic() + _MOVE_S, cancelled)
        try:
            reply, answer = self._line.ask(request, data, patience, most=most)
        except HungUpError as error:
            raise SandboxError(self._obituary()) from error
        _check(reply)
        return reply, answer

    def _run(
        self,
        request: Mapping[str, object],
        stdin: bytes,
        limits: Limits,
        cancelled: Cancelled,
    ) -> ExecResult:
        self._allow_memory(limits.memory_mb)
        patience = Patience(time.monotonic() + limits.wall_s + _GRACE_S, cancelled)
        started = time.monotonic()
        most = 2 * limits.output_bytes
        try:
            reply, data = self._line.ask(request, stdin, patience, most=most)
        except HungUpError as error:
            reason = self._obituary()
            if not self._was_out_of_memory():
                raise SandboxError(reason) from error
            seconds = time.monotonic() - started
            reply = Reply(bytes=0, breach="out_of_memory", seconds=seconds)
            data = b""
        _check(reply)
        return _result(reply, data)

    def _allow_memory(self, memory_mb: int) -> None:
        if memory_mb == self._memory_mb:
            return
        memory = memory_mb * _MB
        try:
            self._container.update(mem_limit=memory, memswap_limit=memory)
        except _FAILURES as error:
            msg = f"Docker could not set the memory limit to {memory_mb} MB: {error}"
            raise SandboxError(msg) from error
        self._memory_mb = memory_mb

    def _obituary(self) -> str:
        """Why the container no longer answers; it is of no more use."""
        words = self._line.last_words.strip()[-500:]
        self._line.close()
        with suppress(*_FAILURES):
            self._container.kill()
        try:
            self._container.reload()
        except NotFound:
            return "the container was removed by somebody else"
        except _FAILURES as error:
            return f"Docker Engine does not answer any more: {error}"
        state = self._container.attrs["State"]
        return f"the container ended ({state['Status']}, {state['ExitCode']}): {words}"

    def _was_out_of_memory(self) -> bool:
        """Whether the container itself was killed for want of memory."""
        state = self._container.attrs.get("State", {})
        return bool(state.get("OOMKilled"))


def _attach(client: docker.DockerClient, container: Container) -> Line:
    """Open the channel; to be done before the start, so that nothing is missed."""
    stream = client.api.attach_socket(
        str(container.id), params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    )
    # docker-py hands out a reader; the channel is two-way, so take what it wraps.
    return Line(stream, getattr(stream, "_sock", stream))


def _remove(container: Container) -> None:
    """Kill and remove; that it is gone already is no failure.

    Raises:
        SandboxError: the engine refused.
    """
    try:
        container.remove(force=True, v=True)
    except NotFound:
        return
    except _FAILURES as error:
        msg = f"container {container.short_id} can't be removed: {error}"
        raise SandboxError(msg) from error


def _check(reply: Reply) -> None:
    """Raise what the first process reported.

    Raises:
        DownloadTooLargeError, SandboxError: says which and why.
    """
    if reply.error is None:
        return
    name, _, why = reply.error.partition(": ")
    if name == "TooLargeError":
        msg = f"{why} to download; ask for a smaller folder or raise max_bytes"
        raise DownloadTooLargeError(msg)
    msg = f"inside the container: {reply.error}"
    raise SandboxError(msg)


def _unpacked(reply: Reply, data: bytes) -> dict[str, File]:
    tree, start = {}, 0
    for name, executable, size in reply.files:
        end = start + size
        if size < 0 or end > len(data):
            msg = "the container announces more than it sends"
            raise SandboxError(msg)
        try:
            tree[checked_path(decoded(name))] = File(data[start:end], executable)
        except (TreeError, ValueError) as error:
            msg = f"the container sends a bad path: {error}"
            raise SandboxError(msg) from error
        start = end
    return tree


def _result(reply: Reply, data: bytes) -> ExecResult:
    if reply.stdout < 0 or reply.stdout + reply.stderr != len(data):
        msg = "the container's output is not as long as it says"
        raise SandboxError(msg)
    return result_of(
        Finished(
            breach=reply.breach,
            shell_code=reply.exit_code,
            stdout=data[: reply.stdout],
            stderr=data[reply.stdout :],
            truncated=reply.truncated,
            seconds=reply.seconds,
        )
    )
