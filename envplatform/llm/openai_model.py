"""ChatModel over the `openai` client: any OpenAI-compatible server.

Retries are ours, so that waits are bounded, injected and honour Retry-After. The key
comes from the environment, lives in a SecretStr and is struck from whatever a server
says back. Budgets, ledgers and recordings wrap this class from outside.
"""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    AsyncOpenAI,
    DefaultAsyncHttpx2Client,
)

from envplatform.errors import ModelError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse
from envplatform.llm.endpoint import Endpoint, read_key
from envplatform.llm.refusal import refusal_error
from envplatform.llm.retry import DEFAULT_RETRY, RetryPolicy, retry_after_s
from envplatform.llm.wire import parse_answer, request_body

_MAX_ANSWER_BYTES = 16_000_000
_MOST_CONNECTIONS = 1_000
_KEPT_OPEN = 32
"""Idle connections; each is looked at with every request."""

Sleep = Callable[[float], Awaitable[None]]


class _TransientError(Exception):
    """One attempt failed in a way that another may not."""

    def __init__(self, reason: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


def _utc_now() -> datetime:
    return datetime.now(UTC)


class OpenAIChatModel(ChatModel):
    """One endpoint, opened: `async with OpenAIChatModel(endpoint) as model`.

    Belongs to the event loop it was opened in.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        retry: RetryPolicy = DEFAULT_RETRY,
        environ: Mapping[str, str] = os.environ,
        sleep: Sleep = asyncio.sleep,
        rng: random.Random | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        """Check that the key is there; nothing is sent.

        Raises:
            ConfigError: the environment variable with the key is not set.
        """
        self.name = endpoint.name
        self._endpoint = endpoint
        self._retry = retry
        self._key = read_key(endpoint, environ)
        self._sleep = sleep
        self._rng = rng or random.Random()  # noqa: S311  jitter is no secret
        self._now = now
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._open = AsyncExitStack()
        self._client: AsyncOpenAI | None = None

    def __repr__(self) -> str:
        return f"OpenAIChatModel({self.name!r}, {self._endpoint.base_url!r})"

    async def __aenter__(self) -> Self:
        # A proxy from the environment must not stand before a server on this machine.
        http = DefaultAsyncHttpx2Client(
            trust_env=not self._endpoint.local,
            limits=httpx2.Limits(
                max_connections=_MOST_CONNECTIONS,
                max_keepalive_connections=_KEPT_OPEN,
            ),
        )
        self._client = await self._open.enter_async_context(
            AsyncOpenAI(
                base_url=self._endpoint.base_url,
                api_key=self._key.get_secret_value(),
                admin_api_key="",  # else the client takes OPENAI_ADMIN_KEY
                default_headers={  # else OPENAI_CUSTOM_HEADERS could replace the key
                    "Authorization": f"Bearer {self._key.get_secret_value()}"
                },
                max_retries=0,
                timeout=self._endpoint.timeout_s,
                http_client=http,
            )
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client = None
        await self._open.__aexit__(kind, error, trace)

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer `request`, trying again where that may help.

        Raises:
            ModelError: refused (says what to check), malformed, or failed every time.
            ContextLengthError: the request is longer than the model can read.
        """
        failures = 0
        while True:
            try:
                body = await self._attempt(request)
            except _TransientError as error:
                failures += 1
                if failures >= self._retry.attempts:
                    raise self._exhausted(str(error)) from None
                wait_s = self._retry.wait_s(
                    failures, retry_after_s=error.retry_after_s, rng=self._rng
                )
                await self._sleep(wait_s)
            else:
                return replace(parse_answer(body, self._endpoint), retries=failures)

    def _exhausted(self, reason: str) -> ModelError:
        msg = (
            f"model {self.name!r}: {reason}, in the last of {self._retry.attempts} "
            f"attempts; check the server behind {self._endpoint.base_url}"
        )
        return ModelError(msg)

    async def _attempt(self, request: ChatRequest) -> bytes:
        """Body of one answer.

        Raises:
            _TransientError: worth another attempt.
            ModelError: not worth one.
        """
        async with self._slots:
            try:
                async with asyncio.timeout(self._endpoint.timeout_s):
                    return await self._send(request)
            # `from None`: the client's errors carry the request, headers and all.
            except (TimeoutError, httpx2.TimeoutException):
                reason = f"no answer within {self._endpoint.timeout_s:g} s"
                raise _TransientError(reason) from None
            except (APIConnectionError, httpx2.TransportError) as error:
                reason = (
                    f"connection failed ({type(error.__cause__ or error).__name__})"
                )
                raise _TransientError(reason) from None
            except APIStatusError as error:
                raise self._status_error(error) from None

    async def _send(self, request: ChatRequest) -> bytes:
        if self._client is None:
            msg = f"model {self.name!r} is not open; use `async with`"
            raise ModelError(msg)
        body = request_body(request, self._endpoint)
        create = self._client.chat.completions.with_streaming_response.create
        # As `extra_body`, which is sent as it is: as arguments, the client looks up the
        # type of each value anew, which took half of all processor time of a rollout.
        async with create(
            model=self._endpoint.model, messages=(), extra_body=body
        ) as response:
            answer = bytearray()
            async for chunk in response.iter_bytes():
                answer += chunk
                if len(answer) > _MAX_ANSWER_BYTES:
                    msg = (
                        f"model {self.name!r}: answer of over {_MAX_ANSWER_BYTES} bytes"
                    )
                    raise ModelError(msg)
        return bytes(answer)

    def _status_error(self, error: APIStatusError) -> Exception:
        refusal = refusal_error(
            status=error.status_code,
            said=error.message.replace(self._key.get_secret_value(), "***"),
            code=f"{error.code} {error.type}",  # servers disagree on which it is
            endpoint=self._endpoint,
        )
        if refusal is not None:
            return refusal
        wait = retry_after_s(error.response.headers, now=self._now())
        return _TransientError(f"HTTP {error.status_code}", retry_after_s=wait)
