"""The configured chat models as a Dagster resource."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Literal

import dagster as dg
from pydantic import PrivateAttr

from envplatform.configuration import ModelSettings, load_configuration
from envplatform.llm.budget import Budget
from envplatform.llm.chat import ChatModel
from envplatform.llm.opening import budget_of, open_model

Role = Literal["model", "issue_model", "annotator_model"]
"""Section of envplatform.toml; all others fall back to `model`."""


class ChatModelResource(dg.ConfigurableResource[ChatModel]):
    """Opens whatever `[model]` names, within its budget, recorded and in the ledger."""

    path: str
    """Absolute path of envplatform.toml. Not a nested ConfigurationResource: resolving
    one makes Dagster 1.13.27 warn about itself.
    """
    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""
    _budgets: dict[tuple[Role, str], Budget] = PrivateAttr(default_factory=dict)

    def open(
        self,
        *,
        asset: str,
        purpose: str,
        role: Role = "model",
        settings: ModelSettings | None = None,
    ) -> AbstractAsyncContextManager[ChatModel]:
        """The model, for `async with`; all openings of an asset in a run share a budget.

        `settings` stand in for the section of envplatform.toml.

        Raises:
            ConfigError: on entering: no key, or settings that contradict each other.
        """
        settings = settings or self.settings(role)
        budget = self._budgets.setdefault((role, asset), budget_of(settings))
        return open_model(
            settings,
            folder=Path(self.home) / "models",
            asset=asset,
            purpose=purpose,
            budget=budget,
        )

    def settings(self, role: Role = "model") -> ModelSettings:
        """What envplatform.toml says of it."""
        configuration = load_configuration(Path(self.path))
        if role == "issue_model":
            return configuration.issue_model_or_model
        if role == "annotator_model":
            return configuration.annotator_model_or_model
        return configuration.model
