"""The real sets of the shared folder, read whole."""

import os
from pathlib import Path

import pytest

from envplatform.swe.fixes.sources.layouts import detect_layout
from tests.swe.fixes.sources.made_rows import read_all

pytestmark = pytest.mark.shared
FOLDER = Path(os.environ.get("ENVPLATFORM_SHARED", "../shared")) / "data" / "fixes"
SETS = {
    "swebench_dev.parquet": (225, 6, "2023-04-16T14:24:42Z", ""),
    "swebench_live_rebuilt.jsonl": (250, 6, "", ""),
    "mined_fixes.jsonl": (1660, 13, "2024-03-04T20:18:38Z", "MIT"),
    "tests4py.jsonl": (507, 21, "", ""),
}


@pytest.mark.parametrize("name", SETS)
def test_a_real_set_is_read_whole(name: str) -> None:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    count, repositories, created_at, licence = SETS[name]
    instances, bad = read_all(path)
    assert not bad
    assert len(instances) == count
    assert len({instance.repository for instance in instances}) == repositories
    assert (instances[0].created_at, instances[0].licence) == (created_at, licence)
    assert sum(not instance.patch for instance in instances) <= 1
    assert detect_layout(["repo", "instance_id", "base_commit", "patch"]) is not None
