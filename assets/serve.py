"""The Dagster UI with its daemon: `python -m assets.serve --port 3000`."""

import argparse
import os
import sys

from assets.home import CHECKOUT, open_instance


def main() -> None:
    """Take the place of this process by `dagster dev`; does not return."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3000)
    options = parser.parse_args()
    open_instance().dispose()
    os.chdir(CHECKOUT)  # dagster reads workspace.yaml from the working directory
    place = ["--host", options.host, "--port", str(options.port)]
    os.execv(sys.executable, [sys.executable, "-m", "dagster", "dev", *place])  # noqa: S606  no shell


if __name__ == "__main__":
    main()
