"""Made environments and evidence for the gate's checks: one table to write, one to read."""

from dataclasses import replace

from envplatform.bundle import (
    Environment,
    ImageReference,
    Permissions,
    Provider,
    Resource,
    View,
)
from envplatform.grading import Final, Grading
from envplatform.grading.broker import Served
from envplatform.grading.evidence import Evidence
from envplatform.sandbox.base import ExecResult, Image
from envplatform.tree import File, Tree, tree_digest
from tests.bundle.sample import sample_environment

PRICES = b"item,cents\nbolt,120\nnut,80\nwasher,35\nrivet,61\n"
GRADER = """\
import csv, json, pathlib
held = pathlib.Path("/logs/ws/held/prices.csv")
rows = list(csv.DictReader(held.open())) if held.exists() else []
wanted = {row["item"]: str(2 * int(row["cents"])) for row in rows}
try:
    given = list(csv.DictReader(open("/workspace/total.csv")))
    found = {row["thing"]: row["double"] for row in given}
except (OSError, KeyError):
    given, found = [], {}
right = sum(found.get(k) == v for k, v in wanted.items()) / max(1, len(wanted))
form = float(list(found) == list(wanted) and len(given) == len(wanted) > 0)
"""
SCORES = """\
scores = {"right": right, "form": form}
scores["reward"] = (right + form) / 2
pathlib.Path("/logs/verifier/reward.json").write_text(json.dumps(scores))
"""
SOLVE = """\
#!/bin/sh
set -eu
ws read prices.csv > /tmp/prices
awk -F, 'NR == 1 {print "thing,double"} NR > 1 {print $1 "," 2 * $2}' /tmp/prices \\
  > /workspace/total.csv
"""


def priced(
    image: Image, *, grader: str = GRADER + SCORES, solve: str = SOLVE
) -> Environment:
    """An environment that serves prices and wants each of them doubled."""
    tests = {
        "test.sh": File(
            b"#!/bin/sh\nexec python3 -I /tests/grade.py\n", executable=True
        ),
        "grade.py": File(grader.encode()),
    }
    base = sample_environment(
        tests=tests, solution={"solve.sh": File(solve.encode(), executable=True)}
    )
    return replace(
        base,
        criteria=("reward", "right", "form"),
        workspace={"README.md": File(b"Prices are served.\n")},
        image=ImageReference(
            name=image.name,
            python=image.python,
            requirements=(),
            digest=image.digest,
        ),
        core=replace(base.core, grader_digest=tree_digest(tests)),
        providers=(Provider(name="files", kind="file"),),
        resources=(
            Resource(
                name="prices",
                kind="content",
                provider="files",
                location="prices.csv",
            ),
        ),
        views=(View(name="prices.csv", kind="content", source="prices"),),
        served={"prices.csv": File(PRICES)},
        permissions=Permissions(operations=("list", "read")),
    )


def grading(reward: float | None = 1.0, **components: float) -> Grading:
    """What a verifier said."""
    scores = {} if reward is None else {"reward": reward, **components}
    return Grading(
        environment_digest="0" * 64,
        reward=reward,
        components=scores,
        failure="reward_missing" if reward is None else None,
        log="",
        seconds=0.1,
        sandbox="bubblewrap 0",
    )


def solved(exit_code: int = 0) -> ExecResult:
    """How solve.sh ended."""
    return ExecResult(
        ending="exited",
        exit_code=exit_code,
        stdout=b"",
        stderr=b"",
        truncated=False,
        seconds=0.1,
    )


def evidence_of(
    environment: Environment,
    workspace: Tree,
    *,
    served: Served | None = None,
    oracle: float = 1.0,
    exit_code: int = 0,
) -> Evidence:
    """Evidence of an oracle that left `workspace`."""
    beginning = Served(held=environment.served, log=b"", state=b"{}\n")
    untouched = Final(
        workspace=environment.workspace, served=beginning if served else None
    )
    return Evidence(
        environment=environment,
        solved=workspace,
        solved_served=served,
        solve=solved(exit_code),
        oracle=(grading(oracle),) * 3,
        nop=(grading(0.0),) * 3,
        untouched=untouched,
    )


def on(image: Image, environment: Environment) -> Environment:
    """The same environment, on `image`."""
    reference = replace(environment.image, digest=image.digest)
    return replace(environment, image=reference)
