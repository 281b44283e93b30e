"""Grade the note, then have the code graded, and write one reward.json out of both.

The note first: once code under test has run, nothing is read any more but what the
code's own grader wrote, which ends all that was started before it writes. The reward is
0 while the code's own is not 1; then half of it is the repair's and half the note's.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from seedlib import Final  # noqa: E402  the folder must be on the path first
from verifier import CRITERIA  # noqa: E402

REWARD = Path("/logs/verifier/reward.json")
_PR_SET_DUMPABLE = 4


def main() -> int:
    """Return the exit status: other than 0 where there is no verdict."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    note = _note()
    ended = subprocess.run(["bash", str(HERE / "code" / "test.sh")], check=False)
    if ended.returncode != 0:
        REWARD.unlink(missing_ok=True)
        return ended.returncode if ended.returncode > 0 else 1
    code = json.loads(REWARD.read_bytes())
    _write({**code, **note, "reward": _whole(code["reward"], note)})
    return 0


def _note() -> dict[str, float]:
    final, scores = Final(), {}
    for name, criterion in CRITERIA.items():
        try:
            score = float(criterion(final))
        except Exception as error:  # noqa: BLE001  what the agent left broke it
            sys.stderr.write(f"{name}: {type(error).__name__}: {error}\n")
            score = 0.0
        scores[name] = max(0.0, min(score, 1.0))  # in this order NaN is 0
    return scores


def _whole(code: float, note: dict[str, float]) -> float:
    if code != 1:
        return 0.0
    if min(note.values()) == 1:
        return 1.0
    return round(min((1 + sum(note.values()) / len(note)) / 2, 0.999), 6)


def _write(scores: dict[str, float]) -> None:
    """Replace whatever lies there, a link included."""
    beside = REWARD.with_name(f"{REWARD.name}.{os.urandom(6).hex()}")
    with beside.open("x", encoding="utf-8") as file:
        json.dump(scores, file, sort_keys=True)
    beside.replace(REWARD)


if __name__ == "__main__":
    sys.exit(main())
