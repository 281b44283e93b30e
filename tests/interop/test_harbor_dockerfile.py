"""The Dockerfile that Harbor builds where it has Docker.

Installing pins needs a registry of packages and is left out here: a bare image.
"""

from pathlib import Path

import docker
import pytest

from envplatform.bundle import write_environment
from tests.bundle.sample import sample_environment


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
def test_it_builds_on_another_base_and_gives_the_agent_its_workspace(
    tmp_path: Path,
) -> None:
    write_environment(sample_environment(), tmp_path / "env")
    client = docker.from_env()
    built, _ = client.images.build(
        path=str(tmp_path / "env" / "environment"),
        buildargs={"BASE": "envplatform/base:bookworm"},
        network_mode="none",
        rm=True,
        forcerm=True,
    )
    try:
        said = client.containers.run(
            built,
            ["sh", "-c", "id -u; pwd; cat answer.txt; ls bin; echo 42 > answer.txt"],
            user="agent",
            network_mode="none",
            remove=True,
        )
    finally:
        client.images.remove(str(built.id))
        client.close()
    assert said.decode().split() == ["1000", "/workspace", "41", "run"]
