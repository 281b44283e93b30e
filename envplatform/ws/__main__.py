"""`python3 -m ws`: the command line, or with `serve` first the broker's process."""

from __future__ import annotations

import sys

from .cli import main
from .serve import serve

if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2:])
    else:
        raise SystemExit(main())
