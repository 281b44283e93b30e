"""The embedded sandbox: no daemon, each execution in namespaces of its own.

Run as root, everything inside has a user id that nobody else on the machine has;
else the user's own. What is mounted stands in `mounts`, how a process is run and
killed in `execution`.
"""

import asyncio
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path

from envplatform.errors import SandboxError, SandboxUnavailableError
from envplatform.sandbox.base import (
    ExecResult,
    Image,
    Limits,
    Sandbox,
    SandboxInfo,
    SandboxProvider,
)
from envplatform.sandbox.beneath import read_beneath, write_beneath
from envplatform.sandbox.cgroups import Box, CgroupHome, boxed, find_home
from envplatform.sandbox.endings import NOT_RUN, Finished, result_of
from envplatform.sandbox.execution import Bounds, Outcome, execute
from envplatform.sandbox.interpreters import find_interpreter
from envplatform.sandbox.launch import Command
from envplatform.sandbox.mounts import (
    Layout,
    environment_options,
    make_folders,
    mount_options,
)
from envplatform.sandbox.places import inside_place
from envplatform.sandbox.private_folder import PrivateFolder, sweep
from envplatform.sandbox.rlimits import limited
from envplatform.sandbox.threads import Cancelled, Threads
from envplatform.tree import File, Tree, checked_path

_ISOLATION = (
    *("--unshare-user", "--unshare-all", "--disable-userns"),
    *("--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"),
    *("--hostname", "sandbox", "--die-with-parent", "--new-session"),
)
_STAGE = """
owner=$1; shift
while [ "$1" != -- ]; do mount --bind -- "$1" "$2"; shift 2; done; shift
exec setpriv --reuid="$owner" --regid="$owner" --clear-groups --inh-caps=-all "$@"
"""
"""Root's way in: mount what other users can't reach, then become the owner.

As root itself bubblewrap would be no wall: user id 0 may write to /proc/sys.
"""
_OLDEST_USABLE = (0, 8)
"""--disable-userns and --size, without which the walls have holes."""
HOW_TO_INSTALL = (
    "install bubblewrap 0.8 or newer (apt-get install bubblewrap) and allow "
    "unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
    "kernel.apparmor_restrict_unprivileged_userns=0)"
)


class BubblewrapProvider(SandboxProvider):
    """Opens bubblewrap sandboxes below a scratch folder; sweeps orphaned ones first.

    `scratch` (default: the system's folder for temporary files) must be one that
    other users can enter, if this process is root's.

    Raises:
        SandboxUnavailableError: bubblewrap is missing or too old.
    """

    def __init__(
        self, *, scratch: Path | None = None, executable: str = "bwrap"
    ) -> None:
        path = shutil.which(executable)
        if path is None:
            msg = f"{executable} is not on this machine: {HOW_TO_INSTALL}"
            raise SandboxUnavailableError(msg)
        self._executable = path
        self._scratch = scratch or Path(tempfile.gettempdir())
        self._cgroups = find_home()
        self._threads = Threads()
        self.info = SandboxInfo(
            kind="bubblewrap",
            version=_version(path),
            limits="best_effort" if self._cgroups is None else "cgroup",
        )
        sweep(self._scratch)

    @asynccontextmanager
    async def open(
        self,
        image: Image,
        limits: Limits = Limits(),  # noqa: B008  frozen
    ) -> AsyncIterator["BubblewrapSandbox"]:
        """Open a fresh sandbox; see the base class."""
        sandbox = await self._threads.run(
            lambda _: self._make(image, limits), undo=lambda made: made.remove()
        )
        try:
            yield sandbox
        finally:
            await self._threads.run(lambda _: sandbox.remove())

    def probe(self) -> None:
        """Make a sandbox and run something in it.

        Raises:
            SandboxUnavailableError: this machine does not let us.
        """
        version = "{}.{}".format(*sys.version_info[:2])
        bare = Image(
            name="probe", python=version, requirements=(), digest="", site=None
        )
        try:
            sandbox = self._make(bare, Limits())
            try:
                sandbox.run(["true"])
            finally:
                sandbox.remove()
        except SandboxError as error:
            msg = f"bubblewrap can't make a sandbox here ({error}): {HOW_TO_INSTALL}"
            raise SandboxUnavailableError(msg) from error

    def _make(self, image: Image, limits: Limits) -> "BubblewrapSandbox":
        interpreter = find_interpreter(image.python)
        try:
            folder = PrivateFolder(self._scratch)
        except OSError as error:
            msg = f"no folder for a sandbox below {self._scratch}: {error}"
            raise SandboxError(msg) from error
        layout = Layout(folder=folder.path, interpreter=interpreter, site=image.site)
        try:
            make_folders(layout)
            owner = folder.give_away() if os.geteuid() == 0 else None
        except OSError as error:
            folder.remove()
            msg = f"the folder of a sandbox could not be filled: {error}"
            raise SandboxError(msg) from error
        return BubblewrapSandbox(
            self.info,
            layout,
            limits,
            launcher=self._launcher(layout, owner),
            cgroups=self._cgroups,
            threads=self._threads,
            folder=folder,
            owner=owner,
        )

    def _launcher(self, layout: Layout, owner: int | None) -> tuple[str, ...]:
        if owner is None:
            return (self._executable,)
        mounts = [str(layout.interpreter.prefix), str(layout.python)]
        if layout.site is not None:
            mounts += [str(layout.site.resolve()), str(layout.packages)]
        stage = ("/bin/sh", "-euc", _STAGE, "stage", str(owner), *mounts, "--")
        private = ("unshare", "--mount", "--propagation", "private", "--")
        return (*private, *stage, self._executable)


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
        command = self._command(argv, cwd, env or {}, stdin, limits or self._limits)
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
                return _refused("argument list too long")
            msg = f"bubblewrap could not be started: {error}"
            raise SandboxError(msg) from error
        except ValueError as error:  # a NUL byte
            msg = f"{list(command.argv)!r:.200} can't be a command line: {error}"
            raise SandboxError(msg) from error
        self._used = outcome.used
        return _result(outcome)

    def _boxed(self, limits: Limits) -> AbstractContextManager[Box | None]:
        return boxed(self._cgroups, limits) if self._cgroups else nullcontext()


def _version(path: str) -> str:
    """The version of the bubblewrap at `path`.

    Raises:
        SandboxUnavailableError: it does not run, or is too old.
    """
    try:
        answer = subprocess.run(
            [path, "--version"], check=True, capture_output=True, timeout=20
        )
        version = answer.stdout.decode().split()[-1]
        numbers = tuple(int(part) for part in version.split(".")[:2])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        msg = f"{path} does not tell its version ({error}): {HOW_TO_INSTALL}"
        raise SandboxUnavailableError(msg) from error
    if numbers < _OLDEST_USABLE:
        msg = f"{path} is bubblewrap {version}: {HOW_TO_INSTALL}"
        raise SandboxUnavailableError(msg)
    return version


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


def _refused(why: str) -> ExecResult:
    return result_of(
        Finished(
            breach=None,
            shell_code=NOT_RUN,
            stdout=b"",
            stderr=f"envplatform: {why}\n".encode(),
            truncated=False,
            seconds=0.0,
        )
    )
