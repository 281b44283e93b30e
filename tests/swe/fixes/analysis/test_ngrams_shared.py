"""How often 13-grams of real fixes name the wrong repository. Needs the shared data."""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from envplatform.swe.fixes.analysis.ngrams import ngrams_of_patch

MINED = (
    Path(os.environ.get("ENVPLATFORM_SHARED", "../shared"))
    / "data"
    / "fixes"
    / "mined_fixes.jsonl"
)


@pytest.mark.shared
def test_fixes_of_different_repositories_hardly_share_a_gram() -> None:
    if not MINED.exists():
        pytest.skip(f"needs {MINED}; ENVPLATFORM_SHARED names the folder")
    rows = [
        json.loads(line)
        for line in MINED.read_text(encoding="utf-8").split("\n")
        if line
    ]
    grams = [ngrams_of_patch(row["patch"].rstrip("\n") + "\n") for row in rows]
    holders: dict[int, set[str]] = defaultdict(set)
    for row, found in zip(rows, grams, strict=True):
        for gram in found:
            holders[gram].add(row["repo"])
    shared = sum(any(len(holders[gram]) > 1 for gram in found) for found in grams)
    assert shared <= 5
    assert sum(map(bool, grams)) > len(rows) // 2
