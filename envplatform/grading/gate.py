"""The gate: every check over one environment. A filter over rows, never a judge of sandboxes.

Here: which checks there are, which set runs, what an audit comes to. Not here: what a
check looks at (`checks`, one file each).
"""

import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, get_args

from envplatform.bundle import CheckResult, Environment
from envplatform.grading import checks as gate_checks
from envplatform.grading.batch import Bench
from envplatform.grading.checks.generic_mutants import Mutant
from envplatform.grading.evidence import Evidence, collect_evidence
from envplatform.grading.pool import Pool
from envplatform.grading.sessions import Attendance
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.workspace import Fault

CheckName = Literal[
    "oracle_max",
    "nop_floor",
    "determinism",
    "leak_scan",
    "reset",
    "criterion_mutants",
    "generic_mutants",
    "stuffing",
    "monotone_credit",
    "unrelated_files",
    "impossible_variant",
    "replay",
    "portability",
]

CORE: tuple[CheckName, ...] = (
    "oracle_max",
    "nop_floor",
    "determinism",
    "leak_scan",
    "reset",
)
"""Without these an environment is none.

They are all that a SWE environment needs: the bug it was made of is a mutant that its
tests were proven to notice, and each further mutant would cost a run of the suite.
"""
FULL: tuple[CheckName, ...] = get_args(CheckName)
"""For graders of a project's own making, which nobody has tried yet."""

OPENENV_NAMES: Mapping[CheckName, str] = MappingProxyType(
    {
        "oracle_max": "semantic.oracle_max",
        "nop_floor": "semantic.floor_gap",
        "determinism": "semantic.verifier_determinism",
        "leak_scan": "semantic.no_solution_leakage",
        "stuffing": "semantic.canary_floor",
        "replay": "semantic.replayability",
        "portability": "semantic.verifier_portability",
        "reset": "runtime.episode_isolation",
    }
)
"""The same checks in OpenEnv's catalogue; the others have no name there."""

ExtraCheck = Callable[[Evidence, Bench], Coroutine[Any, Any, CheckResult]]
"""A check that is no part of the gate; its result has a name of its own."""

