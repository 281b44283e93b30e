"""Every patch of the shared fixes is read, printed again, and means the same to `unidiff`.

Needs the shared data.
"""

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from unidiff.patch import PatchSet

from envplatform.patches import parse_patch, render_patch, reversed_patch
from envplatform.patches.lenient import read_anyhow

pytestmark = pytest.mark.shared
DATA = Path(os.environ.get("ENVPLATFORM_SHARED", "../shared")) / "data" / "fixes"


def patches(name: str) -> Iterator[str]:
    """Yield the non-empty patches of one set, tests' patches too."""
    with (DATA / name).open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield from (row[k] for k in ("patch", "test_patch") if row.get(k))


@pytest.mark.parametrize(
    ("name", "cut_off"),
    [
        ("mined_fixes.jsonl", 0),
        ("swebench_live_rebuilt.jsonl", 0),
        ("tests4py.jsonl", 3),  # published without their last line end
    ],
)
def test_every_published_patch_is_read(name: str, cut_off: int) -> None:
    """Printed as it was, and with as many lines in each hunk as `unidiff` finds."""
    if not (DATA / name).exists():
        pytest.skip(f"{DATA / name} is not there")
    needed_help = 0
    for patch in patches(name):
        read, forgiven = read_anyhow(patch)
        needed_help += forgiven
        assert render_patch(read).removesuffix("\n") == patch.removesuffix("\n")
        ours = [len(hunk.lines) for file in read.files for hunk in file.hunks]
        theirs = PatchSet(io.StringIO(patch, newline="\n"))
        assert ours == [
            sum(line.line_type != "\\" for line in hunk)
            for file in theirs
            for hunk in file
        ]
        if not forgiven:
            assert len(parse_patch(reversed_patch(patch)).files) == len(read.files)
    assert needed_help == cut_off
