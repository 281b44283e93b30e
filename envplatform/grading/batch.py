"""Many final states of one environment graded, in as few sandbox starts as is safe.

A container takes half a second to start, and its first process, which no code inside
can reach, kills everything else after each command. So containers are used again: the
writable places and shared memory are wiped, and what is there then must look as it did
before the first state, or the next one gets a new container. A bubblewrap sandbox is
a folder with namespaces made anew for each command: opening one costs less than wiping
one. There what costs is the start of the verifier, so where it is started as ours are,
one process of one sandbox grades all states, by a child each (`together`). Two of them
are graded alone in addition: is one of these told otherwise, then all are.
"""

import random
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from envplatform.bundle import Environment, environment_digest
from envplatform.grading.grade import Grading, grade_in
from envplatform.grading.sessions import (
    Attendance,
    Final,
    limits_of,
    require_image,
)
from envplatform.grading.together import grade_together, starts_as_ours
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
LEAST_TOGETHER = 4
"""Fewer cost more together, with the sample, than one by one."""
SAMPLE = 2
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """Gradings of many states, in their order."""

    gradings: tuple[Grading, ...]
    note: str = ""
    """What was otherwise together than alone, where something was; else empty."""


async def grade_all(
    provider: SandboxProvider,
    environment: Environment,
    finals: Sequence[Final],
    *,
    image: Image,
    share: bool | None = None,
) -> tuple[Grading, ...]:
    """Grade each state as if it were the only one; results in their order.

    `share`: whether sandboxes are used again, wiped; None lets what a start costs decide.

    Raises:
        BundleError: `image` is not the one that the environment names.
        SandboxError: a sandbox failed; nothing is known of any state.
    """
    graded = await grade_states(provider, environment, finals, image=image, share=share)
    return graded.gradings


async def grade_states(
    provider: SandboxProvider,
    environment: Environment,
    finals: Sequence[Final],
    *,
    image: Image,
    share: bool | None = None,
    seed: int = 0,
) -> Graded:
    """As `grade_all`; `seed` decides which are graded alone too.

    Raises:
        BundleError, SandboxError: as `grade_all`.
    """
    require_image(environment, image)
    kept = {_key(final): final for final in finals}
    bench = _Bench(provider=provider, environment=environment, image=image)
    together = share is None and bench.can_share and len(kept) >= LEAST_TOGETHER
    if together:
        graded = await bench.together(list(kept.values()), seed)
    else:
        shares = provider.info.kind == "docker" if share is None else share
        gradings = await bench.apart(list(kept.values()), shares=shares)
        graded = Graded(gradings=gradings)
    found = dict(zip(kept, graded.gradings, strict=True))
    return replace(graded, gradings=tuple(found[_key(final)] for final in finals))


def _key(final: Final) -> object:
    """Equal for states that no verifier can tell apart."""
    files = frozenset(final.workspace.items())
    served = final.served
    return files, served and frozenset(served.files().items())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """Where states are graded that differ from each other."""

    provider: SandboxProvider
    environment: Environment
    image: Image

    @property
    def can_share(self) -> bool:
        """Whether one process of a sandbox can grade them all."""
        is_ours = self.provider.info.kind == "bubblewrap"
        return is_ours and starts_as_ours(self.environment)

    def open(self) -> AbstractAsyncContextManager[Sandbox]:
        """Open a sandbox for gradings."""
        wall_s = self.environment.allowance.verifier_timeout_s
        limits = limits_of(self.environment, wall_s=wall_s)
        return self.provider.open(self.image, limits)

    async def together(self, finals: Sequence[Final], seed: int) -> Graded:
        """Grade in one sandbox; by itself what got no verdict there, and a sample."""
        async with self.open() as sandbox:
            found = await grade_together(sandbox, self.environment, finals)
        chance = random.Random(f"sample {seed}")  # noqa: S311  no secret
        known = [at for at, grading in enumerate(found) if grading is not None]
        sample = set(chance.sample(known, min(SAMPLE, len(known))))
        rest = [at for at, grading in enumerate(found) if grading is None]
        again = await self.apart([finals[at] for at in (*sample, *rest)], shares=False)
        alone = dict(zip((*sample, *rest), again, strict=True))
        notes = [
            f"a state got {_said(found[at])} among others and {_said(alone[at])} alone"
            for at in sorted(sample)
            if _said(found[at]) != _said(alone[at])
        ]
        if notes:
            gradings = await self.apart(finals, shares=False)
            return Graded(gradings=gradings, note=notes[0])
        every = [alone.get(at, grading) for at, grading in enumerate(found)]
        return Graded(gradings=tuple(one for one in every if one is not None))

    async def apart(
        self, finals: Sequence[Final], *, shares: bool
    ) -> tuple[Grading, ...]:
        """Grade one after the other, in sandboxes that are wiped if `shares`, or new."""
        digest = environment_digest(self.environment)
        found: list[Grading] = []
        while len(found) < len(finals):
            async with self.open() as sandbox:
                fresh = await _look(sandbox) if shares else ""
                for final in finals[len(found) :]:
                    grading = await grade_in(
                        sandbox,
                        self.environment,
                        final.workspace,
                        served=final.served,
                        digest=digest,
                    )
                    found.append(grading)
                    if not shares or grading.failure in _FATAL:
                        break
                    if len(found) < len(finals) and await _wiped(sandbox) != fresh:
                        break
        return tuple(found)


def _said(grading: Grading | None) -> str:
    if grading is None or grading.failure is not None:
        return "no verdict"
    scores = grading.components.items()
    return ", ".join(f"{name} {score!r}" for name, score in scores)


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
