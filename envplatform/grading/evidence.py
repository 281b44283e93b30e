"""What the gate's checks judge: the oracle's final state, and repeated gradings.

Collected once, so that three checks don't run the verifier three times over.
"""

from dataclasses import dataclass

from envplatform.bundle import Environment, environment_digest
from envplatform.grading.broker import Served
from envplatform.grading.grade import Grading, grade
from envplatform.grading.sessions import (
    Attendance,
    Final,
    apply_solution,
    open_environment,
)
from envplatform.sandbox.base import ExecResult, Image, SandboxProvider
from envplatform.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Executions behind one audit."""

    environment: Environment
    solved: Tree
    """The workspace after solve.sh."""
    solved_served: Served | None
    """What the broker had after it; None where there is none."""
    solve: ExecResult
    oracle: tuple[Grading, ...]
    """Gradings of `solved`, each in its own sandbox. Empty where solve.sh failed."""
    nop: tuple[Grading, ...]
    """Gradings of an untouched workspace that went through a session."""
    untouched: Final | None = None
    """That workspace, and what the broker had; None where nobody kept it."""


async def collect_evidence(
    provider: SandboxProvider,
    environment: Environment,
    *,
    image: Image,
    repeats: int = 3,
    attend: Attendance | None = None,
) -> Evidence:
    """Solve once, do nothing once, and grade each state `repeats` times.

    `attend`: has the user inside take part; needed where there is one.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    async with open_environment(
        provider, environment, image=image, attend=attend
    ) as opened:
        untouched = await opened.final()
    async with open_environment(
        provider, environment, image=image, attend=attend
    ) as opened:
        solve = await apply_solution(opened.sandbox, environment)
        solved = await opened.final()

    digest = environment_digest(environment)

    async def graded(final: Final) -> tuple[Grading, ...]:
        gradings = [
            await grade(
                provider,
                environment,
                final.workspace,
                image=image,
                served=final.served,
                digest=digest,
            )
            for _ in range(repeats)
        ]
        return tuple(gradings)

    return Evidence(
        environment=environment,
        solved=solved.workspace,
        solved_served=solved.served,
        solve=solve,
        oracle=await graded(solved) if solve.exit_code == 0 else (),
        nop=await graded(untouched),
        untouched=untouched,
    )
