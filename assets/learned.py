"""Who answers for the inducers `model` and `pattern`: an adapter here, or a server."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from assets.bug_training_recipes import serving_order
from envplatform.configuration import (
    LEARNED,
    Configuration,
    LearnedSamplingSettings,
    ModelSettings,
)
from envplatform.errors import ConfigError
from envplatform.learning.serving.served import served_model
from envplatform.learning.training.published import CheckpointRow, kept_checkpoint
from envplatform.llm.chat import ChatModel
from envplatform.llm.opening import open_model, server_of
from envplatform.store import Store
from envplatform.swe.inducers.learned import REVISION as SAMPLING
from envplatform.swe.inducers.learned import (
    LearnedInducer,
    LearnedName,
    Sampler,
    SamplingPlan,
)
from envplatform.swe.inducers.learned.judge import REVISION as JUDGING
from resources.models import ChatModelResource

_ASSETS: dict[LearnedName, Literal["bug_model", "pattern_model"]] = {
    "model": "bug_model",
    "pattern": "pattern_model",
}
"""The asset whose adapter answers, and the section of a server that serves one."""
_KEY = "ENVPLATFORM_SERVED"
_PATIENCE_S = 3_600.0
"""For one sample of a model on this machine, those before it included."""


def learned_tools(configuration: Configuration) -> dict[str, str]:
    """What takes part in sampling where an inducer that learned is asked.

    An experiment's adapter is no tool but an input, see `adapters_of`.
    """
    synthesis = configuration.synthesis
    asked = [name for name in _ASSETS if name in synthesis.inducers]
    if not asked:
        return {}
    tools = {
        "learned inducers": f"{SAMPLING}.{JUDGING}",
        "sampling": synthesis.sampling.model_dump_json(),
    }
    if not synthesis.sampling.experiment:
        for name in asked:
            served = _served(configuration, name)
            tools[_ASSETS[name]] = f"{served.name} {server_of(served)}"
    if "pattern" in asked:
        executor = configuration.executor_model_or_model
        tools["executor"] = f"{executor.name} {server_of(executor)}"
    return tools


def adapters_of(name: LearnedName) -> Callable[[Configuration, str], tuple[str, ...]]:
    """Return what finds the experiment whose adapter an inducer asks; often none."""

    def read(configuration: Configuration, _: str) -> tuple[str, ...]:
        synthesis = configuration.synthesis
        experiment = synthesis.sampling.experiment
        return (experiment,) if experiment and name in synthesis.inducers else ()

    return read


def untrained(configuration: Configuration, store: Store) -> dict[str, str]:
    """Inducers that can propose nothing, to why and what is to be done about it.

    Raises:
        ConfigError: no inducer is left.
    """
    found: dict[str, str] = {}
    for name, asset in _ASSETS.items():
        for experiment in adapters_of(name)(configuration, ""):
            if _row(store, asset, experiment) is None:
                found[name] = (
                    f"the inducer {name} proposes nothing: {asset} of {experiment!r} "
                    f"(synthesis.sampling.experiment) was never trained; materialise "
                    f"{asset} for the partition {experiment!r}, then bug_candidates"
                )
    if found and found.keys() >= set(configuration.synthesis.inducers):
        raise ConfigError("; ".join(found.values()))
    return found


def _row(store: Store, asset: str, experiment: str) -> CheckpointRow | None:
    """The checkpoint of an experiment; None if it was never trained."""
    if store.manifest(asset, experiment) is None:
        return None
    rows = store.rows(CheckpointRow, asset, experiment)
    return rows[0] if rows else None


def _served(configuration: Configuration, name: LearnedName) -> ModelSettings:
    """The server of a section; the configuration was checked to have it."""
    settings = (
        configuration.bug_model if name == "model" else configuration.pattern_model
    )
    if settings is None:
        msg = f"synthesis.inducers: {name} needs a section [{_ASSETS[name]}]"
        raise ConfigError(msg)
    return settings


def plan_of(settings: LearnedSamplingSettings) -> SamplingPlan:
    """The plan that the configuration asks for."""
    return SamplingPlan(**settings.model_dump(exclude={"experiment"}))


@dataclass(frozen=True, slots=True)
class _Opening:
    """Opens models within one event loop, and closes them with it."""

    configuration: Configuration
    store: Store
    chat_model: ChatModelResource
    runner: asyncio.Runner
    stack: AsyncExitStack

    def inducer(self, name: LearnedName) -> LearnedInducer:
        """Open all that one inducer asks.

        Raises:
            ConfigError: no key.
            StudentError: the adapter can't be served.
        """
        executor = None
        if name == "pattern":
            settings = self.configuration.executor_model_or_model
            executor = self._remote(settings, purpose="change")
        return LearnedInducer(
            name=name,
            sampler=self._sampler(name),
            plan=plan_of(self.configuration.synthesis.sampling),
            executor=executor,
        )

    def _sampler(self, name: LearnedName) -> Sampler:
        experiment = self.configuration.synthesis.sampling.experiment
        if experiment:
            return self._local(name, experiment)
        return self._remote(_served(self.configuration, name), purpose=_ASSETS[name])

    def _remote(self, settings: ModelSettings, *, purpose: str) -> Sampler:
        opening = self.chat_model.open(
            asset="bug_candidates", purpose=purpose, settings=settings
        )
        model = self._enter(lambda: self.stack.enter_async_context(opening))
        server = server_of(settings)
        return self._of(model, f"{settings.name} {server}", server)

    def _local(self, name: LearnedName, experiment: str) -> Sampler:
        asset = _ASSETS[name]
        row = _row(self.store, asset, experiment)
        if row is None:
            msg = f"{asset} of {experiment!r} was never trained"
            raise ConfigError(msg)
        order = serving_order(
            self.configuration.bug_models.experiments[experiment],
            kept_checkpoint(self.store, row.checkpoint),
            name=f"{asset}:{experiment}@{row.checkpoint[:12]}",
        )
        server = self.stack.enter_context(served_model(order))
        settings = ModelSettings(
            kind="openai",
            name=order.name,
            base_url=server.base_url,
            api_key_env=_KEY,
            timeout_s=_PATIENCE_S,
            concurrency=1,
            record="off",  # the address is another each time
        )
        opening = open_model(
            settings,
            folder=self.store.home / "models",
            asset="bug_candidates",
            purpose=asset,
            environ={_KEY: server.key},
        )
        model = self._enter(lambda: self.stack.enter_async_context(opening))
        return self._of(model, row.checkpoint, "here")

    def _enter(self, entering: Callable[[], Awaitable[ChatModel]]) -> ChatModel:
        async def enter() -> ChatModel:
            return await entering()

        return self.runner.run(enter())

    def _of(self, model: ChatModel, digest: str, server: str) -> Sampler:
        return Sampler(
            model=model,
            digest=digest,
            run=self.runner.run,
            results=self.store.results("sample"),
            clock=time.perf_counter,
            server=server,
        )


@contextmanager
def learned_inducers(
    store: Store, chat_model: ChatModelResource, configuration: Configuration
) -> Iterator[dict[str, LearnedInducer]]:
    """Open the inducers that learned, by name, but for those that are untrained.

    Raises:
        ConfigError: no key, or no inducer is left.
        StudentError: an adapter can't be served.
    """
    lost = untrained(configuration, store)
    asked: list[Any] = [
        name
        for name in configuration.synthesis.inducers
        if name in LEARNED and name not in lost
    ]
    if not asked:
        yield {}
        return
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        opening = _Opening(configuration, store, chat_model, runner, stack)
        try:
            yield {name: opening.inducer(name) for name in asked}
        finally:
            runner.run(stack.aclose())
