"""Bugs of a target with an image of its own become environments, opened and graded again."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import BASE_IMAGE
from envplatform.bundle.layout import content_files
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import TargetError
from envplatform.grading.images import image_of
from envplatform.grading.kept import kept_environment
from envplatform.grading.sessions import open_environment
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.store import Store
from envplatform.swe.publish import Proven, Refused, publish
from envplatform.swe.targets import (
    HealthyRepository,
    PackageIndex,
    load_target,
    prepare,
)
from tests.swe.made_suites import BUG, edited
from tests.swe.small_repository import VERDICT, small_environment
from tests.swe.test_targets_images import BASE, STABLE, written

pytestmark = pytest.mark.docker

COPIES = f"""
FROM {BASE}
COPY calc.py /opt/kept/elsewhere.py
"""
PLAIN = f"""
FROM {BASE}
RUN mkdir -p /opt/made
ENV MADE=1
"""
DOCKERFILE = 'kind = "dockerfile"\npath = "Dockerfile"'


def prepared(file: Path, images: Path) -> HealthyRepository:
    """Load and prepare."""
    return asyncio.run(prepare(load_target(file), images, index=PackageIndex()))


def published(
    provider: SandboxProvider, store: Store, repository: HealthyRepository
) -> tuple[tuple[EnvironmentRow, ...], tuple[Refused, ...]]:
    """Publish a bug of which it is known what it does."""
    bug = edited(repository, *BUG)
    verdict = replace(
        VERDICT,
        candidate_id=bug.candidate_id,
        repository=repository.name,
        fail_to_pass=STABLE[:1],
        pass_to_pass=STABLE[1:],
        failure_report=f"{STABLE[0]}\nE   assert 3 == 2\n",
    )
    proven = [Proven(candidate=bug, verdict=verdict)]
    return asyncio.run(
        publish(provider, store, repository, proven, seed=0, concurrency=1)
    )


@pytest.fixture
def images(cache_folder: Path) -> Path:
    """Where wheels are kept."""
    return cache_folder / "images"


def pins(image: Image) -> str:
    """What runs and measures a suite, as a line of the file."""
    return f"requirements = {list(image.requirements)}\n"


def test_a_bug_is_published_and_its_environment_finds_its_image(
    tmp_path: Path,
    docker_provider: SandboxProvider,
    suite_image: Image,
    images: Path,
) -> None:
    target = written(tmp_path, DOCKERFILE, more=pins(suite_image), dockerfile=PLAIN)
    repository = prepared(target, images)
    store = Store(tmp_path / "home")
    (row,), refused = published(docker_provider, store, repository)
    assert refused == ()
    assert row.gated
    environment = kept_environment(store, row)
    base = environment.core.facts[BASE_IMAGE]
    file = content_files(environment)["environment/Dockerfile"]
    assert f"ARG BASE={base}\n" in file.data.decode()
    found = image_of(environment, images)
    assert (found.digest, found.engine and found.engine.id) == (
        repository.image.digest,
        repository.image.engine and repository.image.engine.id,
    )

    async def looked() -> bytes:
        async with open_environment(
            docker_provider, environment, image=found
        ) as opened:
            done = await opened.sandbox.exec(["cat", "/workspace/calc.py"])
            return done.stdout

    assert b"return a - b" in asyncio.run(looked())


def test_an_image_that_holds_the_healthy_code_is_refused(
    tmp_path: Path,
    docker_provider: SandboxProvider,
    suite_image: Image,
    images: Path,
) -> None:
    file = written(tmp_path, DOCKERFILE, more=pins(suite_image), dockerfile=COPIES)
    store = Store(tmp_path / "home")
    rows, (refused,) = published(docker_provider, store, prepared(file, images))
    assert rows == ()
    assert refused.reason == "image_leak"
    assert "calc.py at /opt/kept/elsewhere.py" in refused.detail


def test_an_image_that_is_gone_is_said_to_be(
    docker_provider: SandboxProvider, suite_image: Image, images: Path
) -> None:
    del docker_provider  # skips where there is none
    environment = small_environment(suite_image)
    facts = {**environment.core.facts, BASE_IMAGE: "envplatform/base-of:none"}
    gone = replace(environment, core=replace(environment.core, facts=facts))
    with pytest.raises(TargetError, match="stands upon the image envplatform/base-of"):
        image_of(gone, images)
