"""Both sandboxes under one name, for tests that must hold in each."""

from collections.abc import AsyncIterator

import pytest

from envplatform.sandbox.base import Image, Sandbox, SandboxProvider
from envplatform.sandbox.images import build_image
from tests.sandbox.host import LIMITS


@pytest.fixture(params=["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)])
def provider(request: pytest.FixtureRequest) -> SandboxProvider:
    """Each sandbox in turn."""
    name = "bubblewrap" if request.param == "bubblewrap" else "docker_provider"
    found: SandboxProvider = request.getfixturevalue(name)
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
