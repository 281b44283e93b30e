"""One task as an environment: attachments in /workspace, its grader behind our adapter.

Or, for RES, with its evidence served by itself (`records`).
"""

import json
from base64 import b64encode
from dataclasses import dataclass, field
from importlib import resources
from typing import Literal

from envplatform.bundle import (
    SOLVE_SCRIPT,
    Allowance,
    Core,
    Environment,
    Lineage,
    Permissions,
    Provider,
)
from envplatform.bundle.environment import Operation
from envplatform.grading.sessions import image_reference
from envplatform.interop.claw_eval_live import oracle, records, services
from envplatform.interop.claw_eval_live.reading import FoundTask, TaskFile
from envplatform.interop.claw_eval_live.records import Evidence
from envplatform.sandbox.base import Image
from envplatform.tree import File, Tree, tree_digest
from envplatform.ws import Request
from envplatform.ws.wire import encode_request

ANSWER = "FINAL_ANSWER.md"
"""Where the agent leaves what it would say; the adapter makes a message of it."""
BASE = "src/liveclaw_500/graders/base.py"
"""As deep as in the set: it looks for the set's root from its own place."""
_TEST = b"#!/bin/sh\nexec python3 -I -B /tests/grade.py\n"
_SOLVE = f"exec cp /solution/reference.md /workspace/{ANSWER}\n"
_CALLS = "ws lines < /solution/requests.jsonl > /dev/null || exit 1\n"
_APPEND = "exec python3 -I -B /solution/appendix.py\n"
_LAY_DOWN = "exec cp -R /solution/files/. /workspace/\n"
_MOST_AGENT_S = 7200


Reply = Literal["reference", "reference_and_records", "records"]
"""`records`: all that tools and records tell. By themselves they solve nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an environment is made from."""

    found: FoundTask
    file: TaskFile
    base: bytes
    """The set's base class of graders."""
    servers: Tree = field(default_factory=dict)
    """The set's mock servers."""
    solution: Tree | None = None
    """Files as they should be in the end, or a `solve.sh`; None: the set's reference."""
    reply: Reply = "reference"
    """What the oracle replies where no solution is given."""
    serves_evidence: bool = False
    """Whether attachments and records have names of their own, so that RES can work."""
    verifier_timeout_s: int = 60

    def evidence(self) -> tuple[Evidence, ...]:
        """Return what is served by itself; empty where nothing is asked for or can be."""
        if not self.serves_evidence:
            return ()
        fixtures = services.fixtures_of(self.file, self.found)
        return (
            *records.attachments(_attached(self)),
            *records.records(self.found, fixtures),
        )


def assemble(source: Source, image: Image, *, floor: float = 0.0) -> Environment:
    """Return the environment.

    `floor`: completion that the grader gives for doing nothing; rewards start there.
    """
    file, evidence = source.file, source.evidence()
    goal = _instruction(source)
    tests = _tests(source, floor)
    workspace = _workspace(source)
    served = _served(source)
    suffix = ".served" if evidence else ""
    return Environment(
        environment_id=f"claw_eval_live.{source.found.task_id}{suffix}",
        pillar="res",
        instruction=goal,
        workspace=workspace,
        tests=tests,
        solution=_solution(source),
        image=image_reference(image),
        core=Core(
            goal=goal,
            facts={"judge": "none", "pass_mark": "0.75", "floor": str(floor)}
            | {"oracle": source.reply if source.solution is None else "given"},
            grader_digest=tree_digest(tests),
            observables=_observables(file),
            frozen=_frozen(evidence, served) or {"workspace": tree_digest(workspace)},
            transformable=tuple(sorted(one.resource.name for one in evidence)),
        ),
        lineage=Lineage(
            producer="import.claw_eval_live",
            seed=0,
            origin={"set": "Claw-Eval-Live", "task": source.found.task_id},
        ),
        criteria=("reward",),
        permissions=_permissions(file, evidence),
        providers=(Provider(name=records.FILES, kind="file"),) if evidence else (),
        resources=tuple(one.resource for one in evidence),
        views=(*services.views(file), *(one.view for one in evidence)),
        served=served,
        description=f"{file.task_name} (Claw-Eval-Live, CC-BY-4.0)",
        labels={"license": "CC-BY-4.0", "scenario": file.category},
        allowance=Allowance(
            agent_timeout_s=min(file.environment.timeout_seconds, _MOST_AGENT_S),
            verifier_timeout_s=source.verifier_timeout_s,
        ),
    )


