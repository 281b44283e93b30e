"""The tests folder of a SWE environment: hidden and visible tests, runner, plan.

Host side: decides which files an agent may see and packs what runs in the grading
sandbox. What happens there is in `inside`; how a suite is run is in `p2f`.
"""

import json
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePosixPath
from typing import Literal

from envplatform.errors import BundleError
from envplatform.swe.candidate import Verdict
from envplatform.swe.p2f.request import RunRequest, job_bytes, runner_tree
from envplatform.swe.targets.target import STEERING_FILES, Target
from envplatform.swe.targets.testfiles import files_of_tests
from envplatform.tree import File, Tree, tree_digest

_TEST_SH = b"""#!/bin/sh
# Exit status 0 means that /logs/verifier/reward.json is this script's word.
exec python3 -I -S -B "$(dirname "$0")/start.py"
"""


Assertions = Literal["plain", "rewritten"]
"""How `assert` in tests runs: as Python has it, or as pytest rewrites it to say more.

Rewriting is half the time of a small suite, and what it says no verdict needs. But a
test may be about these messages, so `rewritten` is there.
"""
_HOW = "--assert"


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTests:
    """The repository's test infrastructure, by what the agent gets to see."""

    hidden: Tree
    """Files with a test that the bug makes fail."""
    visible: Tree
    """All other tests, their data and settings."""


def split_tests(target: Target, tree: Tree, verdict: Verdict) -> SplitTests:
    """Take the test infrastructure out of the healthy `tree`.

    Raises:
        BundleError: a failing test lies in a file that is no test file, so hiding it
            would hide the code; or in none at all, as far as its id tells.
    """
    tests = {path: file for path, file in tree.items() if target.is_test_file(path)}
    places = files_of_tests(target, tree, verdict.fail_to_pass)
    misplaced = sorted(test for test, paths in places.items() if not paths)
    if misplaced or not places:
        what = (
            f"as {misplaced[0]}, which names no test file" if misplaced else "nowhere"
        )
        msg = f"{verdict.candidate_id}: its failing tests lie {what}"
        raise BundleError(msg)
    failing = {path for paths in places.values() for path in paths}
    return SplitTests(
        hidden={path: file for path, file in tests.items() if path in failing},
        visible={path: file for path, file in tests.items() if path not in failing},
    )


def verifier_tree(
    target: Target,
    split: SplitTests,
    verdict: Verdict,
    *,
    assertions: Assertions = "plain",
) -> Tree:
    """Everything that lies in /tests while grading."""
    plan: dict[str, object] = {
        "fail_to_pass": verdict.fail_to_pass,
        "pass_to_pass": verdict.pass_to_pass,
        "rules": infrastructure_rules(target),
    }
    if target.suite.results == "junit":
        plan["trap_folder"] = str(PurePosixPath(min(split.hidden)).parent)
    return {
        "test.sh": File(_TEST_SH, executable=True),
        "plan.json": File(_json(plan)),
        "job.json": File(_json(_job(target, verdict, assertions))),
        **_inside(),
        **_below("p2f", runner_tree()),
        **_below("hidden", split.hidden),
        **_below("visible", split.visible),
    }


def verifier_digest() -> str:
    """Digest of the code that every environment's verifier consists of."""
    return tree_digest({**_inside(), **_below("p2f", runner_tree())})


def infrastructure_rules(target: Target) -> dict[str, object]:
    """`target.is_test_file` as data, for `inside.restore.is_infrastructure`."""
    rules: dict[str, object] = {
        "steering": sorted(STEERING_FILES),
        "roots": list(target.code.roots),
        "exclude": list(target.code.exclude),
        "suite": list(target.suite.paths),
    }
    started = target.suite.command_files()
    return {**rules, "command": list(started)} if started else rules


def _job(target: Target, verdict: Verdict, assertions: Assertions) -> dict[str, object]:
    """The runner's job for all tests that decide; the grader adds nonce and trap."""
    request = RunRequest(
        ids=tuple(sorted({*verdict.fail_to_pass, *verdict.pass_to_pass})),
        keep_collecting=True,
        test_timeout_s=target.suite.test_timeout_s,
        suite_timeout_s=target.suite.suite_timeout_s,
    )
    job: dict[str, object] = json.loads(job_bytes(target, request, nonce=""))
    del job["nonce"]
    if target.suite.results == "junit":
        # The command runs all tests; ours, whose id nobody can know yet, is among them.
        return {**job, "ids": None, "unique_ids": True}
    chosen = any(word.startswith(_HOW) for word in target.suite.args)
    if assertions == "plain" and not chosen:
        job["args"] = [*target.suite.args, f"{_HOW}=plain"]
    return job


def _inside() -> dict[str, File]:
    folder = resources.files("envplatform.swe.verifier") / "inside"
    sources = {
        entry.name: File(entry.read_bytes())
        for entry in folder.iterdir()
        if entry.name.endswith(".py")
    }
    start = sources.pop("start.py")
    return {"start.py": start, **_below("envp_verifier", sources)}


def _below(folder: str, tree: Tree) -> dict[str, File]:
    return {f"{folder}/{path}": file for path, file in tree.items()}


def _json(value: object) -> bytes:
    return (json.dumps(value, sort_keys=True, indent=1) + "\n").encode()
