"""Fixtures of the whole suite: real sandboxes, skipped with a reason where there are none."""

import sys
from pathlib import Path

import pytest

from envplatform.errors import SandboxUnavailableError
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image


@pytest.fixture(scope="session")
def bubblewrap() -> BubblewrapProvider:
    """The embedded sandbox."""
    try:
        return BubblewrapProvider()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def bare_image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """An image of the running Python, without packages."""
    version = "{}.{}".format(*sys.version_info[:2])
    cache: Path = tmp_path_factory.mktemp("images")
    return build_image("bare", version, (), cache)
