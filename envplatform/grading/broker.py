"""The broker of an open environment: in a sandbox of its own, joined by one socket.

Agent and broker are two sandboxes. The agent's has a door to the broker's socket and to
the `ws` command, neither of which it can change. Platform and user ask through a second
socket, which the agent can't see (`control`). What the broker holds and logs is taken
home from its own sandbox, so no agent can have written it.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from envplatform.bundle import Environment
from envplatform.bundle.layout import GRAPH
from envplatform.bundle.layout import content_files as files_of
from envplatform.errors import BundleError, SandboxError
from envplatform.grading.control import CONTROL, SOCKET, Control, open_control
from envplatform.grading.runtime import with_byte_code, ws_tree
from envplatform.sandbox.base import (
    Door,
    ExecResult,
    Image,
    Limits,
    Sandbox,
    SandboxProvider,
)
from envplatform.tree import File, Tree
from envplatform.ws import Reply, Request
from envplatform.ws.conversation import ANSWER_S
from envplatform.ws.launcher import NAME
from envplatform.ws.wire import canonical

AGENT = "ws"
"""Name of the agent's door: `/run/ws`."""
LOG = "dispatch.jsonl"
STATE = "state.json"
HELD = "held"

_HOME = "/home/agent"
_LIBRARY = f"{_HOME}/lib"
_MANIFEST_NAME = "env.json"
_HOLDINGS = "/workspace"
_LOGS = "/logs/ws"
_PYTHON = ("python3", "-I", "-S", "-B", f"{_LIBRARY}/{NAME}")
_THREADS = 32
"""Of the broker, beside what its services may have: one waits at each connection."""
_START_S = 300.0
_STOP_S = 20.0
_SLACK_S = 60.0
_MAX_LOG_BYTES = 512_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a broker had in the end."""

    held: Tree
    """Files that it held."""
    log: bytes
    """The dispatch log, JSON lines."""
    state: bytes
    """What its views remembered, one JSON object."""

    def files(self) -> dict[str, File]:
        """Return it as a verifier finds it below /logs/ws."""
        held = {f"{HELD}/{path}": file for path, file in self.held.items()}
        return {**held, LOG: File(self.log), STATE: File(self.state)}


class Broker:
    """A running broker. Closed by the context manager that made it."""

    def __init__(
        self,
        environment: Environment,
        broker: Sandbox,
        control: Control,
        *,
        door: Door,
        user: Control | None,
    ) -> None:
        self.door = door
        """For the agent's sandbox."""
        self._environment = environment
        self._sandbox = broker
        self._control = control
        self._user = user
        self._running: asyncio.Task[ExecResult] | None = None

    async def start(self, limits: Limits, *, answer_s: float = ANSWER_S) -> None:
        """Start the process and wait until it answers.

        Raises:
            BundleError: the environment can't be served; says what the broker said.
            SandboxError: a sandbox failed.
        """
        await self._sandbox.upload(with_byte_code(ws_tree()), _LIBRARY)
        manifest = files_of(self._environment)[GRAPH]
        await self._sandbox.upload({_MANIFEST_NAME: manifest}, _HOME)
        await self._sandbox.upload(self._environment.served, _HOLDINGS)
        self._running = asyncio.create_task(
            self._sandbox.exec(_serve_argv(answer_s), limits=limits)
        )
        asked = asyncio.create_task(self._answers())
        done, _ = await asyncio.wait(
            {self._running, asked}, return_when=asyncio.FIRST_COMPLETED
        )
        if asked in done:
            await asked
            return
        asked.cancel()
        raise self._obituary(await self._running)

    async def _answers(self) -> None:
        """Ask until it answers: services that it starts first may take a minute each."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _START_S
        while True:
            try:
                await self.control("state", {})
            except SandboxError:
                if loop.time() > deadline:
                    raise
            else:
                return

    async def control(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """Ask through the control socket.

        Raises:
            SandboxError: the broker is gone.
        """
        return (await self._control.ask([Request(operation, arguments)]))[0]

    async def attend(self, requests: Sequence[Request]) -> list[Reply]:
        """Ask through the control socket as the user inside, one after the other.

        The last may be `await_message`, which lets nobody else wait.

        Raises:
            SandboxError: the broker is gone, or the environment has no user.
        """
        if self._user is None:
            msg = f"{self._environment.environment_id} has no user inside"
            raise SandboxError(msg)
        return await self._user.ask(requests)

    async def log(self, *, after: int = 0) -> list[dict[str, Any]]:
        """Return the entries of the dispatch log after that number."""
        reply = await self.control("log", {"after": after})
        entries: list[dict[str, Any]] = reply.data["entries"]
        return entries

    async def held(self, path: str) -> bytes | None:
        """Return what is held at a location now; None where nothing is."""
        return (await self.control("held", {"path": path})).content

    async def peek(self) -> Served:
        """Return what the broker has now, and let it go on.

        Raises:
            SandboxError: it is gone, or holds more than one answer takes.
        """
        reply = await self.control("snapshot", {})
        if not reply.ok:
            raise SandboxError(reply.message)
        files = {
            path: File(base64.b64decode(text))
            for path, text in reply.data["files"].items()
        }
        log = "".join(f"{canonical(entry)}\n" for entry in await self.log())
        state = canonical(reply.data["state"]).encode("ascii") + b"\n"
        return Served(held=files, log=log.encode("ascii"), state=state)

    async def finish(self) -> Served:
        """Stop the broker and return what it has.

        Raises:
            SandboxError: it is gone, or does not stop.
        """
        if self._running is None or self._running.done():
            raise self._obituary(await self._running) if self._running else _unstarted()
        await self.control("stop", {})
        try:
            result = await asyncio.wait_for(self._running, _STOP_S)
        except TimeoutError as error:
            msg = "the broker does not stop"
            raise SandboxError(msg) from error
        if result.exit_code != 0:
            raise self._obituary(result)
        room = self._environment.allowance.disk_mb * 1_000_000
        held = await self._sandbox.download(_HOLDINGS, max_bytes=room)
        logs = await self._sandbox.download(_LOGS, max_bytes=_MAX_LOG_BYTES)
        return Served(held=held, log=logs[LOG].data, state=logs[STATE].data)

    async def stop(self) -> None:
        """Kill it if it still runs."""
        if self._running is not None and not self._running.done():
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def _obituary(self, result: ExecResult) -> BundleError | SandboxError:
        said = result.stderr.decode("utf-8", "replace").strip().splitlines()
        last = said[-1] if said else f"{result.ending} {result.exit_code}"
        if "ManifestError: " in last:
            what = last.rpartition("ManifestError: ")[2]
            msg = f"{self._environment.environment_id} can't be served: {what}"
            return BundleError(msg)
        msg = f"the broker of {self._environment.environment_id} ended: {last[:300]}"
        return SandboxError(msg)


@asynccontextmanager
async def open_broker(
    provider: SandboxProvider,
    environment: Environment,
    *,
    image: Image,
    limits: Limits,
    answer_s: float = ANSWER_S,
) -> AsyncIterator[Broker]:
    """Start the broker of `environment`; it needs Python 3.9 or later in `image`.

    `answer_s`: how long the user inside may take to answer.

    Raises:
        BundleError: the environment can't be served.
        SandboxError: a sandbox failed.
    """
    async with AsyncExitStack() as stack:
        agents = await stack.enter_async_context(provider.meet())
        control = await stack.enter_async_context(provider.meet())
        serving = [
            Door(name=AGENT, place=agents, serves=True),
            Door(name=CONTROL, place=control, serves=True),
        ]
        wide = replace(
            limits,
            wall_s=limits.wall_s + _SLACK_S,
            processes=limits.processes + _THREADS,
        )
        sandbox = await stack.enter_async_context(
            provider.open(image, wide, doors=serving)
        )
        asking = open_control(provider, control, image=image)
        platform = await stack.enter_async_context(asking)
        user = None
        if environment.user:
            # Its own, so that who waits for a message keeps nobody else waiting.
            asking = open_control(provider, control, image=image)
            user = await stack.enter_async_context(asking)
        door = Door(name=AGENT, place=agents)
        broker = Broker(environment, sandbox, platform, door=door, user=user)
        stack.push_async_callback(broker.stop)
        await broker.start(wide, answer_s=answer_s)
        yield broker


def _serve_argv(answer_s: float) -> tuple[str, ...]:
    return (
        *(
            *_PYTHON,
            "serve",
            "--manifest",
            f"{_HOME}/{_MANIFEST_NAME}",
            "--holdings",
            _HOLDINGS,
        ),
        *("--agent", f"/run/{AGENT}/agent.sock", "--control", SOCKET),
        *("--logs", _LOGS, "--publish", f"/run/{AGENT}", "--answer-s", f"{answer_s:g}"),
    )


def _unstarted() -> SandboxError:
    return SandboxError("the broker was never started")
