"""Import SWE-bench instances whose repository is at hand; all are executed.

The verdict is that of the instance's own evaluation script, by its log. Code under test
writes that log, so such an environment is weaker than one made here.
"""

import asyncio
import json
import shlex
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from envplatform.bundle import (
    SOLVE_SCRIPT,
    Allowance,
    Core,
    Environment,
    Lineage,
    Provider,
    Resource,
    checked,
    commit_id,
    with_repository,
)
from envplatform.errors import (
    BundleError,
    PatchError,
    SandboxError,
    SandboxUnavailableError,
    TargetError,
)
from envplatform.grading.sessions import image_reference
from envplatform.interop.imported import ImportedTask, Problem, Reason, is_wanted
from envplatform.interop.proving import prove, with_audit
from envplatform.interop.swebench.bug import ROOT
from envplatform.interop.swebench.reading import (
    Instance,
    find_instances,
    read_instance,
)
from envplatform.patches import apply_patch
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File, Tree, tree_digest

CRITERIA = ("fail_to_pass", "pass_to_pass")
_END = ">>>>> End Test Output"
_TEST = b"""#!/bin/sh
mkdir -p /logs/verifier
exec python3 -s -B /tests/grade.py
"""
_DIRECTIONS = """\
The repository lies in `/workspace`, one git commit without a history; there is no
network. Find the cause in the code and repair it there.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwebenchImporting:
    """Where and with what instances are imported."""

    provider: SandboxProvider
    image_for: Callable[[str, Sequence[str]], Image]
    """From a Python version and pins to an image that has them."""


async def import_instances(
    source: Path, works: SwebenchImporting, *, only: str = "*"
) -> AsyncIterator[ImportedTask]:
    """Yield each instance of a file of rows or a task repository, in order.

    `only`: pattern of instance ids.

    Raises:
        BundleError: `source` is neither.
    """
    for place in find_instances(source):
        if not is_wanted(place.name, only):
            continue
        try:
            instance = read_instance(place, source)
            yield await _imported(instance, works)
        except (BundleError, PatchError) as error:
            yield _kept_out(place.name, "malformed", error)
        except (TargetError, SandboxUnavailableError) as error:
            yield _kept_out(place.name, "image_unavailable", error)
        except SandboxError as error:
            yield _kept_out(place.name, "sandbox_failed", error)


def environment_of(instance: Instance, image: Image) -> Environment:
    """Assemble the environment of an instance.

    Raises:
        BundleError: its parts do not fit together.
        PatchError: a patch does not apply.
    """
    tree = dict(instance.tree)
    workspace = with_repository(tree)
    tests = _tests(instance, workspace)
    goal = instance.problem_statement
    return checked(
        Environment(
            environment_id=f"swebench.{instance.name}",
            pillar="swe",
            instruction=f"{goal.strip()}\n\n---\n\n{_DIRECTIONS}",
            workspace=workspace,
            tests=tests,
            solution=_solution(tree, apply_patch(tree, instance.patch)),
            image=image_reference(image),
            core=Core(
                goal=goal,
                facts={
                    "repository": instance.repository,
                    "base_commit": instance.base_commit,
                    "fail_to_pass": "\n".join(instance.fail_to_pass),
                },
                grader_digest=tree_digest(tests),
                observables=("file:/workspace/**",),
                frozen={"workspace": tree_digest(workspace)},
            ),
            lineage=Lineage(
                producer="import.swebench", seed=0, origin={"instance": instance.name}
            ),
            criteria=("reward", *CRITERIA),
            labels={"repository": instance.repository, "license": instance.licence},
            allowance=Allowance(verifier_timeout_s=1800),
            providers=(Provider(name="workspace", kind="file"),),
            resources=(
                Resource(
                    name="repository",
                    kind="content",
                    provider="workspace",
                    location="/workspace",
                ),
            ),
        )
    )


async def _imported(instance: Instance, works: SwebenchImporting) -> ImportedTask:
    image = await asyncio.to_thread(
        works.image_for, instance.python, instance.requirements
    )
    environment = environment_of(instance, image)
    proof = await prove(works.provider, environment, image=image)
    floors = {check.name: check.status for check in proof.audit}
    commit = commit_id(instance.tree)
    findings = (
        (f"base_commit is {instance.base_commit}, the files are {commit}",)
        if instance.base_commit != commit
        else ()
    )
    return ImportedTask(
        task_id=instance.name,
        environment=with_audit(environment, proof),
        problems=proof.problems,
        findings=findings,
        floor=0.0 if floors.get("nop_floor") == "passed" else None,
        oracle=proof.oracle,
    )


def _kept_out(name: str, reason: Reason, error: Exception) -> ImportedTask:
    detail = " ".join(str(error).split())[:1000]
    problem = Problem(reason=reason, detail=detail)
    return ImportedTask(task_id=name, environment=None, problems=(problem,))


def _tests(instance: Instance, workspace: Tree) -> dict[str, File]:
    """Script, plan and grader; and the repository, which no agent takes along."""
    plan = {
        "fail_to_pass": instance.fail_to_pass,
        "pass_to_pass": instance.pass_to_pass,
    }
    apply_patch(dict(instance.tree), instance.test_patch)  # or nothing can be graded
    inside = resources.files(f"{__package__}.inside") / "grade.py"
    repository = {
        path.replace(".git/", "repository/", 1): file
        for path, file in workspace.items()
        if path.startswith(".git/")
    }
    return {
        "test.sh": File(_TEST, executable=True),
        "grade.py": File(inside.read_bytes()),
        "plan.json": File(json.dumps(plan, indent=1).encode() + b"\n"),
        "eval.sh": File(_script(instance.eval_script).encode()),
        **repository,
    }


def _script(text: str) -> str:
    """The evaluation script for our folder, with the exit status of the tests told."""
    lines = text.replace(ROOT, "/workspace").split("\n")
    for number, line in enumerate(lines):
        if _END in line:
            told = 'echo ">>>>> Test Exit Code: $ENVP_STATUS"'
            lines[number : number + 1] = ["ENVP_STATUS=$?", line, told]
            break
    return "\n".join(lines)


def _solution(buggy: Tree, mended: Tree) -> dict[str, File]:
    """`solve.sh` and the files that it copies."""
    changed = {path: one for path, one in mended.items() if buggy.get(path) != one}
    lines = ["#!/bin/sh", "set -eu", 'cd "$(dirname "$0")/fixed"']
    gone = sorted(buggy.keys() - mended.keys())
    lines += [f"rm {shlex.quote(f'/workspace/{path}')}" for path in gone]
    for path, file in sorted(changed.items()):
        to = shlex.quote(f"/workspace/{path}")
        lines.append(f'mkdir -p "$(dirname {to})"')
        lines.append(f"cp {shlex.quote(f'./{path}')} {to}")
        lines.append(f"chmod {'755' if file.executable else '644'} {to}")
    script = "".join(f"{line}\n" for line in lines)
    return {
        SOLVE_SCRIPT: File(script.encode("utf-8", "surrogateescape"), executable=True),
        **{f"fixed/{path}": file for path, file in changed.items()},
    }
