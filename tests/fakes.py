"""Every fake of the test suite: each subclasses the interface it stands in for."""

import asyncio
from collections.abc import Sequence

from envplatform.errors import ModelError
from envplatform.llm.chat import (
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    Message,
    ToolCall,
    Usage,
)


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
