"""The process that holds pytest and the code under test.

Order matters: pytest, coverage and our modules are imported before any folder of the
repository can be imported from, so that no file in it stands in for one of them.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .channel import open_writer

BROKEN = 70
"""Exit status: something left pytest by an exception."""
UNUSABLE = 71
"""Exit status: the image lacks pytest or coverage."""


def main() -> None:
    """Run the job on standard input; never returns, and runs no `atexit` handler."""
    leave = os._exit  # bound now: suites patch modules
    job = json.loads(sys.stdin.buffer.read())
    quiet = os.open(os.devnull, os.O_RDONLY)
    os.dup2(quiet, 0)
    os.close(quiet)
    fd, key = job["fd"], bytes.fromhex(job.pop("key"))
    os.set_inheritable(fd, False)  # noqa: FBT003  its only signature

    def open_stream(stream: int) -> Callable[[dict[str, Any]], None]:
        return open_writer(fd, key, stream)

    status = BROKEN
    try:
        status = _run(job, open_stream)
    except BaseException:  # noqa: BLE001  e.g. SystemExit of a conftest.py
        traceback.print_exc()
    finally:
        leave(status)


def _run(
    job: dict[str, Any], open_stream: Callable[[int], Callable[[dict[str, Any]], None]]
) -> int:
    try:
        import pytest  # noqa: PLC0415  may be missing, and must come from the image

        from . import absent  # noqa: PLC0415
        from .lines import Lines, NoLines  # noqa: PLC0415
        from .plugin import Plugin  # noqa: PLC0415

        cover = job["cover"]
        root = job["root"]
        lines = Lines(root, cover["include"], cover["omit"]) if cover else NoLines()
    except ImportError as error:
        sys.stderr.write(f"{error}\n")
        return UNUSABLE
    plugin = Plugin(job, open_stream, lines)
    _enter_repository(job)
    lines.start()
    status = int(pytest.main(_arguments(job, absent.BLOCKED), plugins=[plugin, absent]))
    plugin.finish(status)
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def _enter_repository(job: dict[str, Any]) -> None:
    """Put the repository's folders first, for us and for processes that tests start."""
    own = str(Path(__file__).absolute().parent.parent)
    sys.path[:] = job["pythonpath"] + [p for p in sys.path if p not in {own, ""}]
    site = os.environ.get("PYTHONPATH", "")
    folders = [*job["pythonpath"], *([site] if site else [])]
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)
    sys.argv[:] = ["pytest"]


def _arguments(job: dict[str, Any], blocked: tuple[str, ...]) -> list[str]:
    arguments = [f"--rootdir={job['root']}", "-o", "addopts=", "--color=no"]
    arguments += ["-o", "required_plugins="]  # what is blocked counts as missing
    # Output goes to the runner's pipe, which keeps a little and drops the rest:
    # pytest's own capture would hold a gigabyte in a file.
    arguments += ["-q", "--capture=no", "--tb=line"]
    for name in blocked:
        arguments += ["-p", f"no:{name}"]
    if job["keep_collecting"]:
        arguments.append("--continue-on-collection-errors")
    return [*arguments, *job["args"], *job["paths"]]
