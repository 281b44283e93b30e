"""Rows made for tests, in the layouts of the public sets."""

import json
from pathlib import Path

from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.sources.files import FileSource

PATCH = """\
diff --git a/pkg/a.py b/pkg/a.py
--- a/pkg/a.py
+++ b/pkg/a.py
@@ -1 +1 @@
-x = 1
+x = 2
"""


def issue_row(number: object = 1, **more: object) -> dict[str, object]:
    """A row of SWE-bench, with `more` in place of what it has."""
    return {
        "repo": "o/r",
        "instance_id": f"o__r-{number}",
        "base_commit": f"{number}".zfill(40),
        "patch": PATCH,
        "test_patch": "",
        "problem_statement": "x is one",
        "created_at": "2024-03-04T20:18:38Z",
        "FAIL_TO_PASS": '["tests/test_a.py::test_x"]',
        "PASS_TO_PASS": "[]",
    } | more


def write_lines(path: Path, *rows: object) -> Path:
    """Write JSON Lines; `bytes` are written as they are."""
    lines = [
        row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows
    ]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def read_all(*paths: Path) -> tuple[list[FixInstance], list[QuarantinedRow]]:
    """Instances and rows set aside, in order, the layout being told by the columns."""
    entries = list(FileSource(name="made", paths=paths).read())
    return (
        [entry for entry in entries if isinstance(entry, FixInstance)],
        [entry for entry in entries if isinstance(entry, QuarantinedRow)],
    )
