"""Run a seed's verifier and write reward.json: every criterion, and their mean.

A criterion of its own that breaks costs that criterion; whatever the agent left, there
is a verdict. Only a verifier that is broken itself ends without one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from seedlib import Final  # noqa: E402  the folder must be on the path first
from verifier import CRITERIA  # noqa: E402

REWARD = Path("/logs/verifier/reward.json")


def main() -> None:
    """Grade what there is."""
    final = Final()
    names = (HERE / "criteria.txt").read_text().split()
    if set(names) != set(CRITERIA):
        msg = f"the verifier has {sorted(CRITERIA)}, not {sorted(names)}"
        raise SystemExit(msg)
    scores = {}
    for name in names:
        try:
            score = float(CRITERIA[name](final))
        except Exception as error:  # noqa: BLE001  what the agent left broke it
            sys.stderr.write(f"{name}: {type(error).__name__}: {error}\n")
            score = 0.0
        scores[name] = max(0.0, min(score, 1.0))  # in this order NaN is 0
    total = sum(scores.values()) / len(scores)
    whole = 1.0 if min(scores.values()) == 1.0 else round(min(total, 0.999), 6)
    REWARD.write_text(json.dumps({"reward": whole, **scores}))


main()
