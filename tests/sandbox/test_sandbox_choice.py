"""Which sandbox this machine gets, and what it is told where there is none."""

import os
from pathlib import Path

import pytest

from envplatform.errors import SandboxError, SandboxUnavailableError
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.choose import choose_provider
from envplatform.sandbox.docker import DockerProvider
from tests.sandbox.host import LIMITS

_NOBODY = "unix:///no/such/docker.sock"


def script(folder: Path, text: str) -> str:
    """An executable that stands in for bubblewrap's."""
    path = folder / "bwrap"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_auto_is_bubblewrap_where_it_works(bubblewrap: BubblewrapProvider) -> None:
    assert choose_provider("auto").info == bubblewrap.info
    assert choose_provider("bubblewrap").info.kind == "bubblewrap"


@pytest.mark.docker
def test_auto_is_docker_where_bubblewrap_is_missing(
    docker_provider: DockerProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    provider = choose_provider("auto")
    assert provider.info == docker_provider.info
    assert isinstance(provider, DockerProvider)
    provider.close()


def test_neither_is_an_error_that_names_both_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", _NOBODY)
    with pytest.raises(SandboxUnavailableError) as raised:
        choose_provider("auto")
    assert "apt-get install bubblewrap" in str(raised.value)
    assert "apt-get install docker.io" in str(raised.value)
    with pytest.raises(SandboxUnavailableError, match="apt-get install bubblewrap"):
        choose_provider("bubblewrap")
    with pytest.raises(SandboxUnavailableError, match="start it"):
        choose_provider("docker")


def test_an_old_bubblewrap_is_refused(tmp_path: Path) -> None:
    old = script(tmp_path, "echo bubblewrap 0.6.1")
    with pytest.raises(SandboxUnavailableError, match=r"is bubblewrap 0\.6\.1"):
        BubblewrapProvider(executable=old)
    broken = script(tmp_path, "exit 1")
    with pytest.raises(SandboxUnavailableError, match="does not tell its version"):
        BubblewrapProvider(executable=broken)


@pytest.mark.parametrize(
    "text",
    [
        "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1",
        "exit 0",
        "kill -9 $$",
    ],
)
async def test_a_bubblewrap_that_can_not_set_up_gives_no_verdict(
    bare_image: Image, scratch: Path, text: str
) -> None:
    version = '[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit'
    fake = BubblewrapProvider(executable=script(scratch, f"{version}\n{text}"))
    with pytest.raises(SandboxUnavailableError, match="can't make a sandbox here"):
        fake.probe()
    async with fake.open(bare_image, LIMITS) as sandbox:
        with pytest.raises(SandboxError, match="could not set the sandbox up"):
            await sandbox.exec(["true"])


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.skipif(os.geteuid() != 0, reason="others need no folder for strangers")
def test_a_scratch_folder_that_others_can_not_enter_is_named(scratch: Path) -> None:
    closed = scratch / "closed"
    (closed / "in").mkdir(parents=True)
    closed.chmod(0o700)
    with pytest.raises(SandboxUnavailableError, match=f"can't enter {closed};"):
        BubblewrapProvider(scratch=closed / "in")


async def test_a_site_folder_that_is_gone_gives_no_verdict(
    bubblewrap: BubblewrapProvider, bare_image: Image, tmp_path: Path
) -> None:
    image = Image(
        name="gone",
        python=bare_image.python,
        requirements=("x==1",),
        digest="0" * 64,
        site=tmp_path / "gone",
    )
    async with bubblewrap.open(image) as sandbox:
        with pytest.raises(SandboxError, match="gone"):
            await sandbox.exec(["true"])


async def test_a_python_that_is_not_here_is_named(
    bubblewrap: BubblewrapProvider,
) -> None:
    image = Image(name="old", python="3.1", requirements=(), digest="0", site=None)
    with pytest.raises(SandboxUnavailableError, match=r"install python3\.1"):
        async with bubblewrap.open(image):
            pass


@pytest.mark.docker
async def test_a_base_with_another_python_is_named(
    docker_provider: DockerProvider,
) -> None:
    image = Image(name="old", python="3.2", requirements=(), digest="0", site=None)
    with pytest.raises(SandboxError, match=r"wants Python 3\.2.*bookworm has 3\.11"):
        async with docker_provider.open(image):
            pass


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
async def test_a_base_that_is_not_to_be_had_is_named(docker_image: Image) -> None:
    provider = DockerProvider(base="no-such-host.invalid/base:{python}")
    try:
        with pytest.raises(SandboxError, match=r"base:3\.11.*docker pull"):
            async with provider.open(docker_image):
                pass
    finally:
        provider.close()
