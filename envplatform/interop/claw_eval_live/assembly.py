"""One task as an environment: attachments in /workspace, its grader behind our adapter."""

import json
from base64 import b64encode
from dataclasses import dataclass, field
from importlib import resources

from envplatform.bundle import (
    Allowance,
    Core,
    Environment,
    Lineage,
    Permissions,
)
from envplatform.grading.sessions import image_reference
from envplatform.interop.claw_eval_live import oracle, services
from envplatform.interop.claw_eval_live.reading import FoundTask, TaskFile
from envplatform.sandbox.base import Image
from envplatform.tree import File, Tree, tree_digest

ANSWER = "FINAL_ANSWER.md"
"""Where the agent leaves what it would say; the adapter makes a message of it."""
BASE = "src/liveclaw_500/graders/base.py"
"""As deep as in the set: it looks for the set's root from its own place."""
_TEST = b"#!/bin/sh\nexec python3 -I -B /tests/grade.py\n"
_SOLVE = f"#!/bin/sh\nexec cp /solution/reference.md /workspace/{ANSWER}\n"
_CALLS = "#!/bin/sh\nws lines < /solution/requests.jsonl > /dev/null || exit 1\n"
_MOST_AGENT_S = 7200


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an environment is made from."""

    found: FoundTask
    file: TaskFile
    base: bytes
    """The set's base class of graders."""
    servers: Tree = field(default_factory=dict)
    """The set's mock servers."""
    verifier_timeout_s: int = 60


def assemble(source: Source, image: Image, *, floor: float = 0.0) -> Environment:
    """Return the environment.

    `floor`: completion that the grader gives for doing nothing; rewards start there.
    """
    file = source.file
    goal = _instruction(source)
    tests = _tests(source, floor)
    workspace = _workspace(source)
    return Environment(
        environment_id=f"claw_eval_live.{source.found.task_id}",
        pillar="res",
        instruction=goal,
        workspace=workspace,
        tests=tests,
        solution=_solution(source),
        image=image_reference(image),
        core=Core(
            goal=goal,
            facts={"judge": "none", "pass_mark": "0.75", "floor": str(floor)},
            grader_digest=tree_digest(tests),
            observables=_observables(file),
            frozen={"workspace": tree_digest(workspace)},
        ),
        lineage=Lineage(
            producer="import.claw_eval_live",
            seed=0,
            origin={"set": "Claw-Eval-Live", "task": source.found.task_id},
        ),
        criteria=("reward",),
        permissions=Permissions(operations=("list", "call"))
        if file.services
        else Permissions(),
        views=services.views(file),
        served=_served(source),
        description=f"{file.task_name} (Claw-Eval-Live, CC-BY-4.0)",
        labels={"license": "CC-BY-4.0", "scenario": file.category},
        allowance=Allowance(
            agent_timeout_s=min(file.environment.timeout_seconds, _MOST_AGENT_S),
            verifier_timeout_s=source.verifier_timeout_s,
        ),
    )


def _workspace(source: Source) -> dict[str, File]:
    """Return the agent's files: none of those that a service reads."""
    hidden = services.fixtures_of(source.file, source.found)
    files = {k: v for k, v in source.found.workspace.items() if k not in hidden}
    return files or {".keep": File(b"")}


def _served(source: Source) -> dict[str, File]:
    if not source.file.services:
        return {}
    return services.held(source.found, source.file, source.servers)


def _observables(file: TaskFile) -> tuple[str, ...]:
    seen = (f"file:/workspace/{ANSWER}",)
    return (*seen, *sorted(f"service:{one.name}" for one in file.services))


def _solution(source: Source) -> dict[str, File]:
    solve = _SOLVE
    found = {"reference.md": File(source.file.reference_solution.encode())}
    if source.file.services:
        requests = oracle.reading(source.found, source.file)
        found["requests.jsonl"] = File(requests)
        solve = _CALLS + _SOLVE.partition("\n")[2]
    return {"solve.sh": File(solve.encode(), executable=True), **found}


def _instruction(source: Source) -> str:
    file = source.file
    files = [path for path in _workspace(source) if path != ".keep"]
    places = "".join(f"- `{path}`\n" for path in files)
    told = f"\nThe attachments in your workspace:\n\n{places}" if places else ""
    return (
        f"{file.prompt.text.rstrip()}\n{told}{services.told(file)}\n"
        f"Write your final reply, whole, to `{ANSWER}`.\n"
    )


def _tests(source: Source, floor: float) -> dict[str, File]:
    adapter = resources.files(f"{__package__}.inside") / "grade.py"
    # A date in YAML is none in JSON; graders are given its text.
    raw = json.dumps(source.found.raw, default=str).encode()
    return {
        "test.sh": File(_TEST, executable=True),
        "grade.py": File(adapter.read_bytes()),
        "grader.py": File(source.found.grader),
        BASE: File(source.base),
        # Not as text: the gate objects to an instruction that quotes a grader's file.
        "task.b64": File(b64encode(raw)),
        "floor.json": File(json.dumps(floor).encode()),
    }
