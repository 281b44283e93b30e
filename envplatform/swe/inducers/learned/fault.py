"""What can be wrong with a sample of a learned model, by name."""

from dataclasses import dataclass
from typing import Literal

from envplatform.swe.fixes.patterns.text import PatternFault

SampleFault = Literal[
    PatternFault,
    "no_answer",  # empty, withheld, or not in the chat format
    "context_length",  # the model can't read that much
    "cut_off",  # ended at the token limit
    "too_long",  # text without end, or more changed lines than any bug needs
    "template_marks",  # holds marks by which chat templates tell turns
    "no_diff",
    "several_diffs",
    "unparsable",  # looks like a diff and can't be read as one
    "other_file",  # creates, deletes, renames or changes a file that was not shown
    "does_not_apply",
    "ambiguous",  # fits at more than one place
    "no_change",
    "hidden_characters",  # controls, or signs that no editor shows
    "does_not_compile",
    "too_deep",
    "same_ast",
    "undefined_name",
    "uncovered",  # no stable test runs the changed lines
    "duplicate",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a sample is of no use."""

    name: SampleFault
    detail: str = ""
    """One line for a person; never text of the sample beyond a name in it."""
