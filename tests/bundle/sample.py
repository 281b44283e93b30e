"""One tiny environment, complete enough to be opened, solved and graded."""

from envplatform.bundle import (
    CheckResult,
    Core,
    Environment,
    ImageReference,
    Lineage,
    Spending,
)
from envplatform.tree import File, Tree, tree_digest

WORKSPACE = {
    "answer.txt": File(b"41\n"),
    "bin/run": File(b"#!/bin/sh\n", executable=True),
}
TESTS = {
    "test.sh": File(
        b"""#!/bin/sh
if [ "$(cat /workspace/answer.txt)" = 42 ]; then right=1; else right=0; fi
echo "{\\"reward\\": $right}" > /logs/verifier/reward.json
""",
        executable=True,
    )
}
SOLUTION = {
    "solve.sh": File(b"#!/bin/sh\necho 42 > /workspace/answer.txt\n", executable=True)
}


def sample_environment(
    *, workspace: Tree = WORKSPACE, tests: Tree = TESTS, solution: Tree = SOLUTION
) -> Environment:
    """An environment whose answer.txt must be made to say 42."""
    goal = "answer.txt must hold the answer.\n"
    return Environment(
        environment_id="sample",
        pillar="swe",
        instruction=goal,
        workspace=workspace,
        tests=tests,
        solution=solution,
        image=ImageReference(
            name="bare", python="3.11", requirements=(), digest="0" * 64
        ),
        core=Core(
            goal=goal,
            facts={"answer": "a number"},
            grader_digest=tree_digest(tests),
            observables=("file:/workspace/answer.txt",),
            frozen={"workspace": tree_digest(workspace)},
        ),
        lineage=Lineage(
            producer="hand", seed=7, spent=Spending(tokens=3, seconds=0.5, usd=0.01)
        ),
        description='A "quoted" \\ description',
        labels={"difficulty": "low"},
        audit=(CheckResult(name="reset", status="passed", evidence="equal"),),
    )
