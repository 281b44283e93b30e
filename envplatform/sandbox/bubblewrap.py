"""The embedded sandbox: no daemon, each execution in namespaces of its own.

Run as root, everything inside has a user id that nobody else on the machine has;
else the user's own. What an open sandbox does stands in `bubblewrap_sandbox`, what is
mounted in `mounts`.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from envplatform.errors import SandboxError, SandboxUnavailableError
from envplatform.sandbox.base import (
    Door,
    Image,
    Limits,
    SandboxInfo,
    SandboxProvider,
)
from envplatform.sandbox.bubblewrap_sandbox import BubblewrapSandbox
from envplatform.sandbox.cgroups import find_home
from envplatform.sandbox.interpreters import find_interpreter
from envplatform.sandbox.mounts import Layout, make_folders
from envplatform.sandbox.private_folder import PrivateFolder, sweep
from envplatform.sandbox.threads import Threads

_STAGE = """
owner=$1; shift
while [ "$1" != -- ]; do mount --bind -- "$1" "$2"; shift 2; done; shift
exec setpriv --reuid="$owner" --regid="$owner" --clear-groups --inh-caps=-all "$@"
"""
"""Root's way in: mount what other users can't reach, then become the owner.

As root itself bubblewrap would be no wall: user id 0 may write to /proc/sys.
"""
_SOCKETS = "sockets"
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
    other users can enter, if this process is root's. `control_groups`: use them where
    this machine has some for us; without, the watchdog alone counts.

    Raises:
        SandboxUnavailableError: bubblewrap is missing or too old, or `scratch` closed.
    """

    def __init__(
        self,
        *,
        scratch: Path | None = None,
        executable: str = "bwrap",
        control_groups: bool = True,
    ) -> None:
        path = shutil.which(executable)
        if path is None:
            msg = f"{executable} is not on this machine: {HOW_TO_INSTALL}"
            raise SandboxUnavailableError(msg)
        self._executable = path
        self._scratch = scratch or Path(tempfile.gettempdir())
        if os.geteuid() == 0:
            _check_enterable(self._scratch)
        self._cgroups = find_home() if control_groups else None
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
        *,
        doors: Sequence[Door] = (),
    ) -> AsyncIterator[BubblewrapSandbox]:
        """Open a fresh sandbox; see the base class."""
        sandbox = await self._threads.run(
            lambda _: self._make(image, limits, tuple(doors)),
            undo=lambda made: made.remove(),
        )
        try:
            yield sandbox
        finally:
            await self._threads.run(lambda _: sandbox.remove())

    @asynccontextmanager
    async def meet(self) -> AsyncIterator[str]:
        """Make a folder for sockets; see the base class."""
        folder = await self._threads.run(
            lambda _: self._meeting(), undo=lambda made: made.remove()
        )
        try:
            yield str(folder.path / _SOCKETS)
        finally:
            await self._threads.run(lambda _: folder.remove())

    async def reach(self, place: str) -> Path | None:
        """Return the folder itself; see the base class."""
        return Path(place)

    def _meeting(self) -> PrivateFolder:
        folder = self._private_folder()
        (folder.path / _SOCKETS).mkdir(mode=0o711)
        return folder

    def _private_folder(self) -> PrivateFolder:
        try:
            return PrivateFolder(self._scratch)
        except OSError as error:
            msg = f"no folder for a sandbox below {self._scratch}: {error}"
            raise SandboxError(msg) from error

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

    def _make(
        self, image: Image, limits: Limits, doors: tuple[Door, ...] = ()
    ) -> BubblewrapSandbox:
        if image.engine is not None:
            msg = (
                f"image {image.name} is {image.engine.origin}, which bubblewrap can't "
                'open: set [sandbox] kind = "docker", or take [image] out of target.toml '
                "and name what the suite needs in `requirements`"
            )
            raise SandboxUnavailableError(msg)
        interpreter = find_interpreter(image.python)
        folder = self._private_folder()
        layout = Layout(
            folder=folder.path, interpreter=interpreter, site=image.site, doors=doors
        )
        try:
            make_folders(layout)
            owner = folder.give_away() if os.geteuid() == 0 else None
            for door in doors:
                if door.serves and owner is not None:
                    os.chown(door.place, owner, owner)
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
        for door in layout.doors:
            mounts += [door.place, str(layout.door(door))]
        stage = ("/bin/sh", "-euc", _STAGE, "stage", str(owner), *mounts, "--")
        private = ("unshare", "--mount", "--propagation", "private", "--")
        return (*private, *stage, self._executable)


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


def _check_enterable(folder: Path) -> None:
    """Raise unless every user of this machine can enter `folder`.

    Raises:
        SandboxUnavailableError: names the folder that is closed.
    """
    for path in (folder.resolve(), *folder.resolve().parents):
        if not path.is_dir() or not path.stat().st_mode & stat.S_IXOTH:
            msg = (
                f"sandboxes can't be made in {folder}: users other than root can't "
                f"enter {path}; set TMPDIR or `scratch` to a folder such as /var/tmp"
            )
            raise SandboxUnavailableError(msg)