def _permissions(file: TaskFile, evidence: tuple[Evidence, ...]) -> Permissions:
    operations: list[Operation] = ["list"]
    operations += ["read"] if evidence else []
    operations += ["call"] if file.services else []
    # Without views nobody can be asked, and what may be is as in any environment.
    return (
        Permissions(operations=tuple(operations)) if operations[1:] else Permissions()
    )


def _frozen(evidence: tuple[Evidence, ...], served: Tree) -> dict[str, str]:
    return {
        one.resource.name: tree_digest({one.location: served[one.location]})
        for one in evidence
    }


def _attached(source: Source) -> dict[str, File]:
    """Return the agent's files as the set has them: none of those that a service reads."""
    hidden = services.fixtures_of(source.file, source.found)
    return {k: v for k, v in source.found.workspace.items() if k not in hidden}


def _workspace(source: Source) -> dict[str, File]:
    files = {} if source.serves_evidence else _attached(source)
    return files or {".keep": File(b"")}


def _served(source: Source) -> dict[str, File]:
    evidence = source.evidence()
    held = {
        one.location: source.found.workspace[one.path]
        for one in evidence
        if not one.key
    }
    if source.file.services:
        held |= services.held(source.found, source.file, source.servers, evidence)
    return held


def _observables(file: TaskFile) -> tuple[str, ...]:
    seen = (f"file:/workspace/{ANSWER}",)
    return (*seen, *sorted(f"service:{one.name}" for one in file.services))


def _solution(source: Source) -> dict[str, File]:
    requests = _requests(source)
    asked = {"requests.jsonl": File(requests)} if requests else {}
    if source.solution is not None:
        return _given(source.solution, asked)
    told = "" if source.reply == "records" else source.file.reference_solution
    kept = {"reference.md": File(told.encode()), **asked}
    if source.reply == "reference":
        return {**kept, **_script((_CALLS if asked else "") + _SOLVE)}
    appendix = resources.files(f"{__package__}.inside") / "appendix.py"
    return {**kept, "appendix.py": File(appendix.read_bytes()), **_script(_APPEND)}


def _given(solution: Tree, asked: dict[str, File]) -> dict[str, File]:
    if SOLVE_SCRIPT in solution:
        solve = File(solution[SOLVE_SCRIPT].data, executable=True)
        return {**solution, SOLVE_SCRIPT: solve}
    laid = {f"files/{path}": file for path, file in solution.items()}
    return {**laid, **asked, **_script((_CALLS if asked else "") + _LAY_DOWN)}


def _script(lines: str) -> dict[str, File]:
    return {SOLVE_SCRIPT: File(f"#!/bin/sh\n{lines}".encode(), executable=True)}


def _requests(source: Source) -> bytes:
    """Return all that an oracle asks: tools that read, and evidence by its names."""
    tools = oracle.reading(source.found, source.file) if source.file.services else b""
    reads = (Request("read", {"name": one.name}) for one in source.evidence())
    return tools + b"".join(map(encode_request, reads))


def _instruction(source: Source) -> str:
    file, evidence = source.file, source.evidence()
    files = [path for path in _workspace(source) if path != ".keep"]
    places = "".join(f"- `{path}`\n" for path in files)
    attached = f"\nThe attachments in your workspace:\n\n{places}" if places else ""
    return (
        f"{file.prompt.text.rstrip()}\n{attached}{services.told(file)}"
        f"{records.told(evidence)}\nWrite your final reply, whole, to `{ANSWER}`.\n"
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
