"""What becomes of one foreign task: an environment, or the reasons why it is none.

Here: the record that every importer gives. Not here: reading a format (one folder
each), executing anything (`proving`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from envplatform.bundle import Environment

Reason = Literal[
    "malformed",  # the task's own files can't be read as the format says
    "unsafe",  # a path leaves its folder, a link, a device, too many bytes
    "missing_file",  # it declares a file that is not there
    "unsupported",  # it needs what no environment of ours gives
    "image_unavailable",  # its machine can't be made here
    "verifier_broken",  # no verdict on the untouched workspace, or no valid one
    "nondeterministic",  # gradings of one state differ
    "floor_above_zero",  # doing nothing is paid
    "needs_tool_calls",  # the grader looks for tool calls, which no grader here gets
    "needs_repository",  # the grader looks into .git, which is never taken home
    "no_oracle",  # nobody showed that it can be solved
    "oracle_failed",  # the solution ends with an error, or scores less than 1
    "gate",  # another check of the gate's core failed
    "sandbox_failed",  # the sandbox did, and nothing is known of the task: try again
]
"""Why a task is kept out. A task may have several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One reason, and where to look."""

    reason: Reason
    detail: str
    """One line; names the file, the field or the exception."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTask:
    """One task of a foreign set."""

    task_id: str
    environment: Environment | None
    """With its audit where the gate ran. None where it could not be made."""
    problems: tuple[Problem, ...] = ()
    """Each keeps the task out."""
    findings: tuple[str, ...] = ()
    """What is odd about it and keeps nothing out."""
    floor: float | None = None
    """Reward of the untouched workspace; None where there was no verdict."""
    oracle: float | None = None
    """Reward of the solution; None where there is none, or no verdict."""

    @property
    def accepted(self) -> bool:
        """Whether it may be used."""
        return self.environment is not None and not self.problems


def is_wanted(task_id: str, only: str) -> bool:
    """Whether a task is of the pattern that was asked for; case counts."""
    return fnmatchcase(task_id, only)


def count_reasons(tasks: Sequence[ImportedTask]) -> dict[Reason, int]:
    """How many tasks each reason keeps out, by itself or with others; sorted."""
    found = Counter(
        reason for task in tasks for reason in {one.reason for one in task.problems}
    )
    return dict(sorted(found.items()))
