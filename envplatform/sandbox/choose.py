"""Choose the sandbox of this machine."""

from pathlib import Path
from typing import Literal

from envplatform.errors import SandboxUnavailableError
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.docker import DockerProvider

SandboxChoice = Literal["auto", "bubblewrap", "docker"]


def choose_provider(
    kind: SandboxChoice = "auto",
    *,
    scratch: Path | None = None,
    docker_base: str = "python:{python}-slim",
) -> SandboxProvider:
    """Return the provider of `kind`; `auto` is bubblewrap where it works, else Docker.

    Bubblewrap is really tried, not only looked for: namespaces may be forbidden.

    Raises:
        SandboxUnavailableError: names what to install, for each kind that was tried.
    """
    if kind == "docker":
        return DockerProvider(base=docker_base)
    try:
        provider = BubblewrapProvider(scratch=scratch)
        provider.probe()
    except SandboxUnavailableError as no_bubblewrap:
        if kind == "bubblewrap":
            raise
        try:
            return DockerProvider(base=docker_base)
        except SandboxUnavailableError as no_docker:
            msg = f"no sandbox works here. {no_bubblewrap}. {no_docker}"
            raise SandboxUnavailableError(msg) from no_docker
    return provider
