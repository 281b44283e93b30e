"""What a metavariable stands for may be of another kind than what takes its place."""

import pytest

from envplatform.patches import apply_patch
from envplatform.swe.inducers.base import SourceFile
from envplatform.swe.inducers.mined import BugPattern, MinedInducer, library_of
from envplatform.tree import File

PATTERN = BugPattern(
    pattern_id="data-other",
    level="expression",
    correct="len($a)",
    defective="len(str)",
    bug_type="data",
    support=1,
    repositories=1,
)


@pytest.mark.parametrize("stood", ["(1, 2)", "x", "x.y", "f(x)", "[1]", "not x"])
def test_a_name_takes_the_place_of_any_expression(stood: str) -> None:
    data = f"def f(x):\n    return len({stood})\n".encode()
    file = SourceFile(repository="a__b", commit="0" * 40, path="m.py", data=data)
    inducer = MinedInducer(library=library_of([PATTERN]))
    (candidate,) = inducer.candidates(file, 1, 0)
    changed = apply_patch({"m.py": File(data)}, candidate.bug_patch)
    assert changed["m.py"].data == b"def f(x):\n    return len(str)\n"
