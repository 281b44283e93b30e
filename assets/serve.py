"""The Dagster UI with its daemon: `python -m assets.serve --port 3000`."""

import argparse
import os
import sys

from assets.home import CHECKOUT, open_instance


def main() -> None:
    """Take the place of this process by `dg dev`; does not return."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3000)
    options = parser.parse_args()
    open_instance().dispose()
    # Not the checkout: dagster would warn that its dagster.yaml is not the one in use.
    os.chdir(os.environ["DAGSTER_HOME"])
    command = [sys.executable, "-m", "dagster_dg_cli.cli", "dev"]
    command += ["--workspace", str(CHECKOUT / "workspace.yaml")]
    command += ["--host", options.host, "--port", str(options.port)]
    os.execv(sys.executable, command)  # noqa: S606  no shell


if __name__ == "__main__":
    main()
