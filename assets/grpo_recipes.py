"""What decides checkpoints trained by GRPO: who plays which environments, and the order."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assets.batch import Batch
from assets.on_policy_recipes import base_settings, with_own
from assets.rollout_recipes import environments_in, rollout_code
from assets.training_recipes import base_sources, common_order
from envplatform.bundle import Environment, read_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import Configuration, GrpoSettings
from envplatform.errors import ConfigError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.learning.online.settings import OnlineSettings
from envplatform.learning.training.order import TrainingOrder
from envplatform.llm.chat import Message
from envplatform.rollout.dialects import FENCED, NATIVE
from envplatform.rollout.separation import check_solver
from envplatform.rollout.settings import judge_of
from envplatform.store import Store
from envplatform.store.values import digest_json
from envplatform.trajectories import RolloutLimits
from envplatform.trajectories.playing import PlayerOrder, PlayRow

PLAYER = (sys.executable, "-P", "-m", "envplatform.rollout.play_process")
"""Command of the process that plays environments for a trainer."""


def grpo_of(configuration: Configuration, name: str) -> GrpoSettings | None:
    """What an experiment says of GRPO; None: nothing."""
    return configuration.grpo.experiments.get(name)


def grpo_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """What decides the checkpoint of one experiment; empty without one."""
    settings = grpo_of(configuration, name)
    if settings is None:
        return {}
    limits = configuration.rollouts.model_dump(mode="json", include={"command_seconds"})
    own = {"grpo": settings.model_dump(mode="json"), "limits": limits}
    judge = judge_of(configuration)
    return {
        **base_sources(base_settings(configuration, name), store),
        "grpo": digest_json({**own, "played by": rollout_code(None)}),
        **({"judge": digest_json(judge)} if judge else {}),
    }


def check_runner(configuration: Configuration) -> None:
    """Refuse what a container can't do: sandboxes are opened on this machine.

    Raises:
        ConfigError: training runs in a container.
    """
    if configuration.training.runner == "docker":
        msg = (
            "training.runner: plays need sandboxes, which a container without rights "
            'can\'t open; set runner = "process" to train by GRPO'
        )
        raise ConfigError(msg)


def play_rows(batch: Batch[Any], name: str, settings: GrpoSettings) -> list[PlayRow]:
    """A row for each environment that is played, in the order of digests.

    Raises:
        ConfigError: none fits, or the trained model wrote one.
    """
    rows, _ = environments_in(batch, settings)
    policy = policy_name(name)
    found = []
    for row, environment in _environments(batch, rows):
        check_solver(environment, policy)
        found.append(_play_row(row, environment, settings))
    return found


def _environments(
    batch: Batch[Any], rows: tuple[EnvironmentRow, ...]
) -> Iterator[tuple[EnvironmentRow, Environment]]:
    for row in rows:
        folder = batch.store.directory(DIRECTORY_KIND, row.digest)
        yield row, read_environment(folder, digest=row.digest)


def _play_row(
    row: EnvironmentRow, environment: Environment, settings: GrpoSettings
) -> PlayRow:
    dialect = FENCED if settings.harness == "tool_loop_fenced" else NATIVE
    return PlayRow(
        row_id=row.digest[:16],
        digest=row.digest,
        seed=settings.seed,
        prompt=(
            Message(role="system", content=dialect.opening(environment)),
            Message(role="user", content=environment.instruction),
        ),
        tools=dialect.offered(environment),
        has_user=bool(environment.user),
    )


def grpo_order(
    configuration: Configuration,
    name: str,
    rows: Path,
    *,
    home: Path,
    parent: Path | None,
) -> TrainingOrder:
    """What is trained of an experiment, and who plays for it."""
    base, settings = base_settings(configuration, name), grpo_of(configuration, name)
    if settings is None:
        msg = f"no [grpo.{name}]"
        raise ConfigError(msg)
    online = OnlineSettings(
        player=PLAYER,
        plays=PlayerOrder(
            home=home,
            sandbox=configuration.sandbox.kind,
            base_image=configuration.sandbox.base_image,
            policy=policy_name(name),
            dialect=settings.harness,
            judge=configuration.judge_model,
            limits=RolloutLimits(
                turns=settings.turns,
                tool_calls=settings.tool_calls,
                seconds=settings.seconds,
                command_s=configuration.rollouts.command_seconds,
                output_bytes=configuration.rollouts.output_bytes,
            ),
        ),
        group=settings.group,
        style=settings.style,
        answer_tokens=settings.answer_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        code_weight=settings.code_weight,
        beta=settings.beta,
    )
    order = common_order(
        base,
        rows,
        kind="grpo",
        online=online,
        parent=parent,
        steps=settings.steps,
        batch=settings.batch,
        micro_batch=settings.micro_batch,
        learning_rate=settings.learning_rate,
    )
    return with_own(order, settings)


def policy_name(name: str) -> str:
    """By what records call the model that an experiment trains."""
    return f"grpo.{name}"
