"""Both sandboxes under one name, for tests that must hold in each."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from envplatform.sandbox.base import Image, Sandbox, SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from tests.sandbox.host import LIMITS


@pytest.fixture
def watchdog(bubblewrap: BubblewrapProvider) -> BubblewrapProvider:
    """Bubblewrap as on a machine that gives us no control groups."""
    found = BubblewrapProvider(control_groups=False)
    assert (found.info.limits, found.info.kind) == ("best_effort", bubblewrap.info.kind)
    return found


@pytest.fixture(scope="session")
def docker_image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """An image without packages of the Python that Debian bookworm has."""
    return build_image("bare", "3.11", (), tmp_path_factory.mktemp("images"))


@pytest.fixture
def image(provider: SandboxProvider, bare_image: Image, docker_image: Image) -> Image:
    """An image without packages that the provider can open."""
    return docker_image if provider.info.kind == "docker" else bare_image


@pytest.fixture
async def sandbox(provider: SandboxProvider, image: Image) -> AsyncIterator[Sandbox]:
    """An open sandbox with tight limits."""
    async with provider.open(image, LIMITS) as opened:
        yield opened


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A scratch folder that other users can enter, which pytest's own can't be."""
    with tempfile.TemporaryDirectory(prefix="scratch-") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)
