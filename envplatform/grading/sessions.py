"""Opening an environment for whoever works in it, and taking home what they left.

Here: what agent, oracle and grader each get to see. Not here: judging the result
(`grade`), deciding what an agent does (`rollout`).
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from envplatform.bundle import (
    SOLVE_SCRIPT,
    Environment,
    ImageReference,
    without_repository,
)
from envplatform.errors import BundleError
from envplatform.grading.broker import Broker, Served, open_broker
from envplatform.grading.runtime import with_byte_code
from envplatform.sandbox.base import (
    Door,
    ExecResult,
    Image,
    Limits,
    Sandbox,
    SandboxProvider,
)
from envplatform.tree import File, Tree
from envplatform.ws.conversation import ANSWER_S

WORKSPACE = "/workspace"
SOLUTION = "/solution"


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """What there is to grade."""

    workspace: Tree
    served: Served | None
    """What the broker had in the end; None where the environment has no views."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An environment that somebody works in."""

    environment: Environment
    sandbox: Sandbox
    """The agent's."""
    broker: Broker | None
    """None where the environment has no views."""
    leaving: AsyncExitStack
    """Has the user inside leave; empty where none takes part."""

    async def final(self) -> Final:
        """End the work and take home what is to be graded.

        Raises:
            DownloadTooLargeError: the agent left more than a grader takes.
            SandboxError: a sandbox failed.
        """
        await self.leaving.aclose()
        workspace = await final_workspace(self.sandbox, self.environment)
        served = await self.broker.finish() if self.broker else None
        return Final(workspace=workspace, served=served)


Attendance = Callable[[Opened], AbstractAsyncContextManager[object]]
"""Has the user inside take part while it is entered; does nothing where there is none.

`rollout.attending` makes one: who the user is, grading does not know.
"""


@asynccontextmanager
async def open_environment(
    provider: SandboxProvider,
    environment: Environment,
    *,
    image: Image,
    attend: Attendance | None = None,
    answer_s: float = ANSWER_S,
    doors: Sequence[Door] = (),
) -> AsyncIterator[Opened]:
    """Open `environment` as the agent finds it: its workspace and its views, no more.

    `attend`: has the user inside take part until the work is taken home; without, what
    is said to the user has no answer within `answer_s`. `doors`: of the agent's sandbox,
    beside the environment's own.

    Raises:
        BundleError: `image` is not the one that the environment names, or its views
            can't be served.
        SandboxError: a sandbox failed.
    """
    limits = limits_of(environment, wall_s=environment.allowance.agent_timeout_s)
    require_image(environment, image)
    async with AsyncExitStack() as stack:
        broker = None
        if environment.views:
            serving = open_broker(
                provider, environment, image=image, limits=limits, answer_s=answer_s
            )
            broker = await stack.enter_async_context(serving)
        served = [broker.door] if broker else []
        sandbox = await stack.enter_async_context(
            provider.open(image, limits, doors=[*served, *doors])
        )
        await sandbox.upload(environment.workspace, WORKSPACE)
        leaving = await stack.enter_async_context(AsyncExitStack())
        opened = Opened(
            environment=environment, sandbox=sandbox, broker=broker, leaving=leaving
        )
        if attend is not None:
            await leaving.enter_async_context(attend(opened))
        yield opened


async def apply_solution(sandbox: Sandbox, environment: Environment) -> ExecResult:
    """Run the oracle in an open sandbox; it works through what an agent has."""
    await sandbox.upload(with_byte_code(environment.solution), SOLUTION)
    return await sandbox.exec(["bash", f"{SOLUTION}/{SOLVE_SCRIPT}"])


async def final_workspace(
    sandbox: Sandbox, environment: Environment
) -> dict[str, File]:
    """What the agent leaves behind for the grader: plain files of /workspace.

    Without `.git`: commits are no part of the work, and hooks and settings that an
    agent wrote there must reach no place where git is run.
    """
    room = environment.allowance.disk_mb * 1_000_000
    return without_repository(await sandbox.download(WORKSPACE, max_bytes=room))


def limits_of(environment: Environment, *, wall_s: float) -> Limits:
    """The environment's allowance as limits of one execution."""
    allowance = environment.allowance
    return Limits(
        wall_s=wall_s,
        cpu_s=wall_s,
        memory_mb=allowance.memory_mb,
        processes=allowance.processes,
        disk_mb=allowance.disk_mb,
    )


def image_reference(image: Image) -> ImageReference:
    """Return the part of an image that an environment keeps."""
    return ImageReference(
        name=image.name,
        python=image.python,
        requirements=tuple(sorted(image.requirements)),
        digest=image.digest,
    )


def require_image(environment: Environment, image: Image) -> None:
    """Refuse to run an environment on another image than it was proven on.

    Raises:
        BundleError: names both digests.
    """
    wanted = environment.image
    if image.digest != wanted.digest:
        msg = (
            f"{environment.environment_id} needs the image {wanted.name} with digest "
            f"{wanted.digest}, got {image.name} with {image.digest}; rebuild the image"
        )
        raise BundleError(msg)
