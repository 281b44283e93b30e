"""Run a task's own grader class on the final answer and write reward.json.

The set's models stand on pydantic; graders only read and set attributes, so plain
objects take their place and any image with Python will do. No judge is passed: the
graders fall back to their deterministic part.

Exit status 3: the code can't be loaded; 4: it broke; 5: what it returned are no scores.
None of these is a verdict.
"""

from __future__ import annotations

import inspect
import json
import math
import sys
from base64 import b64decode
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn
from urllib.parse import urlsplit

HERE = Path(__file__).parent
ANSWER = Path("/workspace/FINAL_ANSWER.md")
HELD = Path("/logs/ws/held")
"""What the broker had in the end; nothing where there are no services."""
REWARD = Path("/logs/verifier/reward.json")
SCORES = Path("/logs/verifier/scores.json")
PASS_MARK = 0.75
DIMENSIONS = ("completion", "robustness", "communication", "safety")
PACKAGE = "liveclaw_500"


class DimensionScores(SimpleNamespace):
    """What a grader fills in; their defaults."""

    def __init__(self, **given: Any) -> None:  # noqa: ANN401  whatever they set
        usual = {**dict.fromkeys(DIMENSIONS, 0.0), "safety": 1.0}
        super().__init__(**{**usual, **given})


def main() -> None:
    """Grade what there is."""
    with redirect_stdout(sys.stderr):
        returned = _graded()
    scores = {name: _score(returned, name) for name in DIMENSIONS}
    floor = json.loads((HERE / "floor.json").read_text())
    reward = _reward(round(scores["completion"], 4), floor)
    # The dimensions stay beside the reward: a reference that passes is seldom at 1 in
    # each of them, and the reward's criteria are what an oracle has to reach.
    SCORES.write_text(json.dumps({"reward": reward, **scores}))
    REWARD.write_text(json.dumps({"reward": reward}))


def _reward(completion: float, floor: float) -> float:
    """1 from the set's pass mark on; below it the share of the way from the floor."""
    if completion >= PASS_MARK:
        return 1.0
    share = (completion - floor) / (PASS_MARK - floor)
    return round(min(max(share, 0.0), 0.999999), 6)


def _graded() -> object:
    try:
        _stand_in()
        module = _load("task_grader", HERE / "grader.py")
        grader: Any = next(
            found
            for _, found in inspect.getmembers(module, inspect.isclass)
            if found.__module__ == module.__name__ and hasattr(found, "grade")
        )()
    except StopIteration:
        _end(3, "grader.py holds no class with a method grade")
    except BaseException as error:  # noqa: BLE001  an exit at import is no verdict
        _end(3, f"grader.py can't be loaded: {type(error).__name__}: {error}")
    task = json.loads(b64decode((HERE / "task.b64").read_bytes()), object_hook=_object)
    try:
        return grader.grade(
            messages=_messages(task.prompt.text),
            dispatches=_dispatches(task),
            task=task,
            audit_data=_audit_data(),
            judge=None,
            media_events=[],
            env_snapshot={},
        )
    except BaseException as error:  # noqa: BLE001  as above
        _end(4, f"grade() raised {type(error).__name__}: {error}")


def _stand_in() -> None:
    """Give graders the names that they import; only their own base class is theirs."""
    plain = type("Plain", (SimpleNamespace,), {})
    names = ("TaskDefinition", "MediaLoad", "ToolDispatch", "TraceMessage")
    models = {**dict.fromkeys(names, plain), "DimensionScores": DimensionScores}
    for name in ("", ".models", ".models.task", ".models.trace", ".graders"):
        module = ModuleType(PACKAGE + name)
        module.__path__ = []
        vars(module).update(models)
        sys.modules[PACKAGE + name] = module
    base = HERE / "src" / PACKAGE / "graders" / "base.py"
    _load(f"{PACKAGE}.graders.base", base)


def _load(name: str, path: Path) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = str(path)
    module.__package__ = name.rpartition(".")[0]
    sys.modules[name] = module
    code = path.read_text(encoding="utf-8")
    exec(compile(code, path.name, "exec"), vars(module))  # noqa: S102  our whole purpose
    return module


def _messages(prompt: str) -> list[SimpleNamespace]:
    said = [("user", prompt)]
    if ANSWER.is_file() and not ANSWER.is_symlink():
        text = ANSWER.read_text(encoding="utf-8", errors="replace")
        said.append(("assistant", text))
    return [
        SimpleNamespace(
            message=SimpleNamespace(
                role=role, text=text, content=[SimpleNamespace(type="text", text=text)]
            )
        )
        for role, text in said
    ]


def _dispatches(task: Any) -> list[SimpleNamespace]:  # noqa: ANN401  theirs
    """What went through the fronts of services, service by service, under tool names.

    Bodies stay plain JSON, as in the set's own trace.
    """
    tools: dict[tuple[str, str], tuple[str, str]] = {}
    for end in getattr(task, "tool_endpoints", []):
        key = getattr(end, "method", "POST"), urlsplit(end.url).path
        tools.setdefault(key, (end.tool_name, end.url))
    said = [
        json.loads(line)
        for path in sorted(HELD.glob("record/*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [
        SimpleNamespace(
            type="tool_dispatch",
            tool_use_id=f"call_{number}",
            tool_name=tools[one["method"], one["path"]][0],
            endpoint_url=tools[one["method"], one["path"]][1],
            request_body=one["request"],
            response_status=one["status"],
            response_body=one["response"],
            latency_ms=0.0,
        )
        for number, one in enumerate(said)
        if (one["method"], one["path"]) in tools
    ]


def _audit_data() -> dict[str, Any]:
    """What each service says of itself, as it stood after the last request."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(HELD.glob("audit/*.json"))
    }


def _object(found: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(**found)


def _score(returned: object, name: str) -> float:
    value = getattr(returned, name, None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        _end(5, f"grade() returned no number for {name}: {str(value)[:80]!r}")
    if not math.isfinite(value) or not 0 <= value <= 1:
        _end(5, f"grade() returned {str(value)[:80]} for {name}, not 0 to 1")
    return float(value)


def _end(status: int, why: str) -> NoReturn:
    sys.stderr.write(f"\n{' '.join(why.split())[:300]}\n")
    raise SystemExit(status)


main()
