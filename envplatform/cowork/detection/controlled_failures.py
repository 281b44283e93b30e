"""controlled_failures: work that misreads the task in a known way does not pass.

The verifier's constructor knows which mistakes are likely, and writes for each what its
deliverables would look like. They are made in a sandbox, beside the verifier, from the
oracle's final state, and graded like anybody's work. Where only part of the work can be
misread, such as a note beside a repair, the rest is the oracle's. A path that begins with
`held:` is one of what is held, for work on a shared resource.
"""

from collections.abc import Mapping
from dataclasses import replace

from pydantic import TypeAdapter, ValidationError

from envplatform.bundle import CheckResult
from envplatform.cowork.detection.pass_mark import PASS_MARK
from envplatform.grading.batch import Bench
from envplatform.grading.evidence import Evidence
from envplatform.grading.grade import SERVED, TESTS
from envplatform.grading.sessions import WORKSPACE, Final, limits_of
from envplatform.tree import File, Tree, TreeError, checked_path

NAME = "controlled_failures"
LEAST = 2
"""Misreadings that a verifier must know of."""
_HELD = "held:"
_TEXTS = TypeAdapter(dict[str, dict[str, str] | None])


async def controlled_failures(
    evidence: Evidence, bench: Bench, *, over_solved: bool = False
) -> CheckResult:
    """Passed if each misreading has a verdict below `PASS_MARK`.

    `over_solved`: they are put over what the oracle left in /workspace, which the
    verifier sees while it makes them, instead of over what was there at first.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    if evidence.untouched is None or evidence.solve.exit_code != 0:
        what = "without a final state of the oracle nothing can be misread"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    workspace = evidence.solved if over_solved else evidence.untouched.workspace
    told = await _misreadings(evidence, bench, workspace if over_solved else None)
    if isinstance(told, str):
        return CheckResult(name=NAME, status="failed", evidence=told)
    base = replace(evidence.untouched, workspace=workspace)
    finals = [_final(evidence, base, files) for files in told.values()]
    gradings = await bench.grade(finals)
    rewards = {name: found.reward for name, found in zip(told, gradings, strict=True)}
    passed = [
        name
        for name, reward in rewards.items()
        if reward is None or reward >= PASS_MARK
    ]
    shown = ", ".join(
        f"{name} {'no verdict' if reward is None else f'{reward:g}'}"
        for name, reward in rewards.items()
    )
    what = f"{len(rewards)} misreadings, all below {PASS_MARK} wanted: {shown}"
    return CheckResult(
        name=NAME, status="failed" if passed else "passed", evidence=what
    )


async def _misreadings(
    evidence: Evidence, bench: Bench, workspace: Tree | None
) -> Mapping[str, Mapping[str, File]] | str:
    """Return deliverables by misreading, or what is wrong with them."""
    environment = bench.environment
    limits = limits_of(environment, wall_s=environment.allowance.verifier_timeout_s)
    async with bench.provider.open(bench.image, limits) as sandbox:
        await sandbox.upload(environment.tests, TESTS)
        if workspace is not None:
            await sandbox.upload(workspace, WORKSPACE)
        if evidence.solved_served is not None:
            await sandbox.upload(evidence.solved_served.files(), SERVED)
        result = await sandbox.exec(
            ["python3", "-I", "-B", f"{TESTS}/misread.py"], limits=limits
        )
    if result.exit_code != 0:
        said = result.stderr.decode("utf-8", "replace")[-200:]
        return f"misread.py ended with {result.exit_code}: {said}"
    try:
        told = _TEXTS.validate_json(result.stdout)
        found = {
            name: {_checked(path): File(text.encode()) for path, text in one.items()}
            for name, one in told.items()
            if one is not None
        }
    except (ValidationError, TreeError, ValueError) as error:
        first = str(error).splitlines()[0]
        return f"misread.py does not print texts by path: {first}"
    broken = sorted(name for name, one in told.items() if one is None)
    if broken:
        said = result.stderr.decode("utf-8", "replace")[-200:]
        return f"misreadings that break: {', '.join(broken)}: {said}"
    if len(found) < LEAST:
        return f"{len(found)} misreadings, at least {LEAST} wanted"
    return found


def _checked(path: str) -> str:
    """Return the path as it came.

    Raises:
        TreeError: it is not one below its folder.
    """
    checked_path(path.removeprefix(_HELD))
    return path


def _final(evidence: Evidence, base: Final, files: Mapping[str, File]) -> Final:
    served = evidence.solved_served
    mine = {path: file for path, file in files.items() if not path.startswith(_HELD)}
    shared = {
        path.removeprefix(_HELD): file
        for path, file in files.items()
        if path.startswith(_HELD)
    }
    if served is not None:
        served = replace(served, held={**served.held, **shared})
    return replace(base, workspace={**base.workspace, **mine}, served=served)
