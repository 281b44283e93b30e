from pathlib import Path

import pytest

from envplatform.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose home does not exist yet."""
    return Store(tmp_path / "home")
