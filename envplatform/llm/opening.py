"""From `[model]` in envplatform.toml to an open model with everything around it.

The order of the layers matters: the budget counts only what is really sent, replays
go past it, and the ledger sees both.
"""

import hashlib
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from envplatform.configuration import ModelSettings
from envplatform.errors import ConfigError
from envplatform.llm.budget import Amount, Budget, BudgetedModel
from envplatform.llm.chat import ChatModel
from envplatform.llm.embedded import EmbeddedChatModel, EmbeddedSettings
from envplatform.llm.endpoint import Endpoint, Prices
from envplatform.llm.ledger import Ledger, LedgeredModel
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.recording import RecordedModel
from envplatform.llm.retry import RetryPolicy

_EMBEDDED = "SmolLM2-135M-Instruct"


@asynccontextmanager
async def open_model(
    settings: ModelSettings,
    *,
    folder: Path,
    asset: str,
    purpose: str,
    environ: Mapping[str, str] = os.environ,
    budget: Budget | None = None,
) -> AsyncIterator[ChatModel]:
    """Open the configured model; its budget is for this opening, unless one is given.

    Args:
        settings: `[model]`.
        folder: keeps `ledger.jsonl` and `recordings/`.
        asset: who spends; goes into the ledger.
        purpose: what for; goes into the ledger.
        environ: holds the key, under the name that `settings` give.
        budget: what several openings share; None: what `settings` allow.

    Raises:
        ConfigError: no key, or settings that contradict each other.
    """
    prices = Prices(
        prompt_usd_per_million=settings.usd_per_million_prompt_tokens,
        completion_usd_per_million=settings.usd_per_million_completion_tokens,
    )
    budget = budget or budget_of(settings)
    async with _transport(settings, prices, environ) as transport:
        model: ChatModel = BudgetedModel(transport, budget, prices=prices)
        if settings.record != "off":
            recordings = folder / "recordings" / server_of(settings)
            model = RecordedModel(model, recordings, mode=settings.record)
        ledger = Ledger(folder / "ledger.jsonl")
        yield LedgeredModel(model, ledger, asset=asset, purpose=purpose)


def budget_of(settings: ModelSettings) -> Budget:
    """A fresh budget of what the settings allow."""
    return Budget(limit=Amount(tokens=settings.max_total_tokens, usd=settings.max_usd))


def server_of(settings: ModelSettings) -> str:
    """Name a server, as a folder may be called: two may call their models the same."""
    if settings.kind == "embedded":
        return settings.kind
    return hashlib.sha256(settings.base_url.encode()).hexdigest()[:12]


def _transport(
    settings: ModelSettings, prices: Prices, environ: Mapping[str, str]
) -> AbstractAsyncContextManager[ChatModel]:
    if settings.kind == "embedded":
        if settings.name != _EMBEDDED:
            msg = (
                f"model.name = {settings.name!r}: the embedded model is {_EMBEDDED}; "
                f'for another one set model.kind = "openai" and model.base_url'
            )
            raise ConfigError(msg)
        return EmbeddedChatModel(EmbeddedSettings(timeout_s=settings.timeout_s))
    endpoint = Endpoint(
        name=settings.name,
        base_url=settings.base_url,
        model=settings.name,
        api_key_env=settings.api_key_env,
        prices=prices,
        timeout_s=settings.timeout_s,
        concurrency=settings.concurrency,
        max_tokens_field=settings.max_tokens_field,
        omit=settings.omit,
    )
    retry = RetryPolicy(attempts=settings.attempts)
    return OpenAIChatModel(endpoint, retry=retry, environ=environ)
