"""Who plans the levels of `res_lineages`: a search, or the model of `[model]`."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from envplatform.configuration import ModelSettings, ResSettings
from envplatform.llm.opening import server_of
from envplatform.res.growing import Grown
from envplatform.res.proposers import Planned, Prompted, Proposer
from envplatform.res.verifier import Caps
from resources.models import ChatModelResource

Run = Callable[[Coroutine[Any, Any, Grown]], Grown]
"""Runs to the end what grows a lineage, in the loop that the model was opened in."""


def asked_model(resources: Any) -> dict[str, str]:  # noqa: ANN401  Dagster's
    """Name the model that is asked; nothing where none is."""
    configuration = resources.configuration.load()
    if configuration.res.proposer == "planned":
        return {}
    model = configuration.model
    return {"model": f"{model.name} {_server(model)}"}


def _server(model: ModelSettings) -> str:
    """Name a server, and what it is never sent."""
    return " ".join((server_of(model), *sorted(model.omit)))


@contextmanager
def proposing(
    settings: ResSettings, chat_model: ChatModelResource
) -> Iterator[tuple[Proposer, Run]]:
    """Open the configured proposer.

    Raises:
        ConfigError: no key, or settings that contradict each other.
    """
    with asyncio.Runner() as runner:
        if settings.proposer == "planned":
            yield Planned(), runner.run
            return
        opening = chat_model.open(asset="res_lineages", purpose="plan")
        model = runner.run(opening.__aenter__())
        try:
            caps = Caps(reads=settings.max_reads, bytes_ratio=settings.max_bytes_ratio)
            server = _server(chat_model.settings())
            yield Prompted(model, caps=caps, server=server), runner.run
        finally:
            runner.run(opening.__aexit__(None, None, None))
