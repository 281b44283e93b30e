"""Training rows out of two versions of a file."""

from typing import Literal

from envplatform.patches import diff_trees
from envplatform.swe.fixes.reverse_patch import CodeFile, TrainingRow
from envplatform.tree import File

CORRECT = """\
class Box:
    def last(self, words):
        if not words:
            return None
        return words[len(words) - 1]


def clamp(value, low, high):
    if value < low:
        return low
    return min(value, high)
"""


def training_row(
    old: str = "        return low\n",
    new: str = "        return high\n",
    *,
    correct: str = CORRECT,
    number: int = 1,
    repository: str = "made__spans",
    split: Literal["train", "validation"] = "train",
) -> TrainingRow:
    """Replace `old` by `new` in the correct file; the diff is the row's patch."""
    assert old in correct
    path = "spans.py"
    defective = correct.replace(old, new, 1)
    return TrainingRow(
        instance_id=f"{repository}-{number}",
        repository=repository,
        licence="MIT",
        split=split,
        bug_type="logic",
        context_tokens=100,
        code=(CodeFile(path=path, fixed=correct),),
        bug_patch=diff_trees(
            {path: File(correct.encode())}, {path: File(defective.encode())}
        ),
    )
