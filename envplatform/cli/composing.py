"""The three axes put together: a bug, a colleague around it, and levels of depth.

Here: making, gating and growing; pillars meet here, since none of them imports another.
Not here: the command (`compose`), what each pillar does.
"""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace

from envplatform.bundle import CheckResult, Environment
from envplatform.cowork.detection import user_matters
from envplatform.cowork.over_code import PRODUCER, gate_with_colleague, with_colleague
from envplatform.errors import BundleError
from envplatform.grading.gate import CORE, CheckName, hindering, run_gate
from envplatform.res.lineage import Budget, Lineage, grow
from envplatform.res.measure import Measures, measure
from envplatform.res.proposers import Planned
from envplatform.res.replay import Replayer
from envplatform.res.trail import trail_of
from envplatform.res.verifier import Verifier, score_of_nothing
from envplatform.rollout import attending
from envplatform.sandbox.base import Image, SandboxProvider

OF_LEVELS: tuple[CheckName, ...] = ("oracle_max", "nop_floor", "leak_scan")
"""What of the gate a level is put to, besides the checks of RES: its grader is the root's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A level that was accepted."""

    number: int
    """0 is the root."""
    environment: Environment
    """With its audit."""
    measures: Measures


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A level that was not."""

    number: int
    why: str
    """Check and evidence, or what was found of the last proposal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composer:
    """Where everything runs."""

    provider: SandboxProvider
    image: Image
    told: Callable[[str], None]

    def root_of(self, environment: Environment, *, seed: int) -> Environment:
        """Return what levels grow from: with a colleague around code, or as it is.

        Raises:
            BundleError: neither code nor Cowork, or a level itself; says what to do.
        """
        name, pillar = environment.environment_id, environment.pillar
        if trail_of(environment).level:
            msg = f"{name} is a level of a lineage already; name its root"
            raise BundleError(msg)
        if pillar == "swe":
            return with_colleague(environment, seed=seed)
        if pillar != "cowork":
            msg = (
                f"{name} is of the pillar {pillar}: name an environment of code (swe) or "
                "of Cowork. Seeds grow in res_lineages"
            )
            raise BundleError(msg)
        return environment

    async def levels(
        self, source: Environment, *, depth: int, seed: int
    ) -> AsyncGenerator[Level | Refused, None]:
        """Yield the root and each level below it; one that is refused is the last.

        Raises:
            BundleError: as `root_of`.
            SandboxError: a sandbox failed; nothing is concluded of the level under way.
        """
        root = self.root_of(source, seed=seed)
        self.told(f"gating {root.environment_id}")
        root = replace(root, audit=await self._gate(root))
        yield _gated(0, root, measure(root))
        if hindering(root.audit) or not depth:
            return
        with Replayer() as replayer:
            verifier = Verifier(
                provider=self.provider,
                image=self.image,
                replayer=replayer,
                root_bytes=measure(root).served_bytes,
                floor=await score_of_nothing(self.provider, root, self.image) or 0.0,
                attend=attending(),
            )
            async for level in self._below(root, verifier, depth, seed):
                yield level
                if isinstance(level, Refused):
                    return

    async def _below(
        self, root: Environment, verifier: Verifier, depth: int, seed: int
    ) -> AsyncGenerator[Level | Refused, None]:
        lineage = Lineage(root=root, root_bytes=verifier.root_bytes)
        self.told("growing level 1")
        async for grown in grow(
            lineage, Planned(), verifier, seed=seed, budget=Budget(depth=depth)
        ):
            child = grown.children[-1]
            made, verdict = child.environment, child.verdict
            if made is None or verdict is None or verdict.measures is None:
                found = "; ".join(map(str, child.attempts[-1].diagnostics))
                why = f"no proposal was accepted: {found or 'there was none'}"
                yield Refused(number=child.level, why=why)
                return
            self.told(f"gating level {child.level}, {', '.join(made.lineage.plan)}")
            audit = await self._checked(made, OF_LEVELS, repeats=1)
            yield _gated(child.level, replace(made, audit=audit), verdict.measures)
            if child.level < depth:
                self.told(f"growing level {child.level + 1}")

    async def _gate(self, root: Environment) -> tuple[CheckResult, ...]:
        if root.lineage.producer == PRODUCER:
            return await gate_with_colleague(
                self.provider, root, image=self.image, attend=attending()
            )
        return await self._checked(root, CORE, repeats=3)

    async def _checked(
        self, environment: Environment, checks: tuple[CheckName, ...], *, repeats: int
    ) -> tuple[CheckResult, ...]:
        return await run_gate(
            self.provider,
            environment,
            image=self.image,
            repeats=repeats,
            checks=checks,
            attend=attending(),
            extra=(user_matters,),
        )


def _gated(number: int, made: Environment, measures: Measures) -> Level | Refused:
    found = hindering(made.audit)
    if not found:
        return Level(number=number, environment=made, measures=measures)
    why = "; ".join(f"{one.name} {one.status}: {one.evidence}" for one in found)
    return Refused(number=number, why=why)
