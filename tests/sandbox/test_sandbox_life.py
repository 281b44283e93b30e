"""From opening to closing: nothing stays behind, whoever dies first."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import docker
import pytest

from envplatform.errors import SandboxError
from envplatform.sandbox.base import WRITABLE, Image, SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.docker import DockerProvider
from envplatform.sandbox.owners import LABEL
from tests.sandbox.host import LIMITS, ends, python, runs, runs_python
from tests.sandbox.relay import relay

_OWNER = """
import asyncio, sys
from pathlib import Path
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.docker import DockerProvider

async def main(kind, scratch, python):
    marker = sys.stdin.read()
    image = Image(name="bare", python=python, requirements=(), digest="0", site=None)
    if kind == "docker":
        provider = DockerProvider(base="envplatform/base:bookworm")
    else:
        provider = BubblewrapProvider(scratch=Path(scratch))
    async with provider.open(image) as sandbox:
        code = "import time; time.sleep(300)"
        await sandbox.exec(["python3", "-c", code, marker])

asyncio.run(main(*sys.argv[1:]))
"""

ENGINE = "/var/run/docker.sock"


class Killed(NamedTuple):
    """An owner that was killed."""

    pid: int
    marker: str
    """In the command line of what ran in its sandbox."""


def killed_owner(kind: str, scratch: Path, version: str, *, early: bool) -> Killed:
    """Let a process open a sandbox, run a command in it, and kill it.

    `early`: as soon as the command can be seen anywhere, so that it is still being
    launched; else when it runs.
    """
    marker = f"orphan-{kind}-{os.getpid()}-{early}"
    words = [sys.executable, "-c", _OWNER, kind, str(scratch), version]
    seen = runs if early else runs_python
    with subprocess.Popen(words, stdin=subprocess.PIPE) as owner:
        assert owner.stdin is not None
        owner.stdin.write(marker.encode())
        owner.stdin.close()
        deadline = time.monotonic() + 60
        while not seen(marker):
            assert owner.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.001)
        owner.kill()
    return Killed(owner.pid, marker)


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    """Docker Engine itself, to look behind the provider's back."""
    client = docker.from_env()
    yield client
    client.close()


def containers(engine: docker.DockerClient, owner: int) -> set[str]:
    """Ids of all containers, dead ones too, that a process has opened."""
    found = engine.containers.list(all=True, ignore_removed=True)
    return {
        str(container.id)
        for container in found
        if f"/{owner}/" in container.labels.get(LABEL, "")
    }


@pytest.mark.usefixtures("bubblewrap")
async def test_closing_bubblewrap_leaves_nothing(
    bare_image: Image, scratch: Path
) -> None:
    marker = "left-over-bubblewrap"
    deep = "import os\nfor n in range(1500): os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0)"
    async with BubblewrapProvider(scratch=scratch).open(bare_image, LIMITS) as sandbox:
        await sandbox.exec(["sh", "-c", f"sleep 300 {marker} & chmod 0 /tmp; exit 0"])
        await python(sandbox, deep)
        assert len(names(scratch)) == 1
    assert names(scratch) == []
    assert not runs(marker)


@pytest.mark.docker
async def test_closing_docker_leaves_nothing(
    docker_provider: DockerProvider, docker_image: Image, engine: docker.DockerClient
) -> None:
    async with docker_provider.open(docker_image, LIMITS) as sandbox:
        name = sandbox.container_id
        assert name in containers(engine, os.getpid())
        await sandbox.exec(["sh", "-c", "sleep 300 left-over-docker & exit 0"])
    assert name not in containers(engine, os.getpid())
    assert not runs("left-over-docker")


@pytest.mark.usefixtures("bubblewrap")
async def test_a_sandbox_is_closed_when_its_user_fails(
    bare_image: Image, scratch: Path
) -> None:
    with pytest.raises(ZeroDivisionError):
        async with BubblewrapProvider(scratch=scratch).open(bare_image):
            raise ZeroDivisionError
    assert names(scratch) == []


@pytest.mark.usefixtures("bubblewrap")
async def test_code_dies_with_its_owner_and_the_next_one_sweeps_up(
    bare_image: Image, scratch: Path
) -> None:
    killed = killed_owner("bubblewrap", scratch, bare_image.python, early=False)
    assert ends(killed.marker)
    assert len(names(scratch)) == 1
    async with BubblewrapProvider(scratch=scratch).open(bare_image) as living:
        assert len(names(scratch)) == 1
        BubblewrapProvider(scratch=scratch)
        assert (await living.exec(["true"])).exit_code == 0


