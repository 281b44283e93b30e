"""What decides a checkpoint: settings, base model, rows, the tools that train."""

from importlib import metadata
from pathlib import Path

from assets.score_recipes import remembered_files, template_file
from envplatform.configuration import (
    EMBEDDED_STUDENT,
    Configuration,
    ExperimentTrainingSettings,
)
from envplatform.errors import StudentError
from envplatform.learning.student_files import student_digest
from envplatform.learning.training.order import (
    LoraSettings,
    TrainingOrder,
)
from envplatform.llm.embedded import embedded_gguf
from envplatform.store import Store
from envplatform.store.values import digest_json

EMBEDDED_LICENCE = "Apache-2.0"
_ELSEWHERE = frozenset({"base", "template", "threads", "sft"})
"""Of an experiment: what other sources tell of, or what changes no weight."""
_TOOLS = ("peft", "torch", "transformers", "trl")


def training_of(
    configuration: Configuration, name: str
) -> ExperimentTrainingSettings | None:
    """Return how an experiment is trained; None where nothing is said of it."""
    return configuration.training.experiments.get(name)


def base_of(settings: ExperimentTrainingSettings) -> Path:
    """Return the base model's folder or file.

    Raises:
        ModelError: it is the embedded model, which is not installed.
    """
    embedded = settings.base == EMBEDDED_STUDENT
    return embedded_gguf() if embedded else Path(settings.base)


def template_of(settings: ExperimentTrainingSettings) -> Path | None:
    """Return the file of the chat template; None: the base's own."""
    return template_file(settings.template)


def training_tools() -> dict[str, str]:
    """Names and versions of what trains, without loading it.

    Raises:
        StudentError: it is not installed.
    """
    try:
        return {name: metadata.version(name) for name in _TOOLS}
    except metadata.PackageNotFoundError as error:
        msg = f"{error.name} is not installed: pip install 'envplatform[learning]'"
        raise StudentError(msg) from error


def base_sources(settings: ExperimentTrainingSettings, store: Store) -> dict[str, str]:
    """What the base model and its template are; and what all trainings share.

    Raises:
        StudentError: no model, or what trains is not installed.
    """
    files, template = remembered_files(base_of(settings), template_of(settings), store)
    shared = settings.model_dump(mode="json", exclude=set(_ELSEWHERE))
    return {
        "base": student_digest(files, template),
        "trainer": digest_json({"settings": shared, "tools": training_tools()}),
    }


def sft_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """What one experiment's supervised training is; empty without one."""
    settings = training_of(configuration, name)
    if settings is None or settings.sft is None:
        return {}
    own = digest_json(settings.sft.model_dump(mode="json"))
    return {**base_sources(settings, store), "sft": own}


def common_order(
    settings: ExperimentTrainingSettings, rows: Path, **further: object
) -> TrainingOrder:
    """Return an order with all that trainings of one experiment share.

    `further` are fields of the order, `kind` among them.
    """
    embedded = settings.base == EMBEDDED_STUDENT
    return TrainingOrder(
        base=base_of(settings),
        base_licence=EMBEDDED_LICENCE if embedded else settings.base_licence,
        rows=rows,
        template=template_of(settings),
        lora=LoraSettings(
            r=settings.rank,
            alpha=settings.alpha,
            dropout=settings.dropout,
            targets=settings.targets,
        ),
        max_length=settings.max_length,
        gradient_checkpointing=settings.gradient_checkpointing,
        seed=settings.seed,
        data_seed=settings.data_seed,
        dtype=settings.dtype,
        device=settings.device,
        attention=settings.attention,
        threads=settings.threads,
        checkpoint_every=settings.checkpoint_every,
        **further,  # type: ignore[arg-type]  # checked by the order itself
    )


def sft_order(settings: ExperimentTrainingSettings, rows: Path) -> TrainingOrder:
    """Return the order of supervised training on selected trajectories."""
    sft = settings.sft
    if sft is None:
        msg = "no [training.NAME.sft]"
        raise ValueError(msg)
    return common_order(
        settings,
        rows,
        kind="sft_conversation",
        exact_rows=sft.exact_rows,
        steps=sft.steps,
        epochs=sft.epochs,
        batch=sft.batch,
        micro_batch=sft.micro_batch,
        learning_rate=sft.learning_rate,
        schedule=sft.schedule,
        warmup_steps=sft.warmup_steps,
        packing=sft.packing,
        external=sft.command,
    )
