"""Takes back what full determinism sets for a whole process."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _plain_torch() -> Iterator[None]:
    torch = pytest.importorskip("torch", reason="needs envplatform[learning]")
    yield
    torch.use_deterministic_algorithms(mode=False)
