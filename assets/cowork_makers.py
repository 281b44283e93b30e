"""Who plays the roles of cowork in one run: families, or the model of `[model]`."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from assets.cowork_recipes import Makers, procedural_makers, prompted_makers
from envplatform.configuration import Configuration
from envplatform.cowork.library import Library
from envplatform.cowork.rows import KeptOutcome
from envplatform.llm.opening import server_of
from resources.models import ChatModelResource

Run = Callable[[Coroutine[Any, Any, list[KeptOutcome]]], list[KeptOutcome]]
"""Runs to the end what makes a shard, in the loop that the model was opened in."""


@contextmanager
def making(
    configuration: Configuration, library: Library, chat_model: ChatModelResource
) -> Iterator[tuple[Makers, Run]]:
    """Open the configured roles.

    Raises:
        ConfigError: no key, or a family that there is not.
    """
    settings, server = configuration.cowork, server_of(configuration.model)
    with asyncio.Runner() as runner:
        if settings.roles == "procedural":
            yield procedural_makers(settings, library), runner.run
            return
        opening = chat_model.open(asset="cowork_environments", purpose="roles")
        model = runner.run(opening.__aenter__())
        try:
            yield prompted_makers(model, library, server), runner.run
        finally:
            runner.run(opening.__aexit__(None, None, None))
