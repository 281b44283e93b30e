"""What checkpoints trained on plays and by distillation share: the base, the parent, own settings."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from assets.batch import Batch
from assets.training_recipes import training_of
from envplatform.configuration import (
    Configuration,
    DistilSettings,
    ExperimentTrainingSettings,
    GrpoSettings,
)
from envplatform.errors import ConfigError, StoreError
from envplatform.learning.training.checkpoint import KIND
from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.published import CheckpointRow
from envplatform.store import Store

SFT = "sft_checkpoint"


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


def with_own(
    order: TrainingOrder, settings: GrpoSettings | DistilSettings
) -> TrainingOrder:
    """Put what both kinds of settings say of length, seeds and checkpoints into an order."""
    return replace(
        order,
        max_length=settings.max_length,
        seed=settings.seed,
        data_seed=settings.seed,
        checkpoint_every=settings.checkpoint_every,
    )
