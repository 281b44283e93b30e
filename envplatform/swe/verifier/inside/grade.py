"""Grades /workspace and writes reward.json, or ends with a status other than 0."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .processes import hide, lesser_user, sweep
from .restore import remove, restore

LOGS = Path("/logs/verifier")
HOME = "/home/agent"
_GRACE_S = 30
_NO_SAY = {"forged", "inconsistent", "crashed"}
"""Endings after which single results mean nothing."""
_SHOWN = 50
_TRAP_CLASS = """import unittest


class {name}(unittest.TestCase):
    def {name}(self):
        self.assertEqual([], [0])
"""


class UnusableError(Exception):
    """No verdict can be given; the message says why."""


def main(here: Path) -> int:
    """Restore, run, sweep, write; in this order. `here` is where /tests lies."""
    hide()
    plan = json.loads((here / "plan.json").read_text(encoding="utf-8"))
    job = json.loads((here / "job.json").read_text(encoding="utf-8"))
    root = Path(job["root"])
    restore(root, [here / "visible", here / "hidden"], plan["rules"])
    trap = _set_trap(root, job, plan.get("trap_folder", ""))
    if job["results"] == "junit":
        remove(Path(job["report"]))  # of a run of the tests by whoever worked here
    try:
        result = _run(here / "p2f" / "start.py", job)
    except UnusableError as error:
        return _no_verdict(str(error))
    if not sweep():
        return _no_verdict("something in the workspace can't be ended")
    scores, details = score(result, plan, trap)
    if details["ending"] != "completed":
        sys.stderr.write(f"{details['ending']}: {details['detail']}\n")
    _write("details.json", details)
    _write("reward.json", scores)
    return 0


def _no_verdict(why: str) -> int:
    """Leave no reward: Harbor reads one whatever our status, and we wrote none."""
    sys.stderr.write(f"no verdict: {why}\n")
    sweep()
    for name in ("reward.json", "reward.txt"):
        left = LOGS / name
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(str(left))
        elif left.exists() or left.is_symlink():
            left.unlink()
    return 1


def score(
    result: dict[str, Any], plan: dict[str, Any], trap: str
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the scores by criterion, and what they rest on.

    `trap` is the name of a test that must fail, and a part of its id: where it does
    not, something changes results or leaves tests out, and none is believed.
    """
    outcomes: dict[str, str] = {}
    for done in result["executions"]:
        outcomes.setdefault(done["id"], done["outcome"])
    ending, detail = result["ending"], result["detail"]
    trapped = [how for test, how in outcomes.items() if trap in test]
    if ending == "completed" and trapped != ["failed"]:
        said = trapped[0] if trapped else "missing"
        ending, detail = "forged", f"a test of ours that must fail is {said}"
    if ending in _NO_SAY:
        outcomes = {}
    shares, missed = {}, {}
    for name in ("fail_to_pass", "pass_to_pass"):
        wanted = plan[name]
        found = {test: outcomes.get(test, "missing") for test in wanted}
        bad = {test: how for test, how in found.items() if how != "passed"}
        shares[name] = (len(wanted) - len(bad)) / len(wanted) if wanted else 1.0
        missed[name] = dict(sorted(bad.items())[:_SHOWN])
    solved = ending == "completed" and not any(missed.values())
    details = {"ending": ending, "detail": detail, "not_passed": missed}
    return {"reward": float(solved), **shares}, details


def _set_trap(root: Path, job: dict[str, Any], folder: str) -> str:
    """Add a test that always fails to the workspace and to the job.

    A command of the repository's own has to find it by itself: in `folder`, where it
    finds the tests that decide, and by a name that begins and ends as tests' do.
    """
    name = f"test_{os.urandom(6).hex()}"
    if job["results"] == "junit":
        file = Path(root, folder, f"{name}_test.py")
        file.write_text(_TRAP_CLASS.format(name=name), encoding="utf-8")
        return name
    text = f"def {name}():\n    assert [] == [0]\n"
    file = Path(job["directory"], f"{name}.py")
    file.write_text(text, encoding="utf-8")
    trap = f"{file.relative_to(root).as_posix()}::{name}"
    job["ids"].append(trap)
    job["paths"].append(str(file))
    return trap


def _run(start: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Have the runner run the suite.

    Raises:
        UnusableError: its word can't be had, or the image lacks pytest.
    """
    nonce = os.urandom(16).hex()
    services_s = sum(service["ready_timeout_s"] for service in job["services"])
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-B", str(start)],
            input=json.dumps({**job, "nonce": nonce}).encode(),
            stdout=subprocess.PIPE,
            timeout=job["run_timeout_s"] + services_s + _GRACE_S,
            check=False,
            env={**os.environ, "HOME": HOME},
            preexec_fn=lesser_user(Path(job["root"])),
        )
        result: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        msg = f"the runner gave no result ({error})"
        raise UnusableError(msg) from error
    if done.returncode != 0 or result.get("nonce") != nonce:
        msg = f"the runner ended with {done.returncode}"
        raise UnusableError(msg)
    if result["ending"] == "unusable" or not result["hidden"]:
        msg = result["detail"] or "the runner could not hide itself"
        raise UnusableError(msg)
    return result


def _write(name: str, content: dict[str, Any]) -> None:
    """Replace whatever lies there, a link included."""
    beside = LOGS / f"{name}.{os.urandom(6).hex()}"
    with beside.open("x", encoding="utf-8") as file:
        json.dump(content, file, sort_keys=True)
    beside.replace(LOGS / name)