_RATE = re.compile(r"kill_rate_(?:criteria|generic) ([01]\.\d{4})\b")
_POOLED = frozenset(
    {
        "criterion_mutants",
        "stuffing",
        "monotone_credit",
        "unrelated_files",
        "impossible_variant",
    }
)
"""They have states graded, all at one time."""
_OF_MUTANTS = frozenset({"criterion_mutants", "generic_mutants", "portability"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KillRates:
    """Shares of mutants that a grader notices, 0 to 1; None where none was graded."""

    criteria: float | None
    generic: float | None


async def run_gate(  # noqa: PLR0913  what to check, on what, with what
    provider: SandboxProvider,
    environment: Environment,
    *,
    image: Image,
    repeats: int = 3,
    checks: Sequence[CheckName] = CORE,
    faults: Sequence[Fault] = (),
    other: SandboxProvider | None = None,
    seed: int = 0,
    attend: Attendance | None = None,
    extra: Sequence[ExtraCheck] = (),
) -> tuple[CheckResult, ...]:
    """Run `checks` in their order; keep the result as the environment's `audit`.

    `bundle.all_passed` says whether everything passed, `may_publish` whether nothing
    speaks against publishing.

    Args:
        provider: where everything runs.
        environment: what is checked.
        image: the one that it names.
        repeats: gradings of the oracle's state, and of the untouched one.
        checks: `CORE`, `FULL`, or a choice of these.
        faults: what criterion_mutants does to the oracle's state.
        other: the other kind of sandbox, for portability.
        seed: decides which mutants, variants and states are drawn.
        attend: has the user inside take part; `rollout.attending()` where there is one.
        extra: checks of a pillar's own, whose results come last.

    Raises:
        BundleError: the environment is inconsistent or `image` is another one.
        SandboxError: a sandbox failed; nothing is concluded, retry.
    """
    evidence = await collect_evidence(
        provider, environment, image=image, repeats=repeats, attend=attend
    )
    bench = Bench(
        provider=provider, environment=environment, image=image, attend=attend
    )
    works = _Works(
        evidence=evidence, bench=bench, faults=tuple(faults), other=other, seed=seed
    )
    pool = Pool(bench, seed=seed)
    others = [pool.join(check(evidence, pool.bench)) for check in extra]
    works, found = await _graded_together(works, checks, pool)
    for name in checks:
        if name not in found:
            found[name] = await works.check(name)
    return (*[found[name] for name in checks], *[one.result() for one in others])


async def _graded_together(
    works: "_Works", checks: Sequence[CheckName], pool: Pool
) -> tuple["_Works", dict[CheckName, CheckResult]]:
    """Run the checks that have states graded; return what the others need too."""
    pooled = replace(works, bench=pool.bench)
    mutants = None
    if _OF_MUTANTS.intersection(checks):
        making = gate_checks.grade_mutants(works.evidence, pool.bench, seed=works.seed)
        mutants = pool.join(making)
    names = [name for name in checks if name in _POOLED and works.is_ready(name)]
    found = {name: pool.join(pooled.check(name)) for name in names}
    await pool.end()
    made = () if mutants is None else mutants.result()
    results = {name: task.result() for name, task in found.items()}
    return replace(works, mutants=made, note=pool.note), results


def may_publish(audit: Sequence[CheckResult]) -> bool:
    """Whether every check of `CORE` passed, and none failed.

    Checks that did not run, for a reason, are no hindrance; they are no proof either.
    """
    names = {check.name for check in audit}
    return names.issuperset(CORE) and not hindering(audit)


def hindering(audit: Sequence[CheckResult]) -> tuple[CheckResult, ...]:
    """Return the checks that speak against publishing: failed, or of `CORE` and not run."""
    return tuple(
        check
        for check in audit
        if check.status == "failed" or (check.name in CORE and check.status != "passed")
    )


def kill_rates(audit: Sequence[CheckResult]) -> KillRates:
    """Return both kill rates of an audit, fresh or read back."""
    return KillRates(
        criteria=_rate(audit, "criterion_mutants"),
        generic=_rate(audit, "generic_mutants"),
    )


def _rate(audit: Sequence[CheckResult], name: CheckName) -> float | None:
    evidence = next((check.evidence for check in audit if check.name == name), "")
    # At the very beginning: further on stand names that others chose.
    match = _RATE.match(evidence)
    return float(match[1]) if match else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Works:
    """What checks need, collected once."""

    evidence: Evidence
    bench: Bench
    faults: tuple[Fault, ...]
    other: SandboxProvider | None
    seed: int
    mutants: tuple[Mutant, ...] = ()
    note: str = ""
    """What was graded otherwise among others than alone."""

    def is_ready(self, name: CheckName) -> bool:
        """Whether a check can do without the mutants, which are graded with the rest."""
        return name != "criterion_mutants" or bool(self.faults)

    async def check(self, name: CheckName) -> CheckResult:
        """Run one check."""
        judged: dict[CheckName, Callable[[Evidence], CheckResult]] = {
            "oracle_max": gate_checks.oracle_max,
            "nop_floor": gate_checks.nop_floor,
            "determinism": partial(gate_checks.determinism, note=self.note),
            "leak_scan": gate_checks.leak_scan,
            "replay": gate_checks.replay,
        }
        if name in judged:
            return judged[name](self.evidence)
        if name == "generic_mutants":
            return gate_checks.generic_mutants(self.evidence, self.mutants)
        run: dict[CheckName, Callable[[], Awaitable[CheckResult]]] = {
            "reset": self._reset,
            "criterion_mutants": self._criterion_mutants,
            "stuffing": self._stuffing,
            "monotone_credit": self._monotone_credit,
            "unrelated_files": self._unrelated_files,
            "impossible_variant": self._impossible_variant,
            "portability": self._portability,
        }
        return await run[name]()

    async def _reset(self) -> CheckResult:
        bench = self.bench
        return await gate_checks.reset(
            bench.provider, bench.environment, image=bench.image
        )

    async def _criterion_mutants(self) -> CheckResult:
        return await gate_checks.criterion_mutants(
            self.evidence, self.bench, faults=self.faults, mutants=self.mutants
        )

    async def _stuffing(self) -> CheckResult:
        return await gate_checks.stuffing(self.evidence, self.bench)

    async def _monotone_credit(self) -> CheckResult:
        return await gate_checks.monotone_credit(self.evidence, self.bench)

    async def _unrelated_files(self) -> CheckResult:
        return await gate_checks.unrelated_files(
            self.evidence, self.bench, seed=self.seed
        )

    async def _impossible_variant(self) -> CheckResult:
        return await gate_checks.impossible_variant(
            self.evidence, self.bench, seed=self.seed
        )

    async def _portability(self) -> CheckResult:
        states = [
            (f"{one.kind} in {one.piece}", one.final, one.grading)
            for one in self.mutants
        ]
        return await gate_checks.portability(
            self.evidence, self.bench, other=self.other, states=states, seed=self.seed
        )