@pytest.mark.usefixtures("bubblewrap")
def test_an_owner_killed_during_a_launch_leaves_nothing_after_the_next_sweep(
    bare_image: Image, scratch: Path
) -> None:
    for _ in range(4):
        killed = killed_owner("bubblewrap", scratch, bare_image.python, early=True)
        BubblewrapProvider(scratch=scratch)
        assert ends(killed.marker)
        assert names(scratch) == []


@pytest.mark.docker
async def test_a_container_dies_with_its_owner_and_the_next_one_sweeps_up(
    docker_provider: DockerProvider,
    docker_image: Image,
    engine: docker.DockerClient,
    tmp_path: Path,
) -> None:
    killed = killed_owner("docker", tmp_path, docker_image.python, early=False)
    assert ends(killed.marker)
    assert len(containers(engine, killed.pid)) == 1
    async with docker_provider.open(docker_image) as living:
        DockerProvider(base="envplatform/base:bookworm").close()
        assert not containers(engine, killed.pid)
        assert (await living.exec(["true"])).exit_code == 0


@pytest.mark.docker
async def test_a_container_has_every_wall(
    docker_provider: DockerProvider, docker_image: Image, engine: docker.DockerClient
) -> None:
    async with docker_provider.open(docker_image, LIMITS) as sandbox:
        found = engine.containers.get(sandbox.container_id).attrs
        assert found["Image"] == sandbox.info.image_id
    host, config = found["HostConfig"], found["Config"]
    assert (host["NetworkMode"], host["IpcMode"]) == ("none", "private")
    assert (host["CapDrop"], host["CapAdd"]) == (["ALL"], None)
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert (host["ReadonlyRootfs"], host["Privileged"]) == (True, False)
    assert host["PidsLimit"] == LIMITS.processes + 1
    assert host["Memory"] == host["MemorySwap"] == LIMITS.memory_mb * 1024 * 1024
    assert (host["Binds"], host.get("Mounts"), found["Mounts"]) == (None, None, [])
    assert set(host["Tmpfs"]) == set(WRITABLE)
    assert config["User"] == "1000:1000"


@pytest.mark.docker
async def test_a_container_ends_by_itself_when_asked(
    docker_provider: DockerProvider, docker_image: Image, engine: docker.DockerClient
) -> None:
    """Exit code 137 would be the engine's patience running out."""
    async with docker_provider.open(docker_image, LIMITS) as sandbox:
        container = engine.containers.get(sandbox.container_id)
        container.stop(timeout=60)
        assert container.wait()["StatusCode"] == 0


@pytest.mark.docker
async def test_a_container_that_is_taken_away_is_no_verdict(
    docker_provider: DockerProvider, docker_image: Image, engine: docker.DockerClient
) -> None:
    async with docker_provider.open(docker_image) as sandbox:
        engine.containers.get(sandbox.container_id).remove(force=True)
        with pytest.raises(SandboxError, match="removed by somebody else"):
            await sandbox.exec(["true"])
        with pytest.raises(SandboxError):
            await sandbox.download("/workspace")


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
async def test_an_engine_that_is_lost_is_no_verdict(
    docker_image: Image, engine: docker.DockerClient, scratch: Path
) -> None:
    with relay(scratch / "docker.sock", ENGINE) as way:
        url = f"unix://{scratch}/docker.sock"
        provider = DockerProvider(base="envplatform/base:bookworm", url=url)
        async with AsyncExitStack() as stack:
            sandbox = await stack.enter_async_context(provider.open(docker_image))
            assert (await sandbox.exec(["true"])).exit_code == 0
            running = asyncio.create_task(sandbox.exec(["sleep", "60"]))
            await asyncio.sleep(0.5)
            way.cut()
            with pytest.raises(SandboxError, match="does not answer any more"):
                await running
            with pytest.raises(SandboxError, match="can't be removed"):
                await stack.aclose()
            engine.containers.get(sandbox.container_id).remove(force=True)
        with pytest.raises(SandboxError):
            async with provider.open(docker_image):
                pass
        provider.close()


async def test_a_fresh_sandbox_is_empty(
    provider: SandboxProvider, image: Image
) -> None:
    for _ in range(2):
        async with provider.open(image, LIMITS) as sandbox:
            found = await sandbox.exec(
                ["sh", "-c", "find /workspace /tests /solution /logs /tmp /home/agent"]
            )
            places = b"/workspace\n/tests\n/solution\n/logs\n/tmp\n/home/agent\n"
            assert found.stdout == places
            await sandbox.exec(["sh", "-c", "echo > /tmp/x; echo > /workspace/x"])
