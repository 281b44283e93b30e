"""One running container: files in, commands, files out, over its channel.

Which container, with which walls, is `docker`'s matter; this module only talks to its
first process (`inside`) and asks the engine what became of it.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TypeVar

import requests
from docker.errors import APIError, DockerException, NotFound
from docker.models.containers import Container

from envplatform.errors import DownloadTooLargeError, SandboxError
from envplatform.sandbox.base import ExecResult, Limits, Sandbox, SandboxInfo
from envplatform.sandbox.endings import Finished, refusal, refused, result_of
from envplatform.sandbox.inside.channel import decoded, encoded
from envplatform.sandbox.line import HungUpError, Line, Patience, Reply
from envplatform.sandbox.mounts import CLEAN_ENVIRONMENT
from envplatform.sandbox.places import inside_place
from envplatform.sandbox.threads import Cancelled, Threads
from envplatform.tree import File, Tree, TreeError, checked_path

FAILURES = (DockerException, requests.RequestException, OSError)
"""What docker-py raises when the engine refuses, hangs or is gone."""
_REMOVAL_PAUSES_S = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Between requests to remove a container that is just ending by itself."""
_ENDING = ("could not kill", "removal of container", "already in progress", "is zombie")
"""Words of an engine that does not refuse, but is not ready yet."""
_MOVE_S = 300.0
_GRACE_S = 30.0
_MB = 1024 * 1024
T = TypeVar("T")


class DockerSandbox(Sandbox):
    """One running container; `container_id` is the engine's name for it."""

    def __init__(
        self,
        info: SandboxInfo,
        container: Container,
        line: Line,
        limits: Limits,
        threads: Threads,
        *,
        environment: Mapping[str, str] = CLEAN_ENVIRONMENT,
    ) -> None:
        self.info = replace(info, image_id=str(container.attrs["Image"]))
        self.container_id = str(container.id)
        self._container = container
        self._line = line
        self._limits = limits
        self._memory_mb = limits.memory_mb
        self._threads = threads
        self._environment = dict(environment)
        self._turn = asyncio.Lock()

    def greet(self) -> None:
        """Wait until the first process listens, to requests and to signals.

        Raises:
            SandboxError: it does not start.
        """
        self._move({"do": "greet"}, b"", 0, lambda: False)

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
        why = refusal(argv, cwd, env or {})
        if why is not None:
            return refused(why)
        request = {
            "do": "run",
            "argv": list(argv),
            "cwd": cwd,
            "env": {**self._environment, "PWD": cwd, **(env or {})},
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
        remove_container(self._container)

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
        except FAILURES as error:
            msg = f"Docker could not set the memory limit to {memory_mb} MB: {error}"
            raise SandboxError(msg) from error
        self._memory_mb = memory_mb

    def _obituary(self) -> str:
        """Why the container no longer answers; it is of no more use."""
        words = self._line.last_words.strip()[-500:]
        self._line.close()
        with suppress(*FAILURES):
            self._container.kill()
        with suppress(*FAILURES):
            self._container.wait(timeout=_GRACE_S)  # for a state that is final
        try:
            self._container.reload()
        except NotFound:
            return "the container was removed by somebody else"
        except FAILURES as error:
            return f"Docker Engine does not answer any more: {error}"
        state = self._container.attrs["State"]
        return f"the container ended ({state['Status']}, {state['ExitCode']}): {words}"

    def _was_out_of_memory(self) -> bool:
        """Whether the container itself was killed for want of memory."""
        state = self._container.attrs.get("State", {})
        return bool(state.get("OOMKilled"))


def remove_container(
    container: Container, *, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Kill and remove; that it is gone already is no failure.

    One that ends by itself at this moment can't be killed, says the engine; it is asked
    again then, after pauses that grow.

    Raises:
        SandboxError: the engine refused, or is never ready.
    """
    for pause_s in (*_REMOVAL_PAUSES_S, None):
        try:
            container.remove(force=True, v=True)
        except NotFound:
            return
        except FAILURES as error:
            if pause_s is None or not _is_ending(error):
                msg = f"container {container.short_id} can't be removed: {error}"
                raise SandboxError(msg) from error
            sleep(pause_s)
        else:
            return


def _is_ending(error: Exception) -> bool:
    """Whether the engine says that the container is about to end, or to be gone."""
    if not isinstance(error, APIError):
        return False
    said = str(error.explanation or error).lower()
    return error.status_code == HTTPStatus.CONFLICT or any(
        words in said for words in _ENDING
    )


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
