"""What the interpreter is started with, for the runner and for the child alike.

Uploaded beside the package; its own folder is where the package is found.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    here = str(Path(__file__).absolute().parent)
    if here not in sys.path:
        sys.path.insert(0, here)
    if "child" in sys.argv[1:]:
        from envp_p2f.child import main as run_child  # type: ignore[import-not-found]

        run_child()
    else:
        from envp_p2f.runner import main as run  # type: ignore[import-not-found]

        sys.exit(run(str(Path(__file__).absolute())))
