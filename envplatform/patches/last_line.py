"""The last line of a file, with or without its LF, where a diff has it otherwise.

Diffs lose their `No newline at end of file` on the way, or gain it. The rule: the file
is as it is. If the diff changes nothing about the last LF, the file keeps its own state;
if it does, the new side is as the diff says.
"""

from envplatform.patches.model import Hunk
from envplatform.patches.splice import Edit


def with_own_end(hunk: Hunk, start: int, tail: bytes) -> Edit | None:
    """Return the edit at `start` if the hunk's last old line is the file's last.

    Args:
        hunk: has at least one old line.
        start: index of its first old line.
        tail: last line of the file.

    Returns:
        None if the two lines differ in more than their LF, or not even in that.
    """
    old, new = hunk.old, hunk.new
    last = old[-1]
    if last == tail or last.removesuffix(b"\n") != tail.removesuffix(b"\n"):
        return None
    says_nothing = new and last.endswith(b"\n") == new[-1].endswith(b"\n")
    if says_nothing and _ends_the_file(hunk):
        ending = b"\n" if tail.endswith(b"\n") else b""
        new = (*new[:-1], new[-1].removesuffix(b"\n") + ending)
    return Edit(start, (*old[:-1], tail), new)


def _ends_the_file(hunk: Hunk) -> bool:
    """Tell whether the last new line is not one that stood further up before."""
    last_new = next(line for line in reversed(hunk.lines) if line.origin != "-")
    return last_new.origin == "+" or last_new is hunk.lines[-1]
