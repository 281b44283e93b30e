"""Accepting a child: eight checks, each on execution evidence, none on what a plan says.

Here: which checks there are, in which order, and what a verdict holds. Not here: what
a check looks at (`checks`), the replaying process (`replay`), proposing.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

from envplatform.bundle import Environment, checked, environment_digest
from envplatform.errors import BundleError
from envplatform.grading import apply_solution, grade, open_environment
from envplatform.grading.broker import Served
from envplatform.grading.sessions import Attendance
from envplatform.res import checks
from envplatform.res.diagnostic import CHECKS, CheckName, Diagnostic
from envplatform.res.measure import Measures, measure
from envplatform.res.plan import TransformPlan
from envplatform.res.replay import Replayer
from envplatform.res.trail import trail_of
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.workspace.recovery import RecoveryError

PASS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How far a child may go; difficulty must come from dependencies, not from padding."""

    reads: int = 1500
    """Of one task."""
    bytes_ratio: float = 3.0
    """Bytes served, against the root's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the verifier says of one child."""

    diagnostics: tuple[Diagnostic, ...]
    measures: Measures | None
    """None where the evidence can't be had."""
    ran: tuple[CheckName, ...]
    """Checks that ran; where one fails, those that are dearer are not run."""
    seconds: dict[str, float] = field(default_factory=dict)
    """By check."""

    @property
    def is_accepted(self) -> bool:
        """Whether all checks ran and nothing speaks against the child."""
        return not self.diagnostics and self.ran == CHECKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """The eight checks over children of one lineage."""

    provider: SandboxProvider
    image: Image
    replayer: Replayer
    root_bytes: int
    """Served by the root."""
    floor: float
    """What doing nothing scores in the root."""
    caps: Caps = Caps()
    attend: Attendance | None = None
    """Has the user inside take part."""

    async def verify(
        self, parent: Environment, plan: TransformPlan, child: Environment
    ) -> Verdict:
        """Run all checks; one that fails ends them, with everything that it found.

        Raises:
            SandboxError: a sandbox failed; nothing is known of the child.
        """
        seconds: dict[str, float] = {}
        ran: list[CheckName] = []
        found: list[Diagnostic] = []
        try:
            checked(child)
        except BundleError as error:
            found.append(Diagnostic(check="frozen", name="", message=str(error)))
            return Verdict(diagnostics=tuple(found), measures=None, ran=("frozen",))
        trail = trail_of(child)
        had = checks.session(child, trail)
        order: tuple[tuple[CheckName, Callable[[], Iterator[Diagnostic]]], ...] = (
            ("frozen", lambda: checks.frozen(parent, child)),
            ("replay", lambda: _replay(child, told)),
            ("recovery", lambda: checks.recovery(child, trail, had)),
            (
                "necessity",
                lambda: checks.necessity(parent, child, trail, had, child.lineage.seed),
            ),
            ("path_gone", lambda: checks.path_gone(parent, child)),
            ("changed", lambda: checks.changed(parent, child, trail)),
            ("reset", lambda: checks.reset(child, trail, had)),
        )
        told = ""
        for name, check in order:
            began = monotonic()
            if name == "replay":  # another process works; others' sandboxes go on here
                asking = partial(self.replayer.digest, parent, plan, child)
                told = await asyncio.to_thread(asking)
            found += check()
            seconds[name] = monotonic() - began
            ran.append(name)
            if found:
                return Verdict(
                    diagnostics=tuple(found),
                    measures=None,
                    ran=tuple(ran),
                    seconds=seconds,
                )
        began = monotonic()
        measures, found = self._measured(child)
        if not found:
            found = await self._solvable(child)
            ran.append("solvable")
        seconds["solvable"] = monotonic() - began
        return Verdict(
            diagnostics=tuple(found),
            measures=measures,
            ran=tuple(ran),
            seconds=seconds,
        )

    def _measured(self, child: Environment) -> tuple[Measures | None, list[Diagnostic]]:
        try:
            found = measure(child)
        except RecoveryError as error:
            return None, [Diagnostic(check="recovery", name="", message=str(error))]
        over = []
        if found.reads > self.caps.reads:
            message = f"{found.reads} reads, over {self.caps.reads}"
            over.append(Diagnostic(check="caps", name="reads", message=message))
        if found.served_bytes > self.caps.bytes_ratio * self.root_bytes:
            message = (
                f"{found.served_bytes} bytes, over {self.caps.bytes_ratio:g} times the "
                f"root's {self.root_bytes}"
            )
            over.append(Diagnostic(check="caps", name="bytes", message=message))
        return found, over

    async def _solvable(self, child: Environment) -> list[Diagnostic]:
        """Oracle and do-nothing in sandboxes, graded by the frozen grader."""
        nothing = asyncio.create_task(
            score_of_nothing(self.provider, child, self.image)
        )
        try:
            found = await self._oracle(child)
            score = await nothing
        finally:
            nothing.cancel()
            await asyncio.gather(nothing, return_exceptions=True)
        if score != self.floor:
            message = f"doing nothing scores {score}, in the root {self.floor}"
            found.append(Diagnostic(check="solvable", name="nop", message=message))
        return found

    async def _oracle(self, child: Environment) -> list[Diagnostic]:
        async with open_environment(
            self.provider, child, image=self.image, attend=self.attend
        ) as opened:
            ended = await apply_solution(opened.sandbox, child)
            final = await opened.final()
        graded = await grade(
            self.provider, child, final.workspace, image=self.image, served=final.served
        )
        if graded.reward == PASS:
            return []
        said = ended.stderr.decode("utf-8", "replace").strip()[-300:]
        message = f"the oracle scores {graded.reward}: {graded.detail or said}"
        return [Diagnostic(check="solvable", name="oracle", message=message)]


def _replay(child: Environment, told: str) -> Iterator[Diagnostic]:
    if told != environment_digest(child):
        message = f"another process makes {told} of the plan"
        yield Diagnostic(check="replay", name="", message=message)


async def score_of_nothing(
    provider: SandboxProvider, environment: Environment, image: Image
) -> float | None:
    """Grade an environment as it is at the beginning.

    Raises:
        SandboxError: a sandbox failed.
    """
    served = Served(held=environment.served, log=b"", state=b"{}\n")
    graded = await grade(
        provider,
        environment,
        environment.workspace,
        image=image,
        served=served if environment.views else None,
    )
    return graded.reward
