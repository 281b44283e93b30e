"""The one commit that an agent finds: real git in a sandbox, and in gradings after it."""

import pytest

from envplatform.bundle import Environment, commit_id, without_repository
from envplatform.grading import (
    apply_solution,
    final_workspace,
    grade,
    open_environment,
)
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, Sandbox, SandboxProvider
from envplatform.tree import File
from tests.swe.small_repository import BUGGY, HEALTHY

NOTHING = {"reward": 0.0, "fail_to_pass": 0.0, "pass_to_pass": 1.0}


async def _git(sandbox: Sandbox, *argv: str) -> str:
    """What git says to the agent, standard error included."""
    done = await sandbox.exec(["git", *argv])
    if done.exit_code == 127:
        pytest.skip("this machine, or the base image, has no git for its sandboxes")
    assert done.exit_code == 0, done.stderr
    return (done.stdout + done.stderr).decode()


async def test_an_agent_finds_one_clean_commit_and_nothing_beside_it(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    async with open_environment(provider, environment, image=image) as opened:
        sandbox = opened.sandbox
        assert await _git(sandbox, "status", "--porcelain") == ""
        log = await _git(sandbox, "log", "--all", "--format=%H %an %ad %s")
        assert await _git(sandbox, "rev-list", "--all", "--count") == "1\n"
        assert await _git(sandbox, "fsck", "--full", "--strict") == ""
        for nothing in (("reflog",), ("stash", "list"), ("remote",), ("diff", "HEAD")):
            assert await _git(sandbox, *nothing) == ""
        branches = await _git(sandbox, "branch", "--all")
    shown = without_repository(environment.workspace)
    assert log.split()[0] == commit_id(shown)
    assert log.split()[0] == environment.core.facts["base_commit"]
    assert branches == "* main\n"


async def test_after_the_oracle_the_diff_is_the_bug_turned_round(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    async with open_environment(provider, environment, image=image) as opened:
        sandbox = opened.sandbox
        solve = await apply_solution(sandbox, environment)
        diff = await _git(sandbox, "diff", "--no-ext-diff")
        solved = await final_workspace(sandbox, environment)
    assert solve.exit_code == 0
    ours = diff_trees(BUGGY, HEALTHY)
    theirs = [ln for ln in diff.splitlines() if not ln.startswith(("index ", "@@"))]
    assert theirs == [ln for ln in ours.splitlines() if not ln.startswith("@@")]
    assert not any(path.startswith(".git") for path in solved)


MESS = """
set -e
cd /workspace
mkdir -p .git/hooks
printf '#!/bin/sh\\ntouch /workspace/ran\\n' > .git/hooks/post-checkout
chmod +x .git/hooks/post-checkout
git config core.fsmonitor 'touch /tmp/ran; false'
git config core.hooksPath .git/hooks
git checkout --quiet -b other
git add --all && git commit --quiet --allow-empty --message work
mkdir -p .git/objects/info && echo /elsewhere > .git/objects/info/alternates
"""


async def test_commits_and_hooks_of_an_agent_stay_behind(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    async with open_environment(provider, environment, image=image) as opened:
        sandbox = opened.sandbox
        await _git(sandbox, "--version")
        assert (await apply_solution(sandbox, environment)).exit_code == 0
        messed = await sandbox.exec(["sh", "-c", MESS])
        workspace = await final_workspace(sandbox, environment)
    assert messed.exit_code == 0, messed.stderr
    assert not any(path.startswith(".git/") for path in workspace)
    grading = await grade(provider, environment, workspace, image=image)
    assert grading.reward == 1.0


async def test_what_is_committed_and_not_there_counts_for_nothing(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    async with open_environment(provider, environment, image=image) as opened:
        sandbox = opened.sandbox
        await apply_solution(sandbox, environment)
        await _git(sandbox, "stash")
        workspace = await final_workspace(sandbox, environment)
    grading = await grade(provider, environment, workspace, image=image)
    assert dict(grading.components) == NOTHING


async def test_the_verifier_itself_takes_the_repository_away(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    """Other runners hand it all that lies in /workspace; tests may look for .git."""
    looks = b"\nimport os\nif os.path.lexists('/workspace/.git'): raise SystemExit\n"
    core = HEALTHY["spans/core.py"].data + looks
    workspace = {**environment.workspace, "spans/core.py": File(core)}
    grading = await grade(provider, environment, workspace, image=image)
    assert grading.reward == 1.0, grading
