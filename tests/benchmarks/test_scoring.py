"""The benchmark of scoring keeps its contract. Its figures are not tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs envplatform[learning]")

from envplatform.errors import ModelError
from envplatform.llm.embedded import embedded_gguf

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_last_line_has_all_keys() -> None:
    try:
        embedded_gguf()
    except ModelError as error:
        pytest.skip(str(error))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.scoring",
            "--tokens",
            "64",
            "--repeats",
            "1",
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    keys = {"memory_ratio", "time_ratio", "max_difference", "tokens"}
    assert keys | {"input", "machine", "repeats"} <= set(figures)
    assert figures["tokens"] == 64
    assert 0 <= figures["max_difference"] < 1e-3
    assert figures["memory_ratio"] > 0
