"""How users inside speak in a session that a command opens: `[rollouts] user_wording`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from envplatform.bundle import Environment
from envplatform.cli.place import Place
from envplatform.llm.opening import open_model
from envplatform.user.wording import ModelWording, Wording


@asynccontextmanager
async def configured_wording(
    place: Place, environment: Environment, *, seed: int = 0
) -> AsyncIterator[Wording | None]:
    """Open the model that words what users say; None: the plans' own words.

    Raises:
        ConfigError: the model's settings contradict each other, or its key is missing.
    """
    configuration = place.configuration
    if configuration.rollouts.user_wording == "template" or not environment.user:
        yield None
        return
    opening = open_model(
        configuration.user_model_or_model,
        folder=place.home / "models",
        asset="run",
        purpose="user",
    )
    async with opening as model:
        yield ModelWording(model, seed=seed)
