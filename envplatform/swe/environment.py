"""From a proven bug to an environment: what the agent gets, what judges it, the oracle.

Here: assembly alone. Proving the bug is `p2f`, describing it `issue`, running the
result `grading`.
"""

import shlex

from envplatform.bundle import (
    BASE_IMAGE,
    Allowance,
    Core,
    Environment,
    Lineage,
    Provider,
    Resource,
    Spending,
    commit_id,
    with_repository,
)
from envplatform.errors import BundleError
from envplatform.grading.sessions import image_reference
from envplatform.patches import apply_patch
from envplatform.sandbox.base import Image
from envplatform.sandbox.engine_python import reference_of
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.issue import Issue
from envplatform.swe.targets.prepare import HealthyRepository
from envplatform.swe.targets.target import Target
from envplatform.swe.verifier.files import (
    Assertions,
    SplitTests,
    split_tests,
    verifier_tree,
)
from envplatform.swe.verifier.inside.restore import is_byte_code
from envplatform.tree import File, Tree, tree_digest

CRITERIA = ("reward", "fail_to_pass", "pass_to_pass")

_VERIFIER_SLACK_S = 60
"""How much longer than the suite's own limit the verifier may take."""

_DIRECTIONS = """\
The repository lies in `/workspace`, one git commit without a history; its Python is
{python}, and there is no network. Find the cause in the code and repair it there. Tests
can be run with `{command}`{where}; those that fail now and that you are judged by are
not among them. Before your work is judged, all tests and test settings (conftest.py,
pyproject.toml, setup.cfg and the like) are put back to their original state, so changes
to them have no effect. It is the files that are judged, committed or not.
"""


def assemble_environment(
    repository: HealthyRepository,
    candidate: BugCandidate,
    verdict: Verdict,
    *,
    issue: Issue,
    assertions: Assertions = "plain",
) -> Environment:
    """Build the environment of one proven bug.

    Args:
        repository: the healthy repository that the candidate was proposed for.
        candidate: the bug.
        verdict: the proof.
        issue: what the agent is told, and who wrote it; must not hold the solution.
        assertions: how the verifier runs those of tests.

    Raises:
        BundleError: the verdict proves nothing, or belongs to another candidate, or
            the failing tests can't be told from the code, or the tree can't be a git
            commit.
        PatchError: the bug does not apply to the repository.
    """
    if verdict.candidate_id != candidate.candidate_id or not verdict.verified:
        msg = f"{candidate.candidate_id} has no verdict that proves it"
        raise BundleError(msg)
    target = repository.target
    healthy = without_byte_code(repository.tree)
    split = split_tests(target, healthy, verdict)
    defective = apply_patch(healthy, candidate.bug_patch)
    shown = {path: defective[path] for path in defective if path not in split.hidden}
    tests = verifier_tree(target, split, verdict, assertions=assertions)
    return Environment(
        environment_id=candidate.candidate_id,
        pillar="swe",
        instruction=_instruction(issue.text, repository),
        workspace=with_repository(shown),
        tests=tests,
        solution=_solution(shown, healthy, split),
        image=image_reference(repository.image),
        core=_core(repository, verdict, issue.text, tests, shown),
        lineage=_lineage(candidate, issue),
        criteria=CRITERIA,
        description=f"Repair a defect in {target.name}",
        labels=_labels(target),
        allowance=_allowance(target),
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


def without_byte_code(tree: Tree) -> Tree:
    """Some releases ship compiled files; one of the healthy code would be the answer."""
    return {path: file for path, file in tree.items() if not is_byte_code(path)}


def _instruction(issue: str, repository: HealthyRepository) -> str:
    suite = repository.target.suite
    is_commanded = suite.results == "junit"
    directions = _DIRECTIONS.format(
        python=repository.image.python,
        command=shlex.join(suite.command) if is_commanded else "python -m pytest",
        where=f" in `{suite.directory}`" if suite.directory != "." else "",
    )
    return f"{issue.strip()}\n\n---\n\n{directions}"


def _labels(target: Target) -> dict[str, str]:
    """What environments are chosen by: a report can be forged, the plugin's word less."""
    labels = {"repository": target.name, "license": target.license}
    is_report = target.suite.results == "junit"
    return {**labels, "results": "junit"} if is_report else labels


def _solution(buggy: Tree, healthy: Tree, split: SplitTests) -> Tree:
    """solve.sh and the healthy files it copies: works with `cp` and `rm` alone."""
    changed = {
        path: file
        for path, file in healthy.items()
        if path not in split.hidden and buggy.get(path) != file
    }
    lines = ["#!/bin/sh", "set -eu", 'cd "$(dirname "$0")/fixed"']
    added = sorted(buggy.keys() - healthy.keys())
    lines += [f"rm {shlex.quote(f'/workspace/{path}')}" for path in added]
    for path, file in sorted(changed.items()):
        target = shlex.quote(f"/workspace/{path}")
        lines.append(f'mkdir -p "$(dirname {target})"')
        lines.append(f"cp {shlex.quote(f'./{path}')} {target}")
        lines.append(f"chmod {'755' if file.executable else '644'} {target}")
    script = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    fixed = {f"fixed/{path}": file for path, file in changed.items()}
    return {"solve.sh": File(script, executable=True), **fixed}


def _core(
    repository: HealthyRepository,
    verdict: Verdict,
    issue: str,
    tests: Tree,
    shown: Tree,
) -> Core:
    return Core(
        goal=issue.strip(),
        facts={
            "repository": repository.name,
            "commit": repository.commit,
            "base_commit": commit_id(shown),
            "fail_to_pass": "\n".join(sorted(verdict.fail_to_pass)),
            "pass_to_pass": "\n".join(sorted(verdict.pass_to_pass)),
            **_base_image(repository.image),
        },
        grader_digest=tree_digest(tests),
        observables=("file:/workspace/**",),
        frozen={"repository": tree_digest(shown)},
    )


def _base_image(image: Image) -> dict[str, str]:
    engine = image.engine
    return {} if engine is None else {BASE_IMAGE: reference_of(engine)}


def _lineage(candidate: BugCandidate, issue: Issue) -> Lineage:
    spent = (candidate.cost, issue.cost)
    return Lineage(
        producer=candidate.inducer,
        seed=candidate.seed,
        origin={
            "repository": candidate.repository,
            "commit": candidate.commit,
            "candidate": candidate.candidate_id,
            "issue_writer": issue.writer,
            **({"issue_model": issue.model} if issue.model else {}),
            **({"issue_fallback": issue.fallback} if issue.fallback else {}),
        },
        plan=(candidate.operator,),
        bindings={"path": candidate.path, "line": str(candidate.line)},
        model=candidate.model,
        spent=Spending(
            tokens=sum(cost.tokens for cost in spent),
            seconds=sum(cost.seconds for cost in spent),
            usd=sum(cost.usd for cost in spent),
        ),
    )


def _allowance(target: Target) -> Allowance:
    suite = target.suite
    services_s = sum(service.ready_timeout_s for service in target.services)
    return Allowance(
        verifier_timeout_s=int(suite.suite_timeout_s + services_s) + _VERIFIER_SLACK_S,
        memory_mb=suite.memory_mb,
        disk_mb=suite.disk_mb,
        processes=suite.processes,
    )
