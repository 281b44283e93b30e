"""From `[rollouts]` in envplatform.toml to plans: what a batch is, as values."""

from envplatform.configuration import (
    Configuration,
    ModelSettings,
    RolloutBatchSettings,
    RolloutSettings,
)
from envplatform.configuration.harnesses import ASKS_A_MODEL
from envplatform.errors import ConfigError
from envplatform.llm.opening import server_of
from envplatform.rollout.plan import Plan, Sampling
from envplatform.trajectories import RolloutLimits


def rollout_limits(
    settings: RolloutSettings, batch: RolloutBatchSettings | None = None
) -> RolloutLimits:
    """Return the limits of one rollout: the batch's own before those of all."""
    own = {} if batch is None else batch.model_dump(exclude_none=True)
    return RolloutLimits(
        turns=own.get("turns", settings.turns),
        tool_calls=own.get("tool_calls", settings.tool_calls),
        tokens=own.get("tokens", settings.tokens),
        seconds=own.get("seconds", settings.seconds),
        command_s=settings.command_seconds,
        output_bytes=settings.output_bytes,
    )


def batch_of(configuration: Configuration, name: str) -> RolloutBatchSettings:
    """Return a batch.

    Raises:
        ConfigError: there is none of this name.
    """
    batches = configuration.rollouts.batches
    if name not in batches:
        known = ", ".join(sorted(batches)) or "none"
        msg = f"envplatform.toml has no [rollouts.{name}]; there are: {known}"
        raise ConfigError(msg)
    return batches[name]


def model_of(
    configuration: Configuration, batch: RolloutBatchSettings
) -> ModelSettings | None:
    """Return the model that acts; None where none does. A server means `openai`."""
    if batch.harness not in ASKS_A_MODEL:
        return None
    changed: dict[str, object] = {}
    if batch.model:
        changed["name"] = batch.model
    if batch.base_url:
        changed |= {"base_url": batch.base_url, "kind": "openai"}
    settings = configuration.model.model_dump()
    return ModelSettings.model_validate({**settings, **changed})


def user_model_of(
    configuration: Configuration, batch: RolloutBatchSettings
) -> ModelSettings | None:
    """Return the model that words what users inside say; None: the plans' own words."""
    is_asked = configuration.rollouts.user_wording == "model"
    if batch.harness not in ASKS_A_MODEL or not is_asked:
        return None
    return configuration.user_model_or_model


def plan_of(configuration: Configuration, name: str) -> Plan:
    """Return what is done in each environment of a batch.

    Raises:
        ConfigError: there is no such batch.
    """
    batch = batch_of(configuration, name)
    model = model_of(configuration, batch)
    sampling = Sampling()
    if model is not None:
        sampling = Sampling(
            model=model.name,
            server=" ".join((server_of(model), *sorted(model.omit))),
            temperature=batch.temperature,
            answer_tokens=batch.answer_tokens,
        )
    words = user_model_of(configuration, batch)
    return Plan(
        harness=batch.harness,
        user_words=" ".join((words.name, server_of(words))) if words else "",
        judge=judge_of(configuration),
        sampling=sampling,
        limits=rollout_limits(configuration.rollouts, batch),
        seeds=tuple(range(batch.seed, batch.seed + batch.attempts)),
        perturbations=batch.perturbations,
    )


def judge_of(configuration: Configuration) -> str:
    """Name and server of who scores what code can't; empty: nobody does."""
    judge = configuration.judge_model
    return " ".join((judge.name, server_of(judge))) if judge else ""
