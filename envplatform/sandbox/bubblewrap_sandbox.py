"""One open bubblewrap sandbox: a private folder, a bubblewrap around each command.

How a process is run and killed stands in `execution`; opening in `bubblewrap`.
"""

import asyncio
import errno
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from envplatform.errors import SandboxError
from envplatform.sandbox.base import ExecResult, Limits, Sandbox, SandboxInfo
from envplatform.sandbox.beneath import read_beneath, write_beneath
from envplatform.sandbox.cgroups import Box, CgroupHome, boxed
from envplatform.sandbox.endings import (
    NOT_RUN,
    Finished,
    refusal,
    refused,
    result_of,
)
from envplatform.sandbox.execution import Bounds, Outcome, execute
from envplatform.sandbox.inside.seccomp import filter_program
from envplatform.sandbox.launch import Command
from envplatform.sandbox.mounts import Layout, environment_options, mount_options
from envplatform.sandbox.places import inside_place
from envplatform.sandbox.private_folder import PrivateFolder
from envplatform.sandbox.rlimits import limited
from envplatform.sandbox.threads import Cancelled, Threads
from envplatform.tree import File, Tree, checked_path

_ISOLATION = (
    *("--unshare-user", "--unshare-all", "--disable-userns"),
    *("--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"),
    *("--hostname", "sandbox", "--die-with-parent", "--new-session"),
)
_LEAST_FREE_BYTES = 16 * 1024 * 1024
"""Below, the host's own disk is full, and what the code made of it is no verdict."""


class BubblewrapSandbox(Sandbox):
    """One private folder, and a bubblewrap around each execution."""

    def __init__(  # noqa: PLR0913  only the provider calls it
        self,
        info: SandboxInfo,
        layout: Layout,
        limits: Limits,
        *,
        launcher: tuple[str, ...],
        cgroups: CgroupHome | None,
        threads: Threads,
        folder: PrivateFolder,
        owner: int | None,
    ) -> None:
        self.info = info
        self._places = layout.places
        self._limits = limits
        self._launcher = launcher
        self._cgroups = cgroups
        self._threads = threads
        self._folder = folder
        self._owner = owner
        self._options = (
            *_ISOLATION,
            *mount_options(layout, staged=owner is not None),
            *environment_options(layout.interpreter),
        )
        self._turn = asyncio.Lock()
        self._used = 0

    async def upload(self, tree: Tree, to: str) -> None:
        """Write `tree` below `to`; see the base class."""
        place = inside_place(to)
        for path in tree:
            checked_path(path)
        try:
            async with self._turn:
                await self._threads.run(
                    lambda _: write_beneath(
                        self._places, place, tree, owner=self._owner
                    )
                )
        except OSError as error:
            msg = f"upload to {to} failed: {error}"
            raise SandboxError(msg) from error

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
        why = refusal(argv, cwd, env or {})
        if why is not None:
            return refused(why)
        command = self._command(argv, cwd, env or {}, stdin, limits or self._limits)
        return await self._executed(command, limits)

    async def exec_first(
        self, argv: Sequence[str], *, stdin: bytes = b"", limits: Limits | None = None
    ) -> ExecResult:
        """Run `argv` as the first process; see the base class."""
        command = self._command(argv, "/workspace", {}, stdin, limits or self._limits)
        first = replace(command, options=(*command.options, "--as-pid-1"))
        return await self._executed(first, limits)

    async def _executed(self, command: Command, limits: Limits | None) -> ExecResult:
        async with self._turn:
            return await self._threads.run(
                lambda cancelled: self._execute(
                    command, limits or self._limits, cancelled
                )
            )

    def run(self, argv: Sequence[str]) -> ExecResult:
        """Run `argv` from outside of any event loop."""
        command = self._command(argv, "/workspace", {}, b"", self._limits)
        return self._execute(command, self._limits, lambda: False)

    async def download(
        self, path: str, *, max_bytes: int = 64_000_000
    ) -> dict[str, File]:
        """Read the plain files below `path`; see the base class."""
        place = inside_place(path)
        try:
            async with self._turn:
                return await self._threads.run(
                    lambda _: read_beneath(self._places, place, max_bytes=max_bytes)
                )
        except OSError as error:
            msg = f"download of {path} failed: {error}"
            raise SandboxError(msg) from error

    def remove(self) -> None:
        """Remove all that was written; nothing runs by now."""
        self._folder.remove()

    def _command(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        stdin: bytes,
        limits: Limits,
    ) -> Command:
        options = [*self._options, "--chdir", cwd]
        for name, value in env.items():
            options += ["--setenv", name, value]
        return Command(
            launcher=self._launcher,
            options=tuple(options),
            argv=limited(tuple(argv), limits),
            stdin=stdin,
            system_calls=filter_program(
                os.uname().machine, shared_memory=self._cgroups is not None
            ),
            tag=self._folder.path.name,
        )

    def _execute(
        self, command: Command, limits: Limits, cancelled: Cancelled
    ) -> ExecResult:
        try:
            with self._boxed(limits) as box:
                bounds = Bounds(
                    limits=limits, places=self._places, used_before=self._used, box=box
                )
                outcome = execute(command, bounds, cancelled)
        except OSError as error:
            if error.errno == errno.E2BIG:
                return refused("argument list too long")
            msg = f"bubblewrap could not be started: {error}"
            raise SandboxError(msg) from error
        self._check_host()
        self._used = outcome.used
        return _result(outcome)

    def _check_host(self) -> None:
        """Raise if the disk that the writable places share with the host is full."""
        disk = os.statvfs(self._places)
        if disk.f_bavail * disk.f_frsize < _LEAST_FREE_BYTES:
            msg = f"the disk under {self._places} is full; free some of it"
            raise SandboxError(msg)

    def _boxed(self, limits: Limits) -> AbstractContextManager[Box | None]:
        return boxed(self._cgroups, limits) if self._cgroups else nullcontext()


def _result(outcome: Outcome) -> ExecResult:
    stderr = bytes(outcome.stderr.data)
    why = stderr.decode(errors="replace").strip()[:500] or "no reason given"
    if not outcome.set_up:
        msg = f"bubblewrap could not set the sandbox up: {why}"
        raise SandboxError(msg)
    code = outcome.exit_code
    if outcome.breach is None and code is None:
        if not why.startswith("bwrap: Can't chdir"):
            msg = f"the sandbox ended without a status: {why}"
            raise SandboxError(msg)
        code = NOT_RUN
    return result_of(
        Finished(
            breach=outcome.breach,
            shell_code=code,
            stdout=bytes(outcome.stdout.data),
            stderr=stderr,
            truncated=outcome.stdout.truncated or outcome.stderr.truncated,
            seconds=outcome.seconds,
        )
    )
