"""Environments opened, used and closed: `python -m benchmarks.ws_sessions`.

Each has a broker, a user inside and an agent in sandboxes of their own; the agent reads,
says something and hears the answer, and the work is taken home. Afterwards no process,
socket or file of any of them may be left: then there is no figure.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import monotonic

from benchmarks.report import print_result, progress, refuse
from envplatform.bundle import Environment
from envplatform.grading import open_environment
from envplatform.grading.sessions import image_reference
from envplatform.rollout import attending
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from tests.rollout.made_user import user_environment

_EXPECTED = 3
"""Entries of a session's log: read, patch, say."""


async def use(
    provider: BubblewrapProvider, environment: Environment, image: Image
) -> float:
    """Open, use and close one; return the seconds that it took."""
    began = monotonic()
    async with open_environment(
        provider, environment, image=image, attend=attending()
    ) as opened:
        line = "ws read table && ws say 'I have read it'"
        result = await opened.sandbox.exec(["bash", "-c", line])
        final = await opened.final()
    if result.exit_code != 0 or final.served is None:
        refuse(f"a session failed: {result.stderr!r}")
    if final.served.log.count(b"\n") != _EXPECTED:
        refuse(f"a session's log is {final.served.log!r}")
    return monotonic() - began


async def use_all(scratch: Path, sessions: int, at_once: int) -> list[float]:
    """Use `sessions` of them, `at_once` at the same time."""
    version = "{}.{}".format(*sys.version_info[:2])
    image = build_image("bare", version, (), scratch.with_name("images"))
    environment = replace(
        user_environment(),
        image=image_reference(image),
    )
    provider = BubblewrapProvider(scratch=scratch)
    turn, taken = asyncio.Semaphore(at_once), list[float]()

    async def one() -> None:
        async with turn:
            taken.append(await use(provider, environment, image))
            if len(taken) % 50 == 0:
                progress(f"{len(taken)} of {sessions}")

    async with asyncio.TaskGroup() as group:
        for _ in range(sessions):
            group.create_task(one())
    return taken


def left_over(scratch: Path) -> list[str]:
    """Return files below `scratch`, processes and sockets that name it."""
    found = [str(path) for path in scratch.rglob("*")]
    name = os.fsencode(scratch)
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:  # ended meanwhile
            continue
        if name in words and int(entry.parent.name) != os.getpid():
            found.append(words.decode("utf-8", "replace"))
    sockets = Path("/proc/net/unix").read_bytes().splitlines()
    return found + [line.decode() for line in sockets if name in line]


def open_files() -> int:
    """Return how many files this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ws-sessions-") as folder:
        scratch = Path(folder, "scratch")
        Path(folder).chmod(0o755)
        scratch.mkdir(mode=0o755)
        before = open_files()
        began = monotonic()
        taken = asyncio.run(use_all(scratch, options.sessions, options.at_once))
        seconds = monotonic() - began
        left = left_over(scratch)
        after = open_files()
    if left or after > before:
        refuse(f"left over: {left[:5]}, {after - before} open files")
    print_result(
        {
            "sessions": len(taken),
            "at_once": options.at_once,
            "seconds": round(seconds, 1),
            "median_session_s": round(median(taken), 3),
            "left_over": len(left),
        },
        made_from="an environment with seven files and a user inside, bubblewrap",
        repeats=1,
    )


if __name__ == "__main__":
    main()
