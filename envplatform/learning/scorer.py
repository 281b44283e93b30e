"""Scores from a process of its own, so that whoever asks never loads torch."""

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from typing import IO

from envplatform.errors import StudentError
from envplatform.learning.conversation import Conversation
from envplatform.learning.protocol import (
    CONVERSATION,
    ORDER,
    SCORE,
    STUDENT,
    ScoringOrder,
    StudentRecord,
)
from envplatform.trajectories.scores import TrajectoryScore

_SAID = 2000
"""Characters of the process's last words that an error repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A student at work."""

    student: StudentRecord
    scores: Iterator[TrajectoryScore]
    """One for each conversation, in their order."""


def learning_tools() -> dict[str, str]:
    """Names and versions of what scores depend on, without loading it.

    Raises:
        StudentError: it is not installed.
    """
    try:
        return {name: metadata.version(name) for name in ("torch", "transformers")}
    except metadata.PackageNotFoundError as error:
        msg = f"{error.name} is not installed: pip install 'envplatform[learning]'"
        raise StudentError(msg) from error


@contextmanager
def score_trajectories(
    conversations: Iterable[Conversation], order: ScoringOrder
) -> Iterator[Scoring]:
    """Load the student and score; the process ends on leaving.

    Raises:
        StudentError: the model can't be used, torch is missing, or the process died.
    """
    learning_tools()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.write(ORDER.dump_json(order) + b"\n")
        for one in conversations:
            given.write(CONVERSATION.dump_json(one) + b"\n")
        given.seek(0)
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "envplatform.learning.score_process"],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process:
            try:
                lines = _lines(process, errors)
                student = STUDENT.validate_json(next(lines, b""))
                yield Scoring(student=student, scores=map(SCORE.validate_json, lines))
            finally:
                process.kill()


def _lines(process: subprocess.Popen[bytes], errors: IO[bytes]) -> Iterator[bytes]:
    """What the process says until it ends, if it ends well.

    Raises:
        StudentError: it does not.
    """
    yield from process.stdout or ()
    if process.wait() != 0:
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").strip()[-_SAID:]
        msg = f"scoring failed (exit code {process.returncode}): {said}"
        raise StudentError(msg)
