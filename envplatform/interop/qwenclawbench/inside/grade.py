"""Run a task's `grade(transcript, workspace_path)` and write reward.json.

Exit status 3: the code can't be loaded; 4: it broke; 5: what it returned are no scores.
None of these is a verdict. The mean is taken over numbers, as the set's runner does;
texts beside them are remarks.
"""

from __future__ import annotations

import json
import math
import re
import sys
from base64 import b64decode
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).parent
WORKSPACE = Path("/workspace")
REWARD = Path("/logs/verifier/reward.json")
SCORES = Path("/logs/verifier/scores.json")
ANSWER = "FINAL_ANSWER.md"
MOST_SCORES = 200
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


def main() -> None:
    """Grade what there is."""
    with redirect_stdout(sys.stderr):
        returned = _graded()
    scores = _scores(returned)
    wanted = json.loads((HERE / "criteria.json").read_text())
    scores = {**dict.fromkeys(wanted, 0.0), **scores}
    mean = sum(scores.values()) / len(scores)
    whole = 1.0 if min(scores.values()) == 1.0 else round(min(mean, 0.999999), 6)
    SCORES.write_text(json.dumps({"reward": whole, **scores}))
    kept = {name: scores[name] for name in wanted}
    REWARD.write_text(json.dumps({"reward": whole, **kept}))


def _graded() -> object:
    names: dict[str, Any] = {"__name__": "grader"}
    code = (HERE / "grader.py").read_text(encoding="utf-8")
    try:
        exec(compile(code, "grader.py", "exec"), names)  # noqa: S102  our whole purpose
        grade = names["grade"]
    except Exception as error:  # noqa: BLE001  whatever it is, it is the task's
        _end(3, f"grader.py can't be loaded: {type(error).__name__}: {error}")
    transcript = _transcript()
    try:
        return grade(transcript, str(WORKSPACE))
    except Exception as error:  # noqa: BLE001  as above
        _end(4, f"grade() raised {type(error).__name__}: {error}")


def _transcript() -> list[dict[str, Any]]:
    """What was asked and what was answered, in the form of the set's runner."""
    prompt = b64decode((HERE / "prompt.b64").read_bytes()).decode()
    said = [("user", prompt)]
    answer = WORKSPACE / ANSWER
    if answer.is_file() and not answer.is_symlink():
        text = answer.read_text(encoding="utf-8", errors="replace")
        said.append(("assistant", text))
        answer.unlink()
    return [
        {
            "type": "message",
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for role, text in said
    ]


def _scores(returned: object) -> dict[str, float]:
    if not isinstance(returned, dict) or not 0 < len(returned) <= MOST_SCORES:
        what = f"{type(returned).__name__} of {_length(returned)}"
        _end(5, f"grade() returned {what}; 1 to {MOST_SCORES} scores are needed")
    found: dict[str, float] = {}
    for name, value in returned.items():
        if isinstance(value, str):
            continue
        if not isinstance(name, str) or not NAME.fullmatch(name) or name == "reward":
            _end(5, f"grade() returned a score of the odd name {str(name)[:80]!r}")
        if not isinstance(value, int | float) or not math.isfinite(value):
            _end(5, f"grade() returned no number for {name}: {str(value)[:80]!r}")
        if not 0 <= value <= 1:
            _end(5, f"grade() returned {str(value)[:80]} for {name}, not 0 to 1")
        found[name] = float(value)
    if not found:
        _end(5, "grade() returned no number at all")
    return found


def _length(value: object) -> str:
    return str(len(value)) if hasattr(value, "__len__") else "no length"


def _end(status: int, why: str) -> NoReturn:
    sys.stderr.write(f"\n{' '.join(why.split())[:300]}\n")
    raise SystemExit(status)


main()
