"""The configured chat model as a Dagster resource."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import dagster as dg

from envplatform.configuration import load_configuration
from envplatform.llm.chat import ChatModel
from envplatform.llm.opening import open_model


class ChatModelResource(dg.ConfigurableResource[ChatModel]):
    """Opens whatever `[model]` names, within its budget, recorded and in the ledger."""

    path: str
    """Absolute path of envplatform.toml. Not a nested ConfigurationResource: resolving
    one makes Dagster 1.13.27 warn about itself.
    """
    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""

    def open(
        self, *, asset: str, purpose: str
    ) -> AbstractAsyncContextManager[ChatModel]:
        """The model, for `async with`; the budget is for this opening.

        Raises:
            ConfigError: on entering: no key, or settings that contradict each other.
        """
        return open_model(
            load_configuration(Path(self.path)).model,
            folder=Path(self.home) / "models",
            asset=asset,
            purpose=purpose,
        )
