"""Program: materialise `numbers` over a range, in a process that may be killed.

`python -m tests.assets.run_numbers FIRST LAST`, on $DAGSTER_HOME and $ENVPLATFORM_HOME.
"""

import os
import sys
from pathlib import Path

import dagster as dg

from tests.assets.numbers import Graph

if __name__ == "__main__":
    with dg.DagsterInstance.get() as instance:
        graph = Graph(instance, Path(os.environ["ENVPLATFORM_HOME"]))
        sys.exit(not graph.run("numbers", keys=(sys.argv[1], sys.argv[2])).success)
