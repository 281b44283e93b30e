"""Print the controlled failure states of a verifier: deliverables of who misread something.

`verifier.py` has MISREADINGS, name to a function of the final state that returns texts by
path below /workspace. One JSON object comes out, name to these; a misreading that breaks
is told as null.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from seedlib import Final  # noqa: E402  the folder must be on the path first
from verifier import MISREADINGS  # noqa: E402


def main() -> None:
    """Work each out."""
    final = Final()
    found: dict[str, dict[str, str] | None] = {}
    for name, answer in MISREADINGS.items():
        try:
            found[name] = dict(answer(final))
        except Exception as error:  # noqa: BLE001  one that breaks costs no other
            sys.stderr.write(f"{name}: {type(error).__name__}: {error}\n")
            found[name] = None
    sys.stdout.write(json.dumps(found))


main()
