"""What a suite needs around it: an image of Docker's, and services beside it.

Values alone; what `target.toml` says of them is read in `targetfile_surroundings`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from envplatform.sandbox.engine_commands import Step
from envplatform.sandbox.engine_images import Network


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingImage:
    """An image on the engine, or in a registry that the engine may pull from."""

    name: str
    digest: str | None = None
    """`sha256:...`, its id or its registry's digest; None: whatever the name means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerfileImage:
    """An image built from a Dockerfile with the repository's tree as context."""

    path: Path
    """Of the Dockerfile, on this machine."""
    args: Mapping[str, str] = field(default_factory=dict)
    network: Network = "none"
    timeout_s: float = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandsImage:
    """An image that commands leave, run in a base with the repository's tree at hand."""

    base: str
    commands: tuple[Step, ...]
    network: Network = "none"
    timeout_s: float = 1800.0


ImageSource = ExistingImage | DockerfileImage | CommandsImage


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A server that tests talk to, in their own sandbox and without a network."""

    name: str
    command: tuple[str, ...]
    """Runs until it is stopped; in the suite's directory."""
    ready: tuple[str, ...]
    """Ends with status 0 once the service can be used; tried again and again."""
    ready_timeout_s: float = 30.0
    runs_code: bool = False
    """Whether it runs the repository's own code, whose lines nobody counts there."""
