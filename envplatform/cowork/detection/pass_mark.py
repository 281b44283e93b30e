"""From which reward on work counts as done."""

PASS_MARK = 0.9
"""Below, a task is failed. What is known to be wrong must stay below; a right answer has 1."""
