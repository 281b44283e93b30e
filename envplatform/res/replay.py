"""Replaying a plan in another process: `python -m envplatform.res.replay`.

It shares nothing with whoever made the child but the parent on disk and the plan, and
its hashes are salted otherwise: what depends on the order of a set comes out here.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from envplatform.bundle import (
    Environment,
    environment_digest,
    read_environment,
    write_environment,
)
from envplatform.errors import EnvPlatformError
from envplatform.res.child import child_of
from envplatform.res.plan import TransformPlan, read_plan


class Replayer:
    """A process that replays plans, for use in a `with`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._turn = Lock()

    def __enter__(self) -> Self:
        """Start it."""
        environment = {**os.environ, "PYTHONHASHSEED": "random"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "envplatform.res.replay"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self._process is not None:
            self._process.communicate()

    def digest(
        self, parent: Environment, plan: TransformPlan, child: Environment
    ) -> str:
        """Return the digest of the child that the other process makes; or why it makes none.

        Blocks until it has; whoever asks meanwhile, from another thread, waits.
        """
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return "not started"
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / parent.environment_id
            write_environment(parent, folder)
            said = {
                "parent": str(folder),
                "plan": plan.text(),
                "seed": child.lineage.seed,
                "producer": child.lineage.producer,
                "model": child.lineage.model,
            }
            with self._turn:
                process.stdin.write(f"{json.dumps(said)}\n")
                process.stdin.flush()
                return process.stdout.readline().strip() or "the process ended"


def replayed(line: str) -> str:
    """Return the digest of what one request comes to, or what was wrong with it."""
    said = json.loads(line)
    try:
        child = child_of(
            read_environment(Path(said["parent"])),
            read_plan(said["plan"]),
            seed=said["seed"],
            producer=said["producer"],
            model=said["model"],
        )
    except EnvPlatformError as error:
        return f"refused: {error}".replace("\n", " ")
    return environment_digest(child)


def main() -> None:
    """Answer requests, a line each."""
    for line in sys.stdin:
        sys.stdout.write(f"{replayed(line)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
