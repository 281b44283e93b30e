"""impossible_variant: without what the task needs, not even the oracle solves it.

One resource at a time is taken out of what is served, and the oracle runs again. If it
passes all the same, the answer comes from elsewhere: from the solution itself, from
another name, from the grader's being content with less.
"""

import random
from dataclasses import replace

from envplatform.bundle import SOLVE_SCRIPT, CheckResult, Environment
from envplatform.bundle.environment import Resource
from envplatform.errors import BundleError
from envplatform.grading.batch import Bench
from envplatform.grading.broker import Served
from envplatform.grading.evidence import Evidence
from envplatform.grading.grade import Grading
from envplatform.grading.replaying import entries_of
from envplatform.grading.runtime import with_byte_code
from envplatform.grading.sessions import SOLUTION, Final, open_environment
from envplatform.sandbox.base import Limits
from envplatform.tree import Tree

NAME = "impossible_variant"
MOST_VARIANTS = 3
_PATIENCE = 10.0
_WRITING = frozenset({"write", "edit", "delete"})


async def impossible_variant(
    evidence: Evidence, bench: Bench, *, seed: int, least_wall_s: float = 30.0
) -> CheckResult:
    """Passed if the oracle, run without one resource that it asked for, gets less than 1.

    Of more than `MOST_VARIANTS` such resources, that many are drawn. It may run ten times
    as long as before, and `least_wall_s` at least.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    environment, served = evidence.environment, evidence.solved_served
    if served is None:
        what = "nothing is served in this environment: all is in the workspace"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    if evidence.solve.exit_code != 0:
        what = "the oracle does not solve the task itself"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    needed = needed_resources(environment, served)
    if not needed:
        what = "the oracle asked for nothing that is served, so nothing is needed"
        return CheckResult(name=NAME, status="failed", evidence=what)
    chance = random.Random(f"impossible {seed}")  # noqa: S311  no secret
    drawn = sorted(
        chance.sample(needed, min(MOST_VARIANTS, len(needed))), key=lambda one: one.name
    )
    wall_s = max(least_wall_s, _PATIENCE * evidence.solve.seconds)
    finals = [await _attempt(evidence, bench, one, wall_s) for one in drawn]
    gradings = iter(await bench.grade([one for one in finals if one is not None]))
    told = []
    for one, final in zip(drawn, finals, strict=True):
        found = None if final is None else next(gradings)
        if found is not None and found.reward == 1:
            what = f"without {one.name} the oracle is still graded 1"
            return CheckResult(name=NAME, status="failed", evidence=what)
        told.append(f"{one.name} ({_told(found)})")
    what = f"of {len(needed)} resources asked for, without {', '.join(told)}"
    return CheckResult(name=NAME, status="passed", evidence=what)


def needed_resources(environment: Environment, served: Served) -> tuple[Resource, ...]:
    """Return the served resources behind the names that the agent was shown.

    What was only written to is no evidence.
    """
    granted = {
        str(entry["args"].get("name", ""))
        for entry in entries_of(served.log)
        if entry["by"] == "agent"
        and entry["error"] is None
        and entry["op"] not in _WRITING
    }
    shown = {
        view.source
        for view in environment.views
        for name in granted
        if name == view.name or name.startswith(f"{view.name}/")
    }
    return tuple(
        one
        for one in environment.resources
        if one.name in shown and _files_of(one, environment.served)
    )


async def _attempt(
    evidence: Evidence, bench: Bench, resource: Resource, wall_s: float
) -> Final | None:
    """Return the oracle's work without a resource; None if nothing could be served."""
    environment = evidence.environment
    taken = _files_of(resource, environment.served)
    rest = {
        path: file for path, file in environment.served.items() if path not in taken
    }
    variant = replace(environment, served=rest)
    try:
        async with open_environment(
            bench.provider, variant, image=bench.image, attend=bench.attend
        ) as opened:
            solution = with_byte_code(environment.solution)
            await opened.sandbox.upload(solution, SOLUTION)
            await opened.sandbox.exec(
                ["bash", f"{SOLUTION}/{SOLVE_SCRIPT}"],
                limits=Limits(wall_s=wall_s, cpu_s=wall_s),
            )
            final = await opened.final()
    except BundleError:
        return None
    # The grader may look at what was taken away: it must not be content for want of it.
    if final.served is None:
        return final
    held = {**taken, **final.served.held}
    return replace(final, served=replace(final.served, held=held))


def _files_of(resource: Resource, served: Tree) -> Tree:
    place = resource.location
    return {
        path: file
        for path, file in served.items()
        if path == place or path.startswith(f"{place.rstrip('/')}/")
    }


def _told(found: Grading | None) -> str:
    if found is None:
        return "can't be served"
    return "no verdict" if found.reward is None else f"{found.reward:g}"
