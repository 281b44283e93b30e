"""What decides the rollouts of arms: the tasks, the protocol, the model of each arm."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assets.batch import Batch
from assets.on_policy_recipes import base_settings, checkpoint_folder
from assets.training_recipes import base_of, base_sources, template_of
from envplatform.configuration import (
    ArmExperimentSettings,
    CheckpointKind,
    Configuration,
    RolloutBatchSettings,
)
from envplatform.errors import ConfigError
from envplatform.learning.serving.orders import ServingOrder
from envplatform.rollout.plan import Plan, Sampling
from envplatform.rollout.settings import judge_of, rollout_limits
from envplatform.store import Store
from envplatform.store.values import digest_json

_ASSETS: Mapping[CheckpointKind, str] = {
    "sft": "sft_checkpoint",
    "grpo": "grpo_checkpoint",
    "distilled": "distilled_checkpoint",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmModel:
    """Who acts in an arm."""

    order: ServingOrder
    digest: str
    """Of base, template and checkpoint: not of where they lie."""


def arm_keys(configuration: Configuration) -> tuple[str, ...]:
    """Names of all experiments with arms."""
    return tuple(configuration.experiments.experiments)


def experiment_of(configuration: Configuration, name: str) -> ArmExperimentSettings:
    """Return an experiment.

    Raises:
        ConfigError: there is none of this name.
    """
    experiments = configuration.experiments.experiments
    if name not in experiments:
        known = ", ".join(sorted(experiments)) or "none"
        msg = f"envplatform.toml has no [experiments.{name}]; there are: {known}"
        raise ConfigError(msg)
    return experiments[name]


def rollout_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """The arms, their base models, the tasks, the protocol and who judges."""
    settings = experiment_of(configuration, name)
    said = settings.model_dump(mode="json", include={"arms", "rollouts", "retained"})
    limits = configuration.rollouts.model_dump(mode="json", include={"command_seconds"})
    bases = {
        arm: base_sources(base_settings(configuration, one.training), store)["base"]
        for arm, one in settings.arms.items()
    }
    arms = {"arms": digest_json({"said": said, "bases": bases, "limits": limits})}
    judge = judge_of(configuration)
    return {**arms, "judge": digest_json(judge)} if judge else arms


def comparison_sources(
    configuration: Configuration, name: str, _: Store
) -> dict[str, str]:
    """What is held against what, and how."""
    settings = experiment_of(configuration, name)
    said = settings.model_dump(mode="json", exclude={"rollouts", "retained"})
    return {"comparison": digest_json(said)}


def arm_model(
    batch: Batch[Any], configuration: Configuration, name: str, arm: str
) -> ArmModel:
    """Return who acts in an arm.

    Raises:
        ConfigError: nothing says what its base is.
        StoreError: its checkpoint is not there yet.
    """
    one = experiment_of(configuration, name).arms[arm]
    training = base_settings(configuration, one.training)
    folder = (
        None
        if one.checkpoint == "base"
        else checkpoint_folder(batch.store, _ASSETS[one.checkpoint], one.training)
    )
    base = base_sources(training, batch.store)["base"]
    return ArmModel(
        order=ServingOrder(
            name=policy_of(name, arm),
            base=base_of(training),
            checkpoint=folder,
            template=template_of(training),
            dtype=training.dtype,
            device=training.device,
            threads=training.threads,
        ),
        digest=digest_json({"base": base, "checkpoint": folder.name if folder else ""}),
    )


def plan_of_arm(
    configuration: Configuration,
    name: str,
    arm: str,
    model: ArmModel,
    settings: RolloutBatchSettings,
) -> Plan:
    """Return what an arm does in each environment; the server's address is no part."""
    own = experiment_of(configuration, name).arms[arm].harness
    return Plan(
        harness=own or settings.harness,
        sampling=Sampling(
            model=policy_of(name, arm),
            server=model.digest,
            temperature=settings.temperature,
            answer_tokens=settings.answer_tokens,
        ),
        limits=rollout_limits(configuration.rollouts, settings),
        judge=judge_of(configuration),
        seeds=tuple(range(settings.seed, settings.seed + settings.attempts)),
    )


def policy_of(name: str, arm: str) -> str:
    """By what records call an arm's model."""
    return f"{name}.{arm}"
