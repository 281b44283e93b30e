"""What a sandbox is: upload, exec, download. No bind mounts in the contract.

Two implementations stand beside this file (bubblewrap, Docker). Code under test,
model output and imported tasks only ever run behind this interface.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envplatform.errors import SandboxError
from envplatform.tree import File, Tree

SandboxKind = Literal["bubblewrap", "docker"]

Ending = Literal[
    "exited",  # by itself; exit_code is meant
    "signaled",  # killed by a signal that the platform did not send
    "timeout",  # wall clock or CPU time used up
    "out_of_memory",
    "process_limit",
    "disk_limit",
]
"""How an execution ended. All but `exited` leave `exit_code` None."""

WRITABLE = ("/workspace", "/tests", "/solution", "/logs", "/tmp", "/home/agent")  # noqa: S108  paths inside the sandbox
"""The only writable places inside a sandbox; everything else is read-only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one execution may use."""

    wall_s: float = 60.0
    cpu_s: float = 60.0
    """CPU seconds of any single process."""
    memory_mb: int = 2048
    """All processes of the sandbox together, tmpfs included."""
    processes: int = 256
    output_bytes: int = 1_000_000
    """Kept of stdout and of stderr each; what follows is read and dropped."""
    disk_mb: int = 1024
    """All writable places together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecResult:
    """One finished execution."""

    ending: Ending
    exit_code: int | None
    signal: int | None = None
    stdout: bytes
    stderr: bytes
    truncated: bool
    """Whether stdout or stderr was longer than kept."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineImage:
    """An image that Docker Engine keeps, for an `Image` to stand upon."""

    id: str
    """`sha256:` and 64 hexadecimal digits."""
    origin: str
    """What it was made from, for messages: `existing image python:3.9-slim`."""
    registry: str = ""
    """Name and digest that a registry has it under; empty if none is known to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """What a sandbox starts from: an interpreter and a folder of unpacked wheels.

    One image serves every environment of one repository; an environment's own
    content is uploaded at start.
    """

    name: str
    """`[a-z0-9_.-]+`, unique per digest."""
    python: str
    """Minor version, `3.11`. Inside, `python3` is this one, PYTHONPATH holds /opt/site."""
    requirements: tuple[str, ...]
    """Exact pins, `name==version`, sorted."""
    digest: str
    """SHA-256 (hex) over python, requirements, the content of `site`, and `engine`."""
    site: Path | None
    """Host folder of unpacked wheels, seen read-only as /opt/site; None for a bare image."""
    engine: EngineImage | None = None
    """What it stands upon, interpreter included; only Docker opens it. None: whatever
    the sandbox has for `python`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A folder of sockets that sandboxes share, and nothing else of each other's.

    Inside it is `/run/<name>`. Who serves may make sockets there; all others may
    connect to them, and change nothing.
    """

    name: str
    """`[a-z]+`."""
    place: str
    """What `SandboxProvider.meet` gave."""
    serves: bool = False
    """One sandbox of a meeting does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxInfo:
    """What holds the code, recorded beside every verdict."""

    kind: SandboxKind
    version: str
    limits: Literal["cgroup", "best_effort", "engine"]
    """`best_effort`: a watchdog polls; short bursts can pass the limit."""
    image_id: str | None = None
    """Docker's digest of the image, of an open sandbox; None elsewhere."""


class Sandbox(ABC):
    """One open sandbox: a private, networkless machine for one job.

    State: the writable places persist between executions; processes don't. Calls of
    one sandbox queue up; a cancelled one is stopped first, and the next can follow.
    """

    info: SandboxInfo

    @abstractmethod
    async def upload(self, tree: Tree, to: str) -> None:
        """Write `tree` below `to`, one of WRITABLE or a path beneath one.

        Whatever is in the way there, links included, is replaced and not followed. `to`
        is made where it is missing, for a tree without files too.

        Raises:
            TreeError: `to` lies elsewhere, or a path leaves the tree.
            SandboxError: the sandbox failed.
        """

    @abstractmethod
    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/workspace",
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        limits: Limits | None = None,
    ) -> ExecResult:
        """Run `argv` (never a shell string) to its end; its left-over processes die.

        Starts from a clean environment: PATH, HOME, LANG, PYTHONPATH, then `env`.
        As in a shell, exit code 127 is a command that does not exist, 126 one that
        can't be run (`cwd` missing included), and 129 to 192 are read as signals.
        `limits` (default: the sandbox's) hold for this execution; `processes` and
        `disk_mb` can't be raised above what the sandbox was opened with.

        Raises:
            SandboxError: the sandbox failed; nothing is known of the code.
        """

    async def exec_first(
        self, argv: Sequence[str], *, stdin: bytes = b"", limits: Limits | None = None
    ) -> ExecResult:
        """As `exec`, with `argv` as the first process of its namespace.

        Signals of what it starts don't reach it, all of that dies with it, and no
        other process is there that could be written to.

        Raises:
            SandboxError: the sandbox failed, or has a first process of its own.
        """
        del argv, stdin, limits
        msg = f"{self.info.kind} sandboxes have a first process of their own"
        raise SandboxError(msg)

    @abstractmethod
    async def download(
        self, path: str, *, max_bytes: int = 64_000_000
    ) -> dict[str, File]:
        """Read the plain files below `path`; links and devices are left out.

        Empty where nothing is there. One plain file comes under its own name.

        Raises:
            TreeError: `path` lies in no writable place.
            DownloadTooLargeError: more than `max_bytes` lie there, or a hundred
                thousand files, or a hundred levels of folders: the code's doing.
            SandboxError: the sandbox failed.
        """


class SandboxProvider(ABC):
    """Opens sandboxes of one kind."""

    info: SandboxInfo

    @abstractmethod
    def open(
        self, image: Image, limits: Limits = Limits(), *, doors: Sequence[Door] = ()
    ) -> AbstractAsyncContextManager[Sandbox]:
        """Open a fresh sandbox; closing kills what runs and removes what was written.

        Raises:
            SandboxUnavailableError: not on this machine; names what to install.
            SandboxError: it could not be started.
        """

    def meet(self) -> AbstractAsyncContextManager[str]:
        """Make a place for the sockets of some sandboxes: what a `Door` leads to.

        It must outlive the sandboxes that have a door to it.

        Raises:
            SandboxError: this provider has none, or could not make one.
        """
        msg = f"{self.info.kind} sandboxes can't meet"
        raise SandboxError(msg)

    async def reach(self, place: str) -> Path | None:
        """Return the folder of this machine that a meeting's sockets lie in.

        None where this process has no way to it. To be asked while a sandbox that
        serves there is open; what it puts there is not to be trusted (`sockets`).

        Raises:
            SandboxError: the provider failed.
        """
        del place
        return None
