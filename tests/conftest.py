"""Fixtures of the whole suite: real sandboxes, skipped with a reason where there are none."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from envplatform.errors import SandboxUnavailableError
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.docker import DockerProvider
from envplatform.sandbox.images import build_image
from envplatform.swe.targets.guess import DEFAULT_REQUIREMENTS
from tests.made_project import Made, make_in_two_attempts, write_project

# A deadline is a timed test, and what else runs on the machine decides it.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def bubblewrap() -> BubblewrapProvider:
    """The embedded sandbox."""
    try:
        provider = BubblewrapProvider()
        provider.probe()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    return provider


@pytest.fixture(scope="session")
def docker_provider() -> Iterator[DockerProvider]:
    """Docker on the base image that scripts/docker_for_tests.sh imports."""
    try:
        provider = DockerProvider(base="envplatform/base:bookworm")
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    yield provider
    provider.close()


@pytest.fixture(
    params=["bubblewrap", pytest.param("docker_provider", marks=pytest.mark.docker)],
    ids=["bubblewrap", "docker"],
)
def provider(request: pytest.FixtureRequest) -> SandboxProvider:
    """Each sandbox in turn, for tests that must hold in both."""
    found: SandboxProvider = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def bare_image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """An image of the running Python, without packages."""
    version = "{}.{}".format(*sys.version_info[:2])
    cache: Path = tmp_path_factory.mktemp("images")
    return build_image("bare", version, (), cache)


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """Downloads that outlive one run of the suite: wheels, environments of other tools."""
    default = Path.home() / ".cache" / "envplatform-tests"
    return Path(os.environ.get("ENVPLATFORM_TEST_CACHE", default))


@pytest.fixture(scope="session")
def suite_image(cache_folder: Path) -> Image:
    """An image of the running Python with pytest and coverage."""
    version = "{}.{}".format(*sys.version_info[:2])
    return build_image("pytest", version, DEFAULT_REQUIREMENTS, cache_folder / "images")


@pytest.fixture(scope="session")
def made(
    bubblewrap: BubblewrapProvider,
    cache_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Made:
    """A project whose environments were made; leave it as it is."""
    del bubblewrap  # needed: skips where there is none
    folder = tmp_path_factory.mktemp("made")
    return make_in_two_attempts(write_project(folder, images=cache_folder / "images"))
