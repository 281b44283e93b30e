"""What decides a student's scores: its settings, its files, the tools that read it."""

from importlib import resources
from pathlib import Path

from assets.rollout_recipes import experiment_of
from envplatform.configuration import (
    EMBEDDED_STUDENT,
    SHIPPED_TEMPLATES,
    Configuration,
    StudentSettings,
)
from envplatform.errors import StudentError
from envplatform.learning.file_digests import remembered_digests
from envplatform.learning.protocol import ScoringOrder, StudentFile
from envplatform.learning.scorer import learning_tools
from envplatform.learning.student_files import student_digest, student_files
from envplatform.llm.embedded import embedded_gguf
from envplatform.store import Store
from envplatform.store.values import digest_json

_PATHS = {"model", "template"}
_CACHE, _MEMORY = "students", "digests.json"


def order_of(student: StudentSettings) -> ScoringOrder:
    """Return what the scoring process is asked.

    Raises:
        ModelError: it is the embedded model, which is not installed.
    """
    embedded = student.model == EMBEDDED_STUDENT
    return ScoringOrder(
        model=embedded_gguf() if embedded else Path(student.model),
        dtype=student.dtype,
        device=student.device,
        template=template_file(student.template),
        max_length=student.max_length,
        chunk_rows=student.chunk,
    )


def template_file(name: str) -> Path | None:
    """Return the chat template of a path or of what ships; None: the model's own."""
    if name in SHIPPED_TEMPLATES:
        folder = resources.files("envplatform") / "data" / "templates"
        return Path(str(folder / f"{name}.jinja"))
    return Path(name) if name else None


def score_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """What the student of one experiment is; empty without one.

    Its files are read once, and again when their size or time of change differs.

    Raises:
        StudentError: no model, or what scores is not installed.
    """
    experiment = experiment_of(configuration, name)
    student = experiment.student if experiment else None
    if student is None:
        return {}
    settings = student.model_dump(mode="json", exclude=_PATHS)
    return {
        "student": _model_digest(order_of(student), store),
        "scoring": digest_json({"settings": settings, "tools": learning_tools()}),
    }


def _model_digest(order: ScoringOrder, store: Store) -> str:
    return student_digest(*remembered_files(order.model, order.template, store))


def remembered_files(
    model: Path, template: Path | None, store: Store
) -> tuple[tuple[StudentFile, ...], str]:
    """Files of a model and SHA-256 (hex) of its template, empty without one.

    Raises:
        StudentError: no model, or one of them can't be read.
    """
    with remembered_digests(store.cache_folder(_CACHE) / _MEMORY) as digest_of:
        try:
            files = student_files(model, digest=digest_of)
            return files, digest_of(template) if template else ""
        except OSError as error:
            msg = f"the student's files can't be read: {error}"
            raise StudentError(msg) from error
