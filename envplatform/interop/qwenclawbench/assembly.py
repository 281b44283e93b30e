"""One task as an environment: its files in /workspace, its `grade` behind our adapter."""

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from envplatform.bundle import (
    Allowance,
    Core,
    Environment,
    Lineage,
    without_repository,
)
from envplatform.grading.sessions import image_reference
from envplatform.interop.qwenclawbench.inspection import Inspection
from envplatform.interop.qwenclawbench.markdown import TaskText
from envplatform.sandbox.base import Image
from envplatform.tree import File, Tree, tree_digest

ANSWER = "FINAL_ANSWER.md"
"""Where the agent leaves what it would say; the adapter makes a transcript of it."""
SOLVE = "solve.sh"
_MOST_AGENT_S = 7200
_TEST = b"""\
#!/bin/sh
# Not -I: packages that graders import lie on PYTHONPATH.
exec python3 -s -B /tests/grade.py
"""
_LAY_DOWN = b"#!/bin/sh\nexec cp -R /solution/files/. /workspace/\n"
_NONE = b"#!/bin/sh\necho 'no solution is known' >&2\nexit 1\n"
_SAY = f"""

Besides, write what you would tell the user at the end to `{ANSWER}`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an environment is made from."""

    text: TaskText
    seen: Inspection
    workspace: Tree
    license_text: bytes = b""
    """Of the set; empty where it came without one."""
    verifier_timeout_s: int = 120


def assemble(
    source: Source,
    image: Image,
    *,
    solution: Tree | None = None,
    criteria: Sequence[str] = (),
) -> Environment:
    """Return the environment.

    `solution`: files as they should be in the end, or a `solve.sh` with what it needs.
    `criteria`: names of the grader's scores, as far as they are known.
    """
    text, seen = source.text, source.seen
    goal = text.prompt + (_SAY if seen.reads_transcript else "\n")
    tests = _tests(source, criteria)
    files = without_repository(source.workspace) or {".keep": File(b"")}
    return Environment(
        environment_id=f"qwenclawbench.{text.front.id}",
        pillar="res",
        instruction=goal,
        workspace=files,
        tests=tests,
        solution=_solution(solution),
        image=image_reference(image),
        core=Core(
            goal=goal,
            facts=_facts(text, seen),
            grader_digest=tree_digest(tests),
            observables=("file:/workspace/**",),
            frozen={"workspace": tree_digest(files)},
        ),
        lineage=Lineage(
            producer="import.qwenclawbench", seed=0, origin={"task": text.front.id}
        ),
        criteria=("reward", *criteria),
        description=f"{text.front.name} (QwenClawBench)",
        labels={"license": "MIT", "scenario": text.front.category},
        allowance=Allowance(
            agent_timeout_s=min(text.front.timeout_seconds, _MOST_AGENT_S),
            verifier_timeout_s=source.verifier_timeout_s,
        ),
    )


def _facts(text: TaskText, seen: Inspection) -> dict[str, str]:
    weights = text.front.grading_weights or {}
    return {
        "judge": "none",
        "original_grading": text.front.grading_type,
        "original_weights": json.dumps(weights, sort_keys=True),
        "transcript": f"prompt and {ANSWER}" if seen.reads_transcript else "not read",
    }


def _tests(source: Source, criteria: Sequence[str]) -> Tree:
    text = source.text
    adapter = resources.files(f"{__package__}.inside") / "grade.py"
    tests = {
        "test.sh": File(_TEST, executable=True),
        "grade.py": File(adapter.read_bytes()),
        "grader.py": File(text.code.encode()),
        # Not as text: the gate rightly objects to an instruction that quotes a
        # grader's file; here it is the file that quotes the instruction.
        "prompt.b64": File(b64encode(text.prompt.encode())),
        "criteria.json": File(json.dumps(list(criteria)).encode()),
    }
    rubric = text.sections.get("LLM Judge Rubric", "")
    if rubric:
        tests["rubric.md"] = File(rubric.encode())
    if source.license_text:
        tests["LICENSE"] = File(source.license_text)
    return tests


def _solution(given: Tree | None) -> dict[str, File]:
    if given is None:
        return {SOLVE: File(_NONE, executable=True)}
    if SOLVE in given:
        return {**given, SOLVE: File(given[SOLVE].data, executable=True)}
    laid = {f"files/{path}": file for path, file in given.items()}
    return {SOLVE: File(_LAY_DOWN, executable=True), **laid}
