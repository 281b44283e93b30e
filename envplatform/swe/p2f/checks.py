"""What is refused before a suite runs: patches that can prove nothing."""

from envplatform.errors import PatchError
from envplatform.sandbox.base import Limits, SandboxProvider
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change, affected_tests, apply_change, is_inert
from envplatform.swe.p2f.refusal import Refusal
from envplatform.swe.p2f.request import WORKSPACE
from envplatform.swe.targets.prepare import HealthyRepository
from envplatform.tree import TreeError

_COMPILE = """
import sys
for path in sys.argv[1:]:
    with open(path, "rb") as stream:
        source = stream.read()
    try:
        compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        sys.exit("%s: %s: %s" % (path, type(error).__name__, error))
"""


def check_patch(
    repository: HealthyRepository, baseline: Baseline, patch: str
) -> Change | Refusal:
    """Apply `patch` and look at what it changes. Runs nothing."""
    try:
        change = apply_change(repository.tree, patch)
    except (PatchError, TreeError) as error:
        return Refusal(reason="does_not_apply", detail=str(error))
    target = repository.target
    for path in change.lines:
        if target.is_test_file(path):
            detail = f"{path} belongs to the tests or steers them"
            return Refusal(reason="touches_tests", detail=detail)
    if not any(target.code.holds(path) for path in change.lines):
        detail = f"changes no code below {', '.join(target.code.roots)}"
        return Refusal(reason="uncovered", detail=detail)
    if is_inert(repository.tree, change):
        return Refusal(reason="no_failure", detail="changes nothing that runs")
    touching = affected_tests(baseline, repository.tree, change)
    if touching is not None and not touching:
        detail = "no stable test runs a changed line"
        return Refusal(reason="uncovered", detail=detail)
    return change


async def check_compiles(
    provider: SandboxProvider, repository: HealthyRepository, change: Change
) -> Refusal | None:
    """Compile the changed files with the target's own Python, in a sandbox.

    Raises:
        SandboxError: the sandbox failed.
    """
    paths = [p for p in change.lines if p.endswith(".py") and p in change.tree]
    files = {path: change.tree[path] for path in paths}
    async with provider.open(repository.image, Limits()) as sandbox:
        await sandbox.upload(files, WORKSPACE)
        done = await sandbox.exec(
            ["python3", "-I", "-B", "-c", _COMPILE, *(f"./{path}" for path in paths)]
        )
    if done.ending == "exited" and done.exit_code == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    detail = said[-1].removeprefix("./") if said else f"the compiler: {done.ending}"
    return Refusal(reason="does_not_compile", detail=detail)
