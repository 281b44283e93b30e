r"""An environment class for Harbor that runs our bundles in bubblewrap, without Docker.

    harbor run -p FOLDER -a oracle --ek cache=CACHE \
        -e envplatform.interop.harbor.bubblewrap:BubblewrapEnvironment

It gives `environment/Dockerfile` its meaning without building it: the same interpreter
and pins, the workspace copied in. Folders that are no environments of ours are refused.
There is one user inside, so Harbor's `user` has no effect, and `root` may write where
the agent may. Environments with views are refused: their verifiers read what a broker
held, which Harbor has no way to hand over.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path, PurePosixPath

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import (
    EnvironmentCapabilities,
    EnvironmentResourceCapabilities,
)
from harbor.environments.options import EnvironmentOptions

from envplatform.bundle import Environment, read_environment
from envplatform.errors import BundleError, SandboxError
from envplatform.grading.sessions import limits_of, open_environment
from envplatform.sandbox import base
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from envplatform.tree import File, Tree, write_tree

_LOG_FOLDERS = ("/logs/agent", "/logs/verifier", "/logs/artifacts")
_DEFAULT_TIMEOUT_S = 3600
_DISTURBED = 126
"""Exit status for what ended by a limit instead of by itself."""


class BubblewrapOptions(EnvironmentOptions):
    """What `--ek` takes."""

    cache: Path
    """Where images keep their wheels: the cache folder of an envplatform home."""


class BubblewrapEnvironment(BaseEnvironment):
    """One bubblewrap sandbox, opened from an environment's own folder."""

    options_model = BubblewrapOptions
    options: BubblewrapOptions

    _stack: AsyncExitStack | None = None
    _sandbox: base.Sandbox | None = None

    @staticmethod
    def type() -> str:
        """Name of this kind in Harbor's records."""
        return "envplatform-bubblewrap"

    @classmethod
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        """Memory is limited, processors are not."""
        return EnvironmentResourceCapabilities(memory_limit=True)

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """There never is a network."""
        return EnvironmentCapabilities(disable_internet=True)

    def _validate_definition(self) -> None:
        self._bundle: Environment = read_environment(self.environment_dir.parent)
        if self._bundle.views:
            msg = (
                f"{self._bundle.environment_id} is served through `ws`, and Harbor takes "
                "what the broker held and logged to no verifier: use `envplatform run`"
            )
            raise BundleError(msg)

    async def start(self, force_build: bool) -> None:  # noqa: ARG002, FBT001
        """Build the image from its pins and copy the workspace in."""
        wanted = self._bundle.image
        image = await asyncio.to_thread(
            build_image,
            wanted.name,
            wanted.python,
            wanted.requirements,
            self.options.cache,
        )
        opened = open_environment(BubblewrapProvider(), self._bundle, image=image)
        self._stack = AsyncExitStack()
        self._sandbox = (await self._stack.enter_async_context(opened)).sandbox
        await self._sandbox.exec(["mkdir", "-p", *_LOG_FOLDERS])

    async def stop(self, delete: bool) -> None:  # noqa: ARG002, FBT001
        """Close the sandbox; nothing of it is ever kept."""
        self._sandbox = None
        if self._stack is not None:
            await self._stack.aclose()

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,  # noqa: ARG002
    ) -> ExecResult:
        """Run a shell command.

        Raises:
            RuntimeError: it ran for longer than `timeout_sec`.
        """
        limits = limits_of(self._bundle, wall_s=timeout_sec or _DEFAULT_TIMEOUT_S)
        result = await self._open().exec(
            ["bash", "-c", command],
            cwd=cwd or self.task_env_config.workdir or "/workspace",
            env=self._merge_env(env),
            limits=limits,
        )
        if result.ending == "timeout":
            msg = f"Command timed out after {limits.wall_s:g} seconds"
            raise RuntimeError(msg)
        status = _status(result)
        if status != 0 and "/tests/test.sh" in command:
            await self._withdraw_reward()
        return ExecResult(
            stdout=result.stdout.decode("utf-8", "replace"),
            stderr=result.stderr.decode("utf-8", "replace"),
            return_code=status,
        )

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy one file in."""
        target = PurePosixPath(target_path)
        tree = {target.name: _read(Path(source_path))}
        await self._open().upload(tree, str(target.parent))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a folder's plain files in; links are left out, as in our own gradings."""
        tree = await asyncio.to_thread(lambda: dict(_files(Path(source_dir))))
        await self._open().upload(tree, target_dir)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy one plain file out.

        Raises:
            FileNotFoundError: there is none.
        """
        files = await self._open().download(source_path)
        name = PurePosixPath(source_path).name
        if name not in files:
            raise FileNotFoundError(source_path)
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        write_tree({Path(target_path).name: files[name]}, Path(target_path).parent)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a folder's plain files out, over what is there."""
        files: Tree = await self._open().download(source_dir)
        await asyncio.to_thread(write_tree, files, Path(target_dir))

    async def _withdraw_reward(self) -> None:
        # Harbor reads the reward whatever became of test.sh. A verifier that was
        # killed did not write it.
        await self._open().exec(
            ["rm", "-rf", "/logs/verifier/reward.json", "/logs/verifier/reward.txt"]
        )

    def _open(self) -> base.Sandbox:
        if self._sandbox is None:
            msg = "the sandbox is not open: start() comes first"
            raise SandboxError(msg)
        return self._sandbox


def _status(result: base.ExecResult) -> int:
    if result.exit_code is not None:
        return result.exit_code
    return 128 + result.signal if result.signal is not None else _DISTURBED


def _files(root: Path) -> Iterator[tuple[str, File]]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(root).as_posix(), _read(path)


def _read(path: Path) -> File:
    return File(path.read_bytes(), bool(path.stat().st_mode & 0o100))
