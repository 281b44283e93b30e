"""The small environment, on an image that both sandboxes can open."""

from pathlib import Path

import pytest

from envplatform.bundle import Environment
from envplatform.sandbox.base import Image
from envplatform.sandbox.images import build_image
from envplatform.swe.targets.guess import DEFAULT_REQUIREMENTS
from tests.swe.small_repository import small_environment


@pytest.fixture(scope="module")
def image(cache_folder: Path) -> Image:
    """For the Python of Debian bookworm, which the Docker tests build upon."""
    return build_image("pytest", "3.11", DEFAULT_REQUIREMENTS, cache_folder / "images")


@pytest.fixture(scope="module")
def environment(image: Image) -> Environment:
    """One planted bug, as an environment."""
    return small_environment(image)
