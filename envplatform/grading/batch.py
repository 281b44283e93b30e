"""Many final states of one environment graded, in as few sandbox starts as is safe.

A container takes half a second to start, and its first process, which no code inside
can reach, kills everything else after each command. So containers are used again: the
writable places and shared memory are wiped, and what is there then must look as it did
before the first state, or the next one gets a new container. A bubblewrap sandbox is
a folder with namespaces made anew for each command: opening one costs less than wiping
one, so each state gets its own.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from envplatform.bundle import Environment
from envplatform.grading.grade import Grading, grade_in
from envplatform.grading.sessions import (
    Attendance,
    Final,
    limits_of,
    require_image,
)
from envplatform.sandbox.base import WRITABLE, Image, Limits, Sandbox, SandboxProvider

_SHARED = ("/dev/shm", "/dev/mqueue")  # noqa: S108  paths inside the sandbox
_WIPE = """
chmod -R u+rwx -- "$@" 2>/dev/null
for place in "$@" /dev/shm /dev/mqueue; do
  find "$place" -mindepth 1 -delete 2>/dev/null
done
chmod 755 -- "$@"
"""
_LOOK = """
find "$@" -printf '%y %m %U %p\\n' 2>&1
cat /proc/sysvipc/shm /proc/sysvipc/msg /proc/sysvipc/sem 2>/dev/null
"""
_CLEAN_S = 60.0
_FATAL = frozenset({"verifier_killed", "verifier_timeout", "verifier_limit"})
"""After these a sandbox is not used again, however clean it looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where the states of one environment are graded."""

    provider: SandboxProvider
    environment: Environment
    image: Image
    attend: Attendance | None = None
    """Has the user inside take part in sessions; needed where there is one."""

    async def grade(self, finals: Sequence[Final]) -> tuple[Grading, ...]:
        """As `grade_all`."""
        return await grade_all(
            self.provider, self.environment, finals, image=self.image
        )


async def grade_all(
    provider: SandboxProvider,
    environment: Environment,
    finals: Sequence[Final],
    *,
    image: Image,
    share: bool | None = None,
) -> tuple[Grading, ...]:
    """Grade each state as if it were the only one; results in their order.

    `share`: whether sandboxes are used again; None lets what a start costs decide.

    Raises:
        BundleError: `image` is not the one that the environment names.
        SandboxError: a sandbox failed; nothing is known of any state.
    """
    require_image(environment, image)
    shares = provider.info.kind == "docker" if share is None else share
    limits = limits_of(environment, wall_s=environment.allowance.verifier_timeout_s)
    found: list[Grading] = []
    while len(found) < len(finals):
        async with AsyncExitStack() as stack:
            sandbox = await stack.enter_async_context(provider.open(image, limits))
            fresh = await _look(sandbox) if shares else ""
            for final in finals[len(found) :]:
                grading = await grade_in(
                    sandbox, environment, final.workspace, served=final.served
                )
                found.append(grading)
                if not shares or grading.failure in _FATAL:
                    break
                if len(found) < len(finals) and await _wiped(sandbox) != fresh:
                    break
    return tuple(found)


async def _wiped(sandbox: Sandbox) -> str:
    await sandbox.exec(["sh", "-c", _WIPE, "wipe", *WRITABLE], limits=_limits())
    return await _look(sandbox)


async def _look(sandbox: Sandbox) -> str:
    """Everything that could outlive a command: files, modes, owners, shared memory."""
    places = (*WRITABLE, *_SHARED)
    seen = await sandbox.exec(["sh", "-c", _LOOK, "look", *places], limits=_limits())
    listed = sorted(seen.stdout.decode("utf-8", "surrogateescape").splitlines())
    return "\n".join([*listed, f"{seen.ending} {seen.truncated}"])


def _limits() -> Limits:
    return Limits(wall_s=_CLEAN_S, cpu_s=_CLEAN_S)
