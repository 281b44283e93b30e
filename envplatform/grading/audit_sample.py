"""A sample of judged states for a person to score, and the scores read back.

One JSON object a line. It holds the rubric, the work and an empty `human_score`; not
the name of the state, nor any score, so that nobody is led. Work is text of strangers:
a viewer must show it as text.
"""

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import ConfigError
from envplatform.grading.calibration import Calibration, ControlledState
from envplatform.grading.judge import MAX_CHARACTERS, Rubric


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    state_id: str
    rubric: str
    work: dict[str, str]
    human_score: float | None = Field(ge=0, le=1, allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanAudit:
    """How far judge and code are from a person. A distance is None without a score."""

    scored: int
    left_open: int
    """Lines that nobody scored."""
    problems: tuple[str, ...]
    """Lines that could not be used, with file, line and reason."""
    judge_error: float | None
    """Mean of |judge - person|, 0 to 1."""
    code_error: float | None
    """Mean of |code - person|, 0 to 1."""


def audit_lines(
    states: Sequence[ControlledState], rubric: Rubric, *, size: int, seed: int = 0
) -> str:
    """Return a sample of at most `size` states, in an order that tells nothing.

    States that look alike to who reads the rubric's files are one.
    """
    chance = random.Random(f"audit {seed}")  # noqa: S311  no secret
    unlike = {state_id(state, rubric): state for state in states}
    drawn = chance.sample(list(unlike.values()), min(size, len(unlike)))
    lines = [
        {
            "state_id": state_id(state, rubric),
            "rubric": rubric.text,
            "work": {path: _shown(state.work.get(path)) for path in rubric.paths},
            "human_score": None,
        }
        for state in drawn
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=True)}\n" for line in lines)


def read_audit(
    path: Path,
    calibration: Calibration,
    states: Sequence[ControlledState],
    rubric: Rubric,
) -> HumanAudit:
    """Compare a person's scores with judge and code; a bad line costs no other.

    Raises:
        ConfigError: the file can't be read.
    """
    judged = {one.name: one for one in calibration.states}
    known = {state_id(state, rubric): judged[state.name] for state in states}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} can't be read: {error}"
        raise ConfigError(msg) from error
    scores: dict[str, float] = {}
    problems, left_open = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        parsed = _parsed(line, known)
        if isinstance(parsed, str):
            problems.append(f"{path}:{number}: {parsed}")
        elif parsed.human_score is None:
            left_open += 1
        elif parsed.state_id in scores:
            problems.append(f"{path}:{number}: this state was scored further up")
        else:
            scores[parsed.state_id] = parsed.human_score
    pairs = [(known[name], score) for name, score in scores.items()]
    return HumanAudit(
        scored=len(pairs),
        left_open=left_open,
        problems=tuple(problems),
        judge_error=_mean([abs(one.judge - score) for one, score in pairs]),
        code_error=_mean([abs(one.code - score) for one, score in pairs]),
    )


def state_id(state: ControlledState, rubric: Rubric) -> str:
    """Return what names a state to a person: a digest of what there is to see."""
    digest = hashlib.sha256(rubric.text.encode("utf-8", "surrogatepass"))
    for path in rubric.paths:
        content = hashlib.sha256(state.work.get(path, b"")).hexdigest()
        is_there = path in state.work
        digest.update(f"\0{path}\0{is_there}\0{content}".encode())
    return digest.hexdigest()[:16]


def _parsed(line: str, known: Mapping[str, object]) -> _Line | str:
    try:
        parsed = _Line.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "line"
        return f"{where}: {first['msg']}"
    if parsed.state_id not in known:
        return f"state_id {parsed.state_id[:40]!r} is none of this calibration's"
    return parsed


def _shown(data: bytes | None) -> str:
    if data is None:
        return "(missing)"
    text = data.decode("utf-8", "replace")
    cut = " (cut)" if len(text) > MAX_CHARACTERS else ""
    return f"{text[:MAX_CHARACTERS]}{cut}"


def _mean(values: Sequence[float]) -> float | None:
    return round(mean(values), 4) if values else None
