"""Tiny models with random weights, made once a session in a process of its own.

For tests that load no torch themselves: STUDENT is trained, POLICY is another base of
the same vocabulary; both render tools.
"""

import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

_MAKE = """
import sys
from pathlib import Path
import torch
from tests.learning.chat_templates import CHATML_TOOLS
from tests.learning.made_students import model, tokenizer
torch.set_num_threads(1)
for number, name in enumerate(("student", "policy")):
    made = model()
    with torch.no_grad():
        for weight in made.parameters():
            weight.mul_(1 + number / 8)
    made.save_pretrained(Path(sys.argv[1], name))
    tokenizer(CHATML_TOOLS).save_pretrained(Path(sys.argv[1], name))
"""
_KEPT: list[tempfile.TemporaryDirectory[str]] = []
"""Deleted when Python ends."""


@cache
def _made() -> Path:
    pytest.importorskip("trl", reason="needs envplatform[learning]")
    folder = tempfile.TemporaryDirectory(prefix="tiny-models-")
    _KEPT.append(folder)
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-c", _MAKE, folder.name], check=True, cwd=root, timeout=300
    )
    return Path(folder.name)


def student() -> Path:
    """Folder of the tiny model that is trained."""
    return _made() / "student"


def policy() -> Path:
    """Folder of another tiny base, which has the student's vocabulary."""
    return _made() / "policy"
