"""A tiny environment with a real bug, and the parts that rollout tests share."""

import json
from dataclasses import replace

from envplatform.bundle import Allowance, Core, Environment, ImageReference, Lineage
from envplatform.llm.chat import ToolCall
from envplatform.sandbox.base import ExecResult, Image
from envplatform.tree import File, tree_digest

IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)

BUGGY = b"def add(a, b):\n    return a - b\n"
FIX = "sed -i 's/a - b/a + b/' calc.py"
CHECK = b"""
import json, pathlib, sys
sys.path.insert(0, "/workspace")
import calc
right = calc.add(2, 3) == 5
pathlib.Path("/logs/verifier/reward.json").write_text(json.dumps({"reward": int(right)}))
"""


def tiny_environment(*, allowance: Allowance = Allowance()) -> Environment:  # noqa: B008  frozen
    """`calc.add` subtracts; the hidden test wants a sum."""
    tests = {
        "test.sh": File(b"#!/bin/sh\nexec python3 /tests/check.py\n", executable=True),
        "check.py": File(CHECK),
    }
    solution = {"solve.sh": File(f"#!/bin/sh\n{FIX}\n".encode(), executable=True)}
    workspace = {"calc.py": File(BUGGY)}
    goal = "`add` in calc.py returns wrong sums. Fix it.\n"
    return Environment(
        environment_id="tiny",
        pillar="swe",
        instruction=goal,
        workspace=workspace,
        tests=tests,
        solution=solution,
        image=ImageReference(
            name=IMAGE.name, python=IMAGE.python, requirements=(), digest=IMAGE.digest
        ),
        core=Core(
            goal=goal,
            facts={},
            grader_digest=tree_digest(tests),
            observables=("file:/workspace/**",),
            frozen={},
        ),
        lineage=Lineage(producer="hand", seed=0),
        allowance=allowance,
    )


def without_tools(environment: Environment) -> Environment:
    """The same, but its permissions allow no tool."""
    permissions = replace(environment.permissions, tools=())
    return replace(environment, permissions=permissions)


def shell(command: str, call_id: str = "call-1") -> ToolCall:
    """A well-formed call of the shell."""
    return ToolCall(
        call_id=call_id, name="shell", arguments=json.dumps({"command": command})
    )


SUBMIT = ToolCall(call_id="call-end", name="submit", arguments="{}")


def ran(stdout: bytes = b"") -> ExecResult:
    """A command that ended well."""
    return ExecResult(
        ending="exited",
        exit_code=0,
        stdout=stdout,
        stderr=b"",
        truncated=False,
        seconds=0.5,
    )
