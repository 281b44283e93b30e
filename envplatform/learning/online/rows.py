"""Rows of plays as JSON lines, read with distrust. Loads no torch."""

from collections.abc import Iterable
from pathlib import Path

from envplatform.learning.training.rows import checked_rows, read_rows, write_rows
from envplatform.trajectories.playing import PLAY_ROW, PlayRow


def write_play_rows(path: Path, rows: Iterable[PlayRow]) -> None:
    """Write rows of `grpo`, one a line."""
    write_rows(path, (PLAY_ROW.dump_json(row) for row in rows))


def read_play_rows(path: Path) -> tuple[PlayRow, ...]:
    """Read rows of `grpo`.

    Raises:
        TrainingError: a line is none, two have one id, or there is no line.
    """
    return checked_rows(path, read_rows(path, PLAY_ROW), "row_id")
