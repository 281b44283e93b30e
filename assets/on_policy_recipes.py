"""What decides checkpoints trained on plays or by distillation: orders and their rows."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from assets.batch import Batch
from assets.rollout_recipes import environments_in, rollout_code
from assets.training_recipes import base_sources, common_order, training_of
from envplatform.bundle import Environment, read_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import (
    EMBEDDED_STUDENT,
    Configuration,
    DistilSettings,
    ExperimentTrainingSettings,
    GrpoSettings,
)
from envplatform.errors import ConfigError, EnvPlatformError, StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.learning.conversation import Conversation, conversation_of
from envplatform.learning.distillation.settings import DistillationSettings
from envplatform.learning.online.settings import OnlineSettings
from envplatform.learning.student_files import student_digest
from envplatform.learning.training.checkpoint import KIND
from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.published import CheckpointRow
from envplatform.llm.chat import Message
from envplatform.llm.embedded import embedded_gguf
from envplatform.rollout.dialects import FENCED, NATIVE
from envplatform.rollout.separation import check_solver
from envplatform.rollout.settings import judge_of
from envplatform.store import Store
from envplatform.store.values import digest_json
from envplatform.trajectories import RolloutLimits, Trajectory
from envplatform.trajectories.playing import PlayerOrder, PlayRow

PLAYER = (sys.executable, "-P", "-m", "envplatform.rollout.play_process")
"""Command of the process that plays environments for a trainer."""
SFT = "sft_checkpoint"


def grpo_of(configuration: Configuration, name: str) -> GrpoSettings | None:
    """What an experiment says of GRPO; None: nothing."""
    return configuration.grpo.experiments.get(name)


def distillation_of(configuration: Configuration, name: str) -> DistilSettings | None:
    """What an experiment says of distillation; None: nothing."""
    return configuration.distillation.experiments.get(name)


def base_settings(
    configuration: Configuration, name: str
) -> ExperimentTrainingSettings:
    """The model that an experiment trains.

    Raises:
        ConfigError: nothing is said of it.
    """
    settings = training_of(configuration, name)
    if settings is None:
        known = ", ".join(sorted(configuration.training.experiments)) or "none"
        msg = (
            f"envplatform.toml has no [training.{name}], which names the base model; "
            f"there are: {known}"
        )
        raise ConfigError(msg)
    return settings


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


def distillation_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """What decides the checkpoint of one experiment; empty without one."""
    settings = distillation_of(configuration, name)
    if settings is None:
        return {}
    return {
        **base_sources(base_settings(configuration, name), store),
        "teacher": teacher_digest_of(settings),
        "distillation": digest_json(
            settings.model_dump(mode="json", exclude={"teacher"})
        ),
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


def parent_of(batch: Batch[Any], name: str, goes_on_from: str) -> Path | None:
    """The checkpoint that training goes on from; None: a fresh adapter.

    Raises:
        StoreError: it is not there yet.
    """
    return None if goes_on_from == "base" else checkpoint_folder(batch.store, SFT, name)


def checkpoint_folder(store: Store, asset: str, name: str) -> Path:
    """Where the checkpoint that an asset published for an experiment lies.

    Raises:
        StoreError: there is none.
    """
    rows = store.rows(CheckpointRow, asset, name) if store.manifest(asset, name) else []
    if not rows:
        msg = f"{asset} of {name!r} has no checkpoint yet: materialise that partition"
        raise StoreError(msg)
    return store.directory(KIND, rows[0].checkpoint)


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
    return _own(order, settings)


def distillation_order(
    configuration: Configuration,
    name: str,
    rows: Path,
    *,
    parent: Path | None,
    teacher_checkpoint: Path | None,
) -> TrainingOrder:
    """What is learnt of an experiment, and from whom."""
    base = base_settings(configuration, name)
    settings = distillation_of(configuration, name)
    if settings is None:
        msg = f"no [distillation.{name}]"
        raise ConfigError(msg)
    order = common_order(
        base,
        rows,
        kind="distillation",
        distillation=DistillationSettings(
            teacher=teacher_of(settings),
            teacher_checkpoint=teacher_checkpoint,
            on=settings.on,
            answer_tokens=settings.answer_tokens,
            temperature=settings.temperature,
            chunk_rows=settings.chunk,
        ),
        parent=parent,
        steps=settings.steps,
        batch=settings.batch,
        micro_batch=settings.micro_batch,
        learning_rate=settings.learning_rate,
    )
    return _own(order, settings)


def learnt_rows(batch: Batch[Any], settings: DistilSettings) -> list[Conversation]:
    """The student's recorded rollouts, or their openings without tools.

    Raises:
        EnvPlatformError: a batch has none.
    """
    found: list[Conversation] = []
    for name in settings.batches:
        own = [
            _learnt(one, settings)
            for one in batch.scan(Trajectory, "rollouts", only=[name])
            if one.error_class is None and one.steps
        ]
        if not own:
            msg = f"batch {name!r} has no rollout to learn on: materialise its rollouts"
            raise EnvPlatformError(msg)
        found += own
    return found


def teacher_of(settings: DistilSettings) -> Path:
    """The teacher's folder or file.

    Raises:
        ModelError: it is the embedded model, which is not installed.
    """
    embedded = settings.teacher == EMBEDDED_STUDENT
    return embedded_gguf() if embedded else Path(settings.teacher)


def teacher_digest_of(settings: DistilSettings) -> str:
    """Of the teacher's files, read through.

    Raises:
        StudentError: there is no model.
    """
    from envplatform.learning.student_files import student_files  # noqa: PLC0415

    return student_digest(student_files(teacher_of(settings)), "")


def policy_name(name: str) -> str:
    """By what records call the model that an experiment trains."""
    return f"grpo.{name}"


def _learnt(one: Trajectory, settings: DistilSettings) -> Conversation:
    if settings.on == "rollouts":
        return conversation_of(one)
    return Conversation(trajectory_id=one.trajectory_id, messages=one.prompt)


def _own(
    order: TrainingOrder, settings: GrpoSettings | DistilSettings
) -> TrainingOrder:
    return replace(
        order,
        max_length=settings.max_length,
        seed=settings.seed,
        data_seed=settings.seed,
        checkpoint_every=settings.checkpoint_every,
    )
