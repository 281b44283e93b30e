"""What the interpreter is started with, for the screen's watch and its worker alike.

Uploaded beside the package, as `start.py` is.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    here = str(Path(__file__).absolute().parent)
    if here not in sys.path:
        sys.path.insert(0, here)
    if "worker" in sys.argv[1:]:
        from envp_p2f.screen_worker import main as work  # type: ignore[import-not-found]

        work()
    else:
        from envp_p2f.screen_watch import main as watch  # type: ignore[import-not-found]

        sys.exit(watch(str(Path(__file__).absolute())))
