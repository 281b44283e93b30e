"""Turn what a Harbor verifier left, reward.json or reward.txt, into our reward.json.

As Harbor does, the exit status of test.sh plays no part and JSON goes before text. The
reward is the key `reward`, the only key, or the mean of all. Exit status 5: no verdict.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).parent
LOGS = Path("/logs/verifier")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
MOST_SCORES = 200


def main() -> None:
    """Read, check, write."""
    scores = _found()
    wanted = json.loads((HERE / "criteria.json").read_text())
    mean = sum(scores.values()) / len(scores)
    reward = scores.pop("reward", 1.0 if mean == 1 else round(min(mean, 0.999999), 6))
    (LOGS / "scores.json").write_text(json.dumps({"reward": reward, **scores}))
    kept = {name: scores.get(name, 0.0) for name in wanted}
    (LOGS / "reward.json").write_text(json.dumps({"reward": reward, **kept}))


def _found() -> dict[str, float]:
    try:
        if (LOGS / "reward.json").is_file():
            found = json.loads((LOGS / "reward.json").read_text())
        else:
            found = float((LOGS / "reward.txt").read_text())
    except (OSError, ValueError, RecursionError) as error:
        _end(f"no reward.json or reward.txt that can be read: {error}")
    scores = found if isinstance(found, dict) else {"reward": found}
    if not 0 < len(scores) <= MOST_SCORES:
        _end(f"{len(scores)} scores; 1 to {MOST_SCORES} are needed")
    return {str(name): _score(str(name), value) for name, value in scores.items()}


def _score(name: str, value: object) -> float:
    if not NAME.fullmatch(name):
        _end(f"a score has the odd name {name[:80]!r}")
    if not isinstance(value, int | float) or not math.isfinite(value):
        _end(f"{name} is no number: {str(value)[:80]!r}")
    if not 0 <= value <= 1:
        _end(f"{name} is {str(value)[:80]}, not from 0 to 1")
    return float(value)


def _end(why: str) -> NoReturn:
    sys.stderr.write(f"\n{' '.join(why.split())[:300]}\n")
    raise SystemExit(5)


main()
