"""Every fake of the test suite: each subclasses the interface it stands in for."""

import asyncio
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from envplatform.errors import DownloadTooLargeError, ModelError, SandboxError
from envplatform.llm.chat import (
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    Message,
    ToolCall,
    Usage,
)
from envplatform.sandbox.base import (
    Door,
    ExecResult,
    Image,
    Limits,
    Sandbox,
    SandboxInfo,
    SandboxProvider,
)
from envplatform.swe.fixes.history import History, Side
from envplatform.swe.fixes.instance import FixInstance
from envplatform.tree import File, Tree


def text_answer(
    text: str,
    *,
    tool_calls: tuple[ToolCall, ...] = (),
    finish_reason: FinishReason = "stop",
    usage: Usage = Usage(prompt_tokens=10, completion_tokens=5, usd=0.001),  # noqa: B008  frozen
    retries: int = 0,
) -> ChatResponse:
    """An answer as a model would give it."""
    return ChatResponse(
        message=Message(role="assistant", content=text, tool_calls=tool_calls),
        finish_reason=finish_reason,
        usage=usage,
        model="scripted-1",
        retries=retries,
    )


class ScriptedChatModel(ChatModel):
    """Gives prepared answers, or raises prepared errors, in order."""

    def __init__(self, script: Sequence[ChatResponse | ModelError]) -> None:
        self.name = "scripted"
        self.requests: list[ChatRequest] = []
        self.most_at_once = 0
        self._script = iter(script)
        self._running = 0

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Give the next answer; lets other tasks run first, as a network would."""
        self.requests.append(request)
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        await asyncio.sleep(0)
        self._running -= 1
        answer = next(self._script)
        if isinstance(answer, ModelError):
            raise answer
        return answer


FAKE_SANDBOX = SandboxInfo(kind="bubblewrap", version="fake", limits="best_effort")


class ScriptedSandbox(Sandbox):
    """Holds files in memory; `answer` decides what every execution comes to.

    Executions write `leaves`, by full path.
    """

    info = FAKE_SANDBOX

    def __init__(
        self, answer: Callable[[Sequence[str]], ExecResult], leaves: Tree
    ) -> None:
        self.files: dict[str, File] = {}
        self._leaves = leaves
        self.commands: list[tuple[str, ...]] = []
        self._answer = answer

    async def upload(self, tree: Tree, to: str) -> None:
        """Keep the files under their full path."""
        self.files.update({f"{to}/{path}": file for path, file in tree.items()})

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/workspace",  # noqa: ARG002
        env: Mapping[str, str] | None = None,  # noqa: ARG002
        stdin: bytes = b"",  # noqa: ARG002
        limits: Limits | None = None,  # noqa: ARG002
    ) -> ExecResult:
        """Note the command and answer as scripted."""
        self.commands.append(tuple(argv))
        self.files.update(self._leaves)
        return self._answer(argv)

    async def download(
        self,
        path: str,
        *,
        max_bytes: int = 64_000_000,
    ) -> dict[str, File]:
        """Give back what lies at or below `path`."""
        found = {
            (name.rpartition("/")[2] if name == path else name[len(path) + 1 :]): file
            for name, file in self.files.items()
            if name == path or name.startswith(f"{path}/")
        }
        if sum(len(file.data) for file in found.values()) > max_bytes:
            msg = f"more than {max_bytes} bytes to download"
            raise DownloadTooLargeError(msg)
        return found


class ScriptedProvider(SandboxProvider):
    """Opens scripted sandboxes and remembers them."""

    info = FAKE_SANDBOX

    def __init__(
        self,
        answer: Callable[[Sequence[str]], ExecResult],
        *,
        leaves: Tree | None = None,
    ) -> None:
        self.opened: list[ScriptedSandbox] = []
        self._answer = answer
        self._leaves = leaves or {}

    @asynccontextmanager
    async def open(
        self,
        image: Image,  # noqa: ARG002
        limits: Limits = Limits(),  # noqa: ARG002, B008  frozen
        *,
        doors: Sequence[Door] = (),  # noqa: ARG002
    ) -> AsyncIterator[Sandbox]:
        """Open one more."""
        sandbox = ScriptedSandbox(self._answer, self._leaves)
        self.opened.append(sandbox)
        yield sandbox


class CountingProvider(SandboxProvider):
    """Opens real sandboxes and counts them; chosen ones fail as a lost daemon would."""

    def __init__(
        self, real: SandboxProvider, *, failing: Collection[int] = frozenset()
    ) -> None:
        self.info = real.info
        self.opened = 0
        self._real = real
        self._failing = failing

    def meet(self) -> AbstractAsyncContextManager[str]:
        """As the real one."""
        return self._real.meet()

    async def reach(self, place: str) -> Path | None:
        """As the real one."""
        return await self._real.reach(place)

    @asynccontextmanager
    async def open(
        self,
        image: Image,
        limits: Limits = Limits(),  # noqa: B008  frozen
        *,
        doors: Sequence[Door] = (),
    ) -> AsyncIterator[Sandbox]:
        """Fail by number, from 1, else open one more."""
        self.opened += 1
        if self.opened in self._failing:
            msg = "the daemon is gone"
            raise SandboxError(msg)
        async with self._real.open(image, limits, doors=doors) as sandbox:
            yield sandbox


class UnreachedProvider(CountingProvider):
    """As a provider on another machine: this process has no way to a meeting."""

    async def reach(self, place: str) -> Path | None:
        """Tell of none."""
        del place
        return None


class DeadProvider(SandboxProvider):
    """Fails to open any sandbox, and counts how often it was asked."""

    info = FAKE_SANDBOX

    def __init__(self) -> None:
        self.asked = 0

    @asynccontextmanager
    async def open(
        self,
        image: Image,
        limits: Limits = Limits(),  # noqa: B008  frozen
        *,
        doors: Sequence[Door] = (),  # noqa: ARG002
    ) -> AsyncIterator[Sandbox]:
        """Fail."""
        self.asked += 1
        msg = f"no sandbox for {image.name} and {limits.memory_mb} MB"
        raise SandboxError(msg)
        yield  # an async generator, as the interface asks


class OneSide(History):
    """The history of one side, the same for every instance."""

    def __init__(self, side: Side) -> None:
        self._side = side

    def prefetch(self, wanted: Iterable[tuple[FixInstance, Sequence[str]]]) -> None:
        """Bring nothing."""

    def read(self, instance: FixInstance, paths: Sequence[str]) -> Side:
        """Return the side."""
        del instance, paths
        return self._side

    def licence(self, instance: FixInstance) -> str:
        """Nothing is known but what the row says."""
        return instance.licence

    def close(self) -> None:
        """Let nothing go."""
