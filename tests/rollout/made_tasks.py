"""A served task whose table the user replaces while it is being read."""

from dataclasses import replace

from envplatform.bundle import Environment
from envplatform.tree import File, tree_digest
from tests.rollout.made_user import user_environment

SOLVE = b"""#!/bin/sh
ws read table > /dev/null
ws say 'I have read it' > /dev/null
ws read table > out.csv
"""
VERIFIER = b"""#!/bin/sh
if grep -q 250 /workspace/out.csv 2>/dev/null; then right=1; else right=0; fi
echo "{\\"reward\\": $right}" > /logs/verifier/reward.json
"""


def table_task() -> Environment:
    """`out.csv` must be the table as it is after the user replaced it."""
    task = user_environment()
    tests = {"test.sh": File(VERIFIER, executable=True)}
    return replace(
        task,
        environment_id="table-task",
        tests=tests,
        core=replace(task.core, grader_digest=tree_digest(tests)),
        solution={"solve.sh": File(SOLVE, executable=True)},
    )
