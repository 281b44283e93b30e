"""Skips without torch, and keeps it to one thread: more collapse beside other work."""

import pytest


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch = pytest.importorskip("torch", reason="needs envplatform[learning]")
    torch.set_num_threads(1)
