"""A budget in tokens and money that stops before it is passed.

Each call reserves its worst case, is sent, and gives back what it did not need. A
reservation that does not fit waits for others to end; it is refused when it would not
fit even then. One process, any number of threads and event loops; what a process
spent is in the ledger.
"""

import asyncio
import json
import threading
from collections import deque
from dataclasses import dataclass, field

from envplatform.errors import BudgetExceededError, ModelAnswerError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse, Usage
from envplatform.llm.endpoint import Prices

_BYTES_PER_TOKEN = 2
"""Tokenizers need 3 to 4 bytes for a token of English or code, seldom under 2."""
_TOKENS_PER_MESSAGE = 16
"""Room for what chat templates put around each message and each tool."""

_Waiter = tuple[asyncio.AbstractEventLoop, asyncio.Event]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Tokens of both kinds together, and money."""

    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(tokens=self.tokens + other.tokens, usd=self.usd + other.usd)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(tokens=self.tokens - other.tokens, usd=self.usd - other.usd)

    def within(self, limit: "Amount") -> bool:
        """Whether neither tokens nor money are above `limit`."""
        return self.tokens <= limit.tokens and self.usd <= limit.usd


@dataclass(slots=True, kw_only=True)
class Budget:
    """What may be spent, was spent and is reserved for calls in flight."""

    limit: Amount
    spent: Amount = Amount()
    _reserved: dict[int, Amount] = field(default_factory=dict)
    _next: int = 0
    _waiters: deque[_Waiter] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def reserve(self, amount: Amount) -> int:
        """Set `amount` aside; returns the ticket to settle with.

        Raises:
            BudgetExceededError: it does not fit; names what is left and the remedy.
        """
        while True:
            waiter = asyncio.get_running_loop(), asyncio.Event()
            with self._lock:
                ticket = self._try(amount)
                if ticket is not None:
                    return ticket
                self._waiters.append(waiter)
            await waiter[1].wait()

    def settle(self, ticket: int, cost: Amount) -> None:
        """Replace the reservation by what the call did cost."""
        with self._lock:
            del self._reserved[ticket]
            self.spent += cost
            waiting, self._waiters = self._waiters, deque()
        for loop, event in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    def _try(self, amount: Amount) -> int | None:
        """A ticket; None while calls in flight may give back enough."""
        if not (self.spent + amount).within(self.limit):
            left = self.limit - self.spent
            msg = (
                f"the budget is used up: {left.tokens} tokens and {left.usd:.4f} USD "
                f"left, the next call may need {amount.tokens} tokens and "
                f"{amount.usd:.4f} USD; raise max_total_tokens or max_usd"
            )
            raise BudgetExceededError(msg)
        held = sum(self._reserved.values(), start=Amount())
        if not (self.spent + held + amount).within(self.limit):
            return None
        self._next += 1
        self._reserved[self._next] = amount
        return self._next


def estimate_prompt_tokens(request: ChatRequest) -> int:
    """A cautious guess without a tokenizer: seldom too low, often twice too high."""
    texts = [message.content for message in request.messages]
    texts += [
        call.name + call.arguments
        for message in request.messages
        for call in message.tool_calls
    ]
    texts += [
        tool.name + tool.description + json.dumps(tool.parameters)
        for tool in request.tools
    ]
    texts += [json.dumps(request.json_schema)] if request.json_schema else []
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return -(-size // _BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE * len(texts)


class BudgetedModel(ChatModel):
    """Asks the budget before it asks the model. Belongs right around the transport."""

    def __init__(self, inner: ChatModel, budget: Budget, *, prices: Prices) -> None:
        self.name = inner.name
        self._inner = inner
        self._budget = budget
        self._prices = prices

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer `request` if its worst case fits.

        A call that the server failed costs nothing. One that was cancelled, or whose
        answer is unusable, costs its worst case: what was charged is unknown.

        Raises:
            BudgetExceededError: it does not fit; nothing was sent.
        """
        worst = self._worst_case(request)
        ticket = await self._budget.reserve(worst)
        cost = Amount()
        try:
            response = await self._inner.complete(request)
            cost = _amount(response.usage)
        except (ModelAnswerError, asyncio.CancelledError):
            cost = worst
            raise
        finally:
            self._budget.settle(ticket, cost)
        return response

    def _worst_case(self, request: ChatRequest) -> Amount:
        prompt = estimate_prompt_tokens(request)
        return Amount(
            tokens=prompt + request.max_tokens,
            usd=self._prices.usd(
                prompt_tokens=prompt, completion_tokens=request.max_tokens
            ),
        )


def _amount(usage: Usage) -> Amount:
    return Amount(tokens=usage.prompt_tokens + usage.completion_tokens, usd=usage.usd)
