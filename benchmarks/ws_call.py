"""What one request of `ws` costs: `python -m benchmarks.ws_call`.

The same read of a small file: answered in the broker's own process, over its Unix
socket on one open connection, and through each face as an agent uses it (a sandbox
starts, a client connects, asks once and ends). Medians.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

from mcp.client.client import Client as McpClient

from benchmarks.report import print_result, progress, refuse
from envplatform.bundle import Environment, ImageReference
from envplatform.bundle.layout import GRAPH, content_files
from envplatform.grading import limits_of, open_environment
from envplatform.grading.faces import dispatch
from envplatform.grading.runtime import ws_tree
from envplatform.interop.mcp import mcp_server
from envplatform.rollout import attending
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from envplatform.tree import write_tree
from envplatform.ws import Broker, MemoryHoldings, Reply, Request, read_manifest
from envplatform.ws.client import Client
from envplatform.ws.launcher import NAME
from tests.rollout.made_user import TABLE, user_environment

_READ = Request("read", {"name": "table"})
_US = 1e6


def in_process(environment: Environment, calls: int) -> float:
    """Median microseconds of one `Broker.ask`."""
    files = {path: file.data for path, file in environment.served.items()}
    manifest = read_manifest(content_files(environment)[GRAPH].data)
    broker = Broker(manifest, MemoryHoldings(files))
    return _median_us(lambda: broker.ask(_READ), calls)


def over_the_socket(environment: Environment, calls: int) -> float:
    """Median microseconds of one request on an open connection, log and all."""
    with _served(environment) as place, Client(str(place)) as client:
        return _median_us(lambda: client.ask(_READ), calls)


@contextmanager
def _served(environment: Environment) -> Iterator[Path]:
    """Serve `environment` from a process of its own; give its socket."""
    with tempfile.TemporaryDirectory(prefix="ws-call-") as folder:
        root = Path(folder)
        write_tree(ws_tree(), root / "lib")
        write_tree(environment.served, root / "held")
        (root / "env.json").write_bytes(content_files(environment)[GRAPH].data)
        words = [sys.executable, "-I", "-B", str(root / "lib" / NAME), "serve"]
        for option, name in (
            *(("manifest", "env.json"), ("holdings", "held"), ("logs", "logs")),
            *(("agent", "agent.sock"), ("control", "control.sock")),
        ):
            words += [f"--{option}", str(root / name)]
        process = subprocess.Popen(words)
        try:
            yield root / "agent.sock"
        finally:
            process.terminate()
            process.wait(20)


async def by_face(
    environment: Environment, image: Image, calls: int
) -> dict[str, float]:
    """Median microseconds of one request through each face, in bubblewrap."""
    limits = limits_of(environment, wall_s=60)
    async with open_environment(
        BubblewrapProvider(), environment, image=image, attend=attending()
    ) as opened:
        sandbox = opened.sandbox

        async def command_line() -> bytes:
            return (await sandbox.exec(["ws", "read", "table"])).stdout

        async def tool_call() -> bytes | None:
            return (await dispatch(sandbox, _READ, limits))[0].content

        async def ask(request: Request) -> Reply:
            return (await dispatch(sandbox, request, limits))[0]

        async with McpClient(mcp_server(environment, ask, version="0")) as client:

            async def over_mcp() -> bytes:
                answer = await client.call_tool("ws_read", {"name": "table"})
                said = answer.content[0]
                return said.text.encode() if said.type == "text" else b""

            return {
                "command_line": await _face_us(command_line, calls),
                "tool_call": await _face_us(tool_call, calls),
                "mcp": await _face_us(over_mcp, calls),
            }


async def _face_us(ask: Callable[[], Awaitable[bytes | None]], calls: int) -> float:
    taken = []
    for _ in range(calls):
        began = perf_counter()
        content = await ask()
        taken.append(perf_counter() - began)
        if content != TABLE:
            refuse(f"a face answered {content!r}")
    return round(median(taken) * _US, 1)


def _median_us(ask: Callable[[], Reply], calls: int) -> float:
    taken = []
    for _ in range(calls):
        began = perf_counter()
        reply = ask()
        taken.append(perf_counter() - began)
        if reply.content != TABLE:
            refuse(f"the broker answered {json.dumps(reply)[:200]}")
    return round(median(taken) * _US, 1)


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--face-calls", type=int, default=20)
    options = parser.parse_args()
    version = "{}.{}".format(*sys.version_info[:2])
    with tempfile.TemporaryDirectory(prefix="ws-call-") as folder:
        image = build_image("bare", version, (), Path(folder))
        found = ImageReference(
            name=image.name, python=version, requirements=(), digest=image.digest
        )
        environment = replace(user_environment(), image=found)
        own = in_process(environment, options.calls)
        progress(f"in process: {own} us")
        socket = over_the_socket(environment, options.calls)
        progress(f"over the socket: {socket} us")
        faces = asyncio.run(by_face(environment, image, options.face_calls))
    print_result(
        {"per_call_us": socket, "in_process_us": own, "by_face": faces},
        made_from="read of 15 bytes; faces start a sandbox and a process each",
        repeats=options.calls,
    )


if __name__ == "__main__":
    main()
