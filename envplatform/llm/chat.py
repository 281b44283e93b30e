"""What a chat model is: messages in, one message out, with its usage.

Messages and calls are plain values. The transport (`openai`), budgets, ledgers and
recordings stand beside this file and wrap the same interface.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call the model asks for; `arguments` is its JSON text, unparsed and untrusted."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Only on assistant messages."""
    tool_call_id: str | None = None
    """Only on tool messages: the call this one answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function offered to the model; `parameters` is its JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """Everything that shapes one answer; equal requests have equal recordings."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    temperature: float = 0.0
    max_tokens: int = 1024
    seed: int = 0
    json_schema: dict[str, Any] | None = None
    """Asks for structured output where the server offers it; None for free text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and money of one or more calls."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Sum of both."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            usd=self.usd + other.usd,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatResponse:
    """One answer."""

    message: Message
    finish_reason: FinishReason
    usage: Usage
    model: str
    """Name as the server reported it."""
    retries: int = 0
    """Attempts that failed before this answer."""
    cached: bool = False
    """Whether it was replayed from a recording; `usage` is then that of the first time."""


class ChatModel(ABC):
    """Anything that answers a ChatRequest."""

    name: str
    """As configured; goes into every artefact the model had a part in."""

    @abstractmethod
    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer `request`.

        Raises:
            ModelError: the server failed, retries included.
            ModelAnswerError: what came is no answer in the chat format.
            ContextLengthError: the request is longer than the model can read.
            BudgetExceededError: the budget forbids the call; nothing was sent.
        """
