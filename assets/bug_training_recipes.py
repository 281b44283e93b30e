"""What decides a bug model, which rows it sees, and how it is served."""

from collections.abc import Iterable
from pathlib import Path

from assets.rollout_recipes import experiment_keys
from assets.training_recipes import base_of, base_sources, common_order, template_of
from envplatform.configuration import BugModelSettings, Configuration
from envplatform.learning.serving.orders import ServingOrder
from envplatform.learning.training.checkpoint import Checkpoint
from envplatform.learning.training.order import TrainingOrder
from envplatform.store import Store
from envplatform.swe.inducers.learned.supervision import SupervisionRow


def bug_model_keys(configuration: Configuration) -> tuple[str, ...]:
    """Names of the experiments that train models of bugs."""
    return tuple(configuration.bug_models.experiments)


def all_experiment_keys(configuration: Configuration) -> tuple[str, ...]:
    """Names of all experiments, whatever they are configured to do."""
    known = (
        experiment_keys(configuration),
        bug_model_keys(configuration),
        configuration.training.experiments,
        configuration.grpo.experiments,
        configuration.distillation.experiments,
    )
    return tuple(dict.fromkeys(name for names in known for name in names))


def bug_model_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """What one experiment's settings, base and trainer are; empty without one."""
    settings = configuration.bug_models.experiments.get(name)
    return base_sources(settings, store) if settings else {}


def bug_model_order(settings: BugModelSettings, rows: Path) -> TrainingOrder:
    """Return the order of training on prompts and their right answers."""
    return common_order(
        settings,
        rows,
        kind="sft_completion",
        steps=settings.steps,
        epochs=settings.epochs,
        batch=settings.batch,
        micro_batch=settings.micro_batch,
        learning_rate=settings.learning_rate,
        packing=settings.packing,
    )


def serving_order(
    settings: BugModelSettings, found: Checkpoint, *, name: str
) -> ServingOrder:
    """Return how a trained adapter is loaded to be asked."""
    return ServingOrder(
        name=name,
        base=base_of(settings),
        checkpoint=found.folder,
        template=template_of(settings),
        dtype=settings.dtype,
        device=settings.device,
        threads=settings.threads,
    )


def shortest(rows: Iterable[SupervisionRow], count: int | None) -> list[SupervisionRow]:
    """The `count` shortest rows, or all of them; always in order of length and id."""
    ordered = sorted(
        rows, key=lambda row: (len(row.prompt) + len(row.completion), row.row_id)
    )
    return ordered if count is None else ordered[:count]
