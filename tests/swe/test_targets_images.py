"""Images that a target chooses: existing, from a Dockerfile, from commands; in Docker."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from docker import DockerClient

from envplatform.errors import (
    ConfigError,
    SandboxUnavailableError,
    TargetError,
)
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f import measure_baseline
from envplatform.swe.targets import (
    HealthyRepository,
    PackageIndex,
    load_target,
    prepare,
    sources_of,
)
from tests.swe.made_suites import CALC

pytestmark = pytest.mark.docker

BASE = "envplatform/base:bookworm"
HEAD = """
name = "made__calc"
license = "MIT"
{more}
[source]
kind = "path"
path = "tree"

[suite]
paths = ["tests"]
test_timeout_s = 5
suite_timeout_s = 60

[code]
roots = ["calc.py"]

[image]
{image}
"""
TESTS = """
import os, sys
from calc import add
def test_add(): assert add(1, 2) == 3
def test_image(): assert os.path.exists("/opt/made") == bool(os.environ.get("MADE"))
"""
STABLE = ("tests/test_it.py::test_add", "tests/test_it.py::test_image")
EXISTING = f'kind = "existing"\nname = "{BASE}"'
COMMANDS = f'kind = "commands"\nbase = "{BASE}"\ncommands = {{}}'


@pytest.fixture
def client(docker_provider: SandboxProvider) -> Iterator[DockerClient]:
    """The engine, where there is one."""
    del docker_provider  # skips where there is none
    found = docker.from_env()
    yield found
    found.close()


@pytest.fixture
def pins(suite_image: Image) -> str:
    """What runs and measures a suite, as a line of the file."""
    return f"requirements = {list(suite_image.requirements)}\n"


@pytest.fixture
def images(cache_folder: Path) -> Path:
    """Where wheels are kept."""
    return cache_folder / "images"


def written(folder: Path, image: str, *, more: str = "", dockerfile: str = "") -> Path:
    """A repository with a target file beside it."""
    (folder / "tree" / "tests").mkdir(parents=True, exist_ok=True)
    (folder / "tree" / "calc.py").write_text(CALC)
    (folder / "tree" / "tests" / "test_it.py").write_text(TESTS)
    (folder / "Dockerfile").write_text(dockerfile)
    file = folder / "target.toml"
    file.write_text(HEAD.format(more=more, image=image))
    return file


def prepared(file: Path, images: Path) -> HealthyRepository:
    """Load and prepare."""
    return asyncio.run(prepare(load_target(file), images, index=PackageIndex()))


def stable(provider: SandboxProvider, repository: HealthyRepository) -> tuple[str, ...]:
    """Ids of the stable tests."""
    return asyncio.run(measure_baseline(provider, repository, runs=1)).stable


def test_an_existing_image_with_pins_above_it(
    tmp_path: Path,
    client: DockerClient,
    docker_provider: SandboxProvider,
    pins: str,
    images: Path,
) -> None:
    """The image's own Python, our wheels above it, its identity in ours."""
    repository = prepared(written(tmp_path, EXISTING, more=pins), images)
    image = repository.image
    assert image.engine is not None
    assert image.engine.id == client.images.get(BASE).id
    assert image.python == "3.11"
    assert stable(docker_provider, repository) == STABLE
    sources = sources_of(repository.target)
    assert sources[f"image {BASE}"] == image.engine.id.removeprefix("sha256:")


def test_another_image_is_another_identity(
    tmp_path: Path, client: DockerClient, pins: str, images: Path
) -> None:
    """What the name means counts, not the name."""
    moved = "envplatform/moved-by-a-test:1"
    client.images.get(BASE).tag(*moved.split(":"))
    text = f'kind = "existing"\nname = "{moved}"'
    first = prepared(written(tmp_path, text, more=pins), images)
    sources = sources_of(first.target)
    container = client.containers.create(BASE, ["true"])
    try:
        container.commit(*moved.split(":"))
    finally:
        container.remove()
    second = prepared(written(tmp_path, text, more=pins), images)
    assert first.image.digest != second.image.digest
    assert sources != sources_of(second.target)
    client.images.remove(moved)


