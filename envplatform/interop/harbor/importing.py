"""Import Harbor task folders: ours as they are, others built by Docker; all executed.

A folder that we wrote holds the whole environment, views and user included; it comes
back as it was if its digest says so. Of any other folder we take the instruction, the
image with its /workspace, the verifier and the solution.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from envplatform.bundle import (
    SOLVE_SCRIPT,
    Allowance,
    Core,
    Environment,
    Lineage,
    checked,
    read_environment,
    without_repository,
)
from envplatform.errors import (
    BundleError,
    SandboxError,
    SandboxUnavailableError,
    TargetError,
)
from envplatform.grading.images import image_of
from envplatform.grading.sessions import image_reference
from envplatform.interop.harbor.machine import Machine, build_machine
from envplatform.interop.harbor.reading import (
    HarborTask,
    is_task,
    read_task,
    unsupported,
)
from envplatform.interop.imported import ImportedTask, Problem, Reason, is_wanted
from envplatform.interop.proving import prove, try_verifier, with_audit
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File, Tree, tree_digest

_OURS = Path(".envp", "identity.json")
_SCORES = "scores.json"
_VERIFIER = "harbor_test.sh"
_TEST = f"""\
#!/bin/sh
# As in Harbor, what the verifier writes counts, not how it ends.
mkdir -p /logs/verifier
(cd /workspace && bash /tests/{_VERIFIER} </dev/null) || true
exec python3 -s -B /tests/read_reward.py
"""
_NONE = b"#!/bin/sh\necho 'no solution is known' >&2\nexit 1\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class HarborImporting:
    """Where and with what tasks are imported."""

    provider: SandboxProvider
    """Runs environments of ours."""
    cache: Path
    """Where images keep their wheels."""
    docker: SandboxProvider | None = None
    """Runs what stands on an image of Docker's; None: there is no Docker here."""
    base: str | None = None
    """Image that stands in for what Dockerfiles start from."""


async def import_tasks(
    source: Path, works: HarborImporting, *, only: str = "*"
) -> AsyncIterator[ImportedTask]:
    """Yield the task in `source`, or those in the folders that lie in it, by name.

    `only`: pattern of the names of folders.

    Raises:
        BundleError: there is none.
    """
    folders = [source] if is_task(source) else _inside(source)
    if not folders:
        msg = f"{source} holds no Harbor task, which is a folder with a task.toml"
        raise BundleError(msg)
    for folder in folders:
        if not is_wanted(folder.name, only):
            continue
        try:
            yield await _imported(folder, works)
        except BundleError as error:
            yield _kept_out(folder, "malformed", str(error))
        except (TargetError, SandboxUnavailableError) as error:
            yield _kept_out(folder, "image_unavailable", str(error))
        except SandboxError as error:
            yield _kept_out(folder, "sandbox_failed", str(error))


def _inside(source: Path) -> list[Path]:
    if not source.is_dir():
        return []
    return sorted(path for path in source.iterdir() if is_task(path))


def _kept_out(folder: Path, reason: Reason, detail: str) -> ImportedTask:
    problem = Problem(reason=reason, detail=" ".join(detail.split())[:1000])
    return ImportedTask(task_id=folder.name, environment=None, problems=(problem,))


async def _imported(folder: Path, works: HarborImporting) -> ImportedTask:
    if (folder / _OURS).is_file():
        return await _ours(folder, works)
    task = read_task(folder)
    problems = tuple(unsupported(task))
    if problems:
        return ImportedTask(task_id=task.name, environment=None, problems=problems)
    if works.docker is None:
        msg = (
            "its machine is built from a Dockerfile, and no Docker Engine answers here"
        )
        raise TargetError(msg)
    machine = await asyncio.to_thread(
        build_machine, task, base=works.base, cache=works.cache
    )
    return await _theirs(task, machine, works.docker)


async def _ours(folder: Path, works: HarborImporting) -> ImportedTask:
    environment = read_environment(folder)
    image = await asyncio.to_thread(image_of, environment, works.cache)
    return await _proven(folder.name, environment, image, works.provider)


async def _theirs(
    task: HarborTask, machine: Machine, provider: SandboxProvider
) -> ImportedTask:
    probe = checked(_environment(task, machine))
    attempt = await try_verifier(provider, machine.image, probe, scores_file=_SCORES)
    problems: list[Problem] = []
    if attempt.failure:
        problems.append(Problem(reason="verifier_broken", detail=attempt.failure))
    if SOLVE_SCRIPT not in task.solution:
        what = "solution/solve.sh is missing"
        problems.append(Problem(reason="no_oracle", detail=what))
    floor = attempt.scores.get("reward")
    if problems:
        return ImportedTask(
            task_id=task.name, environment=None, problems=tuple(problems), floor=floor
        )
    criteria = sorted(attempt.scores.keys() - {"reward"})
    environment = _environment(task, machine, criteria)
    return await _proven(task.name, environment, machine.image, provider, floor=floor)


async def _proven(
    name: str,
    environment: Environment,
    image: Image,
    provider: SandboxProvider,
    *,
    floor: float | None = None,
) -> ImportedTask:
    proof = await prove(provider, environment, image=image)
    floors = {check.name: check.status for check in proof.audit}
    if floor is None and floors.get("nop_floor") == "passed":
        floor = 0.0
    return ImportedTask(
        task_id=name,
        environment=with_audit(environment, proof),
        problems=proof.problems,
        floor=floor,
        oracle=proof.oracle,
    )


def _environment(
    task: HarborTask, machine: Machine, criteria: Sequence[str] = ()
) -> Environment:
    tests = _tests(task.tests, criteria)
    workspace = without_repository(machine.workspace) or {".keep": File(b"")}
    image = machine.image
    return Environment(
        environment_id=f"harbor.{task.name}",
        pillar="res",
        instruction=task.instruction,
        workspace=workspace,
        tests=tests,
        solution=task.solution or {SOLVE_SCRIPT: File(_NONE, executable=True)},
        image=image_reference(image),
        core=Core(
            goal=task.instruction,
            facts={"image": image.engine.id if image.engine else image.digest},
            grader_digest=tree_digest(tests),
            observables=("file:/workspace/**",),
            frozen={"workspace": tree_digest(workspace)},
        ),
        lineage=Lineage(producer="import.harbor", seed=0, origin={"task": task.name}),
        criteria=("reward", *criteria),
        allowance=_allowance(task),
    )


def _allowance(task: HarborTask) -> Allowance:
    machine, usual = task.file.environment, Allowance()
    return Allowance(
        agent_timeout_s=int(task.file.agent.timeout_sec or usual.agent_timeout_s) or 1,
        verifier_timeout_s=int(
            task.file.verifier.timeout_sec or usual.verifier_timeout_s
        )
        or 1,
        cpus=max(1, int(machine.cpus or usual.cpus)),
        memory_mb=machine.memory_mb or usual.memory_mb,
        disk_mb=machine.storage_mb or usual.disk_mb,
    )


def _tests(theirs: Tree, criteria: Sequence[str]) -> dict[str, File]:
    ours = {
        "test.sh": File(_TEST.encode(), executable=True),
        _VERIFIER: theirs["test.sh"],
        "read_reward.py": File(
            (resources.files(f"{__package__}.inside") / "read_reward.py").read_bytes()
        ),
        "criteria.json": File(json.dumps(list(criteria)).encode()),
    }
    taken = theirs.keys() & (ours.keys() - {"test.sh"})
    if taken:
        msg = f"tests/{min(taken)} has a name that our adapter needs"
        raise BundleError(msg)
    return {**theirs, **ours}