def test_a_dockerfile_with_an_environment_of_its_own(
    tmp_path: Path, docker_provider: SandboxProvider, suite_image: Image, images: Path
) -> None:
    """Built from the tree, with arguments; pytest is in its virtual environment."""
    assert suite_image.site is not None
    file = written(
        tmp_path,
        'kind = "dockerfile"\npath = "Dockerfile"\nargs = { MADE = "yes" }',
        dockerfile=f"FROM {BASE}\n"
        "RUN python3 -m venv --without-pip /opt/venv\n"
        "COPY vendored/ /opt/venv/lib/python3.11/site-packages/\n"
        "ARG MADE\nRUN echo $MADE > /opt/made\n"
        "ENV PATH=/opt/venv/bin:$PATH MADE=$MADE\nENTRYPOINT exit 1\n",
    )
    shutil.copytree(suite_image.site, tmp_path / "tree" / "vendored")
    repository = prepared(file, images)
    assert repository.image.requirements == ()
    assert stable(docker_provider, repository) == STABLE
    assert prepared(file, images).image == repository.image
    before = sources_of(repository.target)
    (tmp_path / "Dockerfile").write_text(f"FROM {BASE}\n")
    assert sources_of(load_target(file)) != before


def test_commands_leave_an_image(
    tmp_path: Path,
    client: DockerClient,
    docker_provider: SandboxProvider,
    pins: str,
    images: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Words and lines of shell; the index is known to them and to nobody after them."""
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:S3CRET@index.example/simple")
    certificate = tmp_path / "cert.pem"
    certificate.write_bytes(b"CERT" * 40_000)
    monkeypatch.setenv("PIP_CERT", str(certificate))
    steps = [
        ["test", "-f", "calc.py"],
        "test $PIP_INDEX_URL = https://me:S3CRET@index.example/simple",
        'test $(cat $PIP_CERT | wc -c) = 160000 && echo "a  b" > /opt/made',
    ]
    more = pins
    file = written(tmp_path, COMMANDS.format(steps), more=more)
    file.write_text(
        file.read_text().replace("[suite]", '[suite]\nenv = { MADE = "1" }')
    )
    repository = prepared(file, images)
    assert repository.image.engine is not None
    kept = client.images.get(repository.image.engine.id)
    assert b"S3CRET" not in str((kept.attrs, kept.history())).encode()
    seen = client.containers.run(
        kept,
        ["sh", "-c", "cat /opt/made; ls /workspace /run/envplatform"],
        remove=True,
        network_mode="none",
        stderr=True,
        entrypoint=[
            "sh",
            "-c",
            "cat /opt/made; ls -A /run/envplatform; ! ls -A /workspace 2>/dev/null",
        ],
    )
    assert seen == b"a  b\n"
    assert stable(docker_provider, repository) == STABLE
    assert prepared(file, images).image == repository.image


BAD = {
    "absent": (
        'kind = "existing"\nname = "localhost:1/nobody/nothing:1"',
        [
            "image.name = 'localhost:1/nobody/nothing:1'",
            "can't be pulled",
            "docker pull",
        ],
    ),
    "another": (
        f'{EXISTING}\ndigest = "sha256:{"0" * 64}"',
        ["image.digest = 'sha256:000", f"but {BASE} is sha256:"],
    ),
    "no pytest": (EXISTING, ["has no pytest and no coverage", "/usr/bin/python3"]),
    "a failed build": (
        'kind = "dockerfile"\npath = "Dockerfile"',
        ["Dockerfile Dockerfile: the build failed", "| it is broken", "no network"],
    ),
    "no Dockerfile": (
        'kind = "dockerfile"\npath = "Dockerfile.gone"',
        ["image.path", "Dockerfile.gone can't be read"],
    ),
    "a failed command": (
        COMMANDS.format([["true"], "echo it is broken >&2; exit 3"]),
        ["image.commands[1]", "ended with status 3", "| it is broken", "no network"],
    ),
    "no such command": (
        COMMANDS.format([["nothing-of-that-name"]]),
        ["image.commands[0] (nothing-of-that-name)", "status 12"],
    ),
    "an endless command": (
        COMMANDS.format(["echo begun; sleep 600"]) + "\ntimeout_s = 1",
        ["image.commands[0]", "took longer than image.timeout_s = 1", "| begun"],
    ),
    "a base that is not there": (
        COMMANDS.format(["true"]).replace(BASE, "localhost:1/nothing"),
        ["localhost:1/nothing", "can't be pulled"],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_said(
    name: str, tmp_path: Path, client: DockerClient, images: Path
) -> None:
    """Each with the target, the key and the end of the log."""
    del client
    image, parts = BAD[name]
    file = written(
        tmp_path,
        image,
        dockerfile=f"FROM {BASE}\nRUN echo it is broken && exit 4\n",
    )
    with pytest.raises(TargetError) as caught:
        prepared(file, images)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("VOLUME /data", "declares VOLUME /data"),
        ("ONBUILD RUN touch /x", "ONBUILD"),
        ("RUN mv /usr/bin/python3 /usr/bin/gone", "no working python3"),
        ("USER 1000\nENTRYPOINT sleep 1000", "has no pytest"),
    ],
)
def test_an_image_that_no_sandbox_can_stand_upon(
    line: str, why: str, tmp_path: Path, client: DockerClient, images: Path
) -> None:
    """What it would do behind our back, or can't do."""
    del client
    image = 'kind = "dockerfile"\npath = "Dockerfile"'
    file = written(tmp_path, image, dockerfile=f"FROM {BASE}\n{line}\n")
    with pytest.raises(TargetError, match=why):
        prepared(file, images)


def test_python_is_what_the_image_has(
    tmp_path: Path, client: DockerClient, pins: str, images: Path
) -> None:
    """A target that says another version is told."""
    del client
    file = written(tmp_path, EXISTING, more=f'python = ["3.9"]\n{pins}')
    with pytest.raises(TargetError, match=r"has Python 3\.11, and python says 3\.9"):
        prepared(file, images)


async def test_bubblewrap_refuses_by_name(
    tmp_path: Path,
    client: DockerClient,
    bubblewrap: SandboxProvider,
    pins: str,
    images: Path,
) -> None:
    """What it is, and what to do."""
    del client
    target = load_target(written(tmp_path, EXISTING, more=pins))
    repository = await prepare(target, images, index=PackageIndex())
    with pytest.raises(SandboxUnavailableError) as caught:
        async with bubblewrap.open(repository.image):
            pass
    for part in (f"existing image {BASE}", 'kind = "docker"', "requirements"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("image", "part"),
    [
        ('kind = "built"', "'existing', 'dockerfile', 'commands'"),
        ('kind = "existing"', "image.existing.name: is missing"),
        ('kind = "existing"\nname = "a b"', "image.existing.name"),
        ('kind = "existing"\nname = "-x"', "image.existing.name"),
        ('kind = "existing"\nname = "a"\ndigest = "1"', "image.existing.digest"),
        ('kind = "dockerfile"', "image.dockerfile.path: is missing"),
        (
            'kind = "dockerfile"\npath = "D"\nnetwork = "all"',
            "image.dockerfile.network",
        ),
        ('kind = "commands"\ncommands = ["a"]', "image.commands.base: is missing"),
        ('kind = "commands"\nbase = "a"\ncommands = []', "image.commands.commands"),
        ('kind = "commands"\nbase = "a"\ncommands = [[]]', "image.commands.commands"),
        ('kind = "commands"\nbase = "a"\ncommands = [1]', "image.commands.commands"),
    ],
)
def test_a_wrong_table_is_named(image: str, part: str, tmp_path: Path) -> None:
    """Key and reason; no Docker is needed to say so."""
    with pytest.raises(ConfigError) as caught:
        load_target(written(tmp_path, image))
    assert part in str(caught.value)
