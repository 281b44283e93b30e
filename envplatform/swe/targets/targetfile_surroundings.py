"""The tables `[image]` and `[[services]]` of a target file."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from envplatform.sandbox.engine_images import Network
from envplatform.swe.targets.surroundings import (
    CommandsImage,
    DockerfileImage,
    ExistingImage,
    ImageSource,
    Service,
)

Word = Annotated[str, StringConstraints(max_length=4096, pattern=r"^[^\x00]*$")]
Argv = Annotated[tuple[Word, ...], Field(min_length=1, max_length=1000)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Reference = Annotated[
    str,
    StringConstraints(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._/:-]*(@sha256:[0-9a-f]{64})?$", max_length=500
    ),
]
"""What Docker calls an image."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Existing(_Table):
    """`kind = "existing"`."""

    kind: Literal["existing"]
    name: Reference
    digest: Digest | None = None


class Dockerfile(_Table):
    """`kind = "dockerfile"`."""

    kind: Literal["dockerfile"]
    path: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    args: dict[
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], Word
    ] = {}
    network: Network = "none"
    timeout_s: Seconds = 1800.0


class Commands(_Table):
    """`kind = "commands"`."""

    kind: Literal["commands"]
    base: Reference
    commands: Annotated[
        tuple[Annotated[str, StringConstraints(min_length=1)] | Argv, ...],
        Field(min_length=1),
    ]
    network: Network = "none"
    timeout_s: Seconds = 1800.0


ImageTable = Annotated[Existing | Dockerfile | Commands, Field(discriminator="kind")]


class ServiceTable(_Table):
    """One of `[[services]]`."""

    name: Annotated[
        str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    ]
    command: Argv
    ready: Argv
    ready_timeout_s: Seconds = 30.0
    runs_code: bool = False

    def value(self) -> Service:
        """The service that the table describes."""
        return Service(**self.model_dump())


def image_source(
    table: Existing | Dockerfile | Commands | None, folder: Path
) -> ImageSource | None:
    """The image that the table describes; a Dockerfile's path starts at `folder`."""
    match table:
        case None:
            return None
        case Existing():
            return ExistingImage(name=table.name, digest=table.digest)
        case Dockerfile():
            return DockerfileImage(
                path=folder / table.path,
                args=table.args,
                network=table.network,
                timeout_s=table.timeout_s,
            )
        case Commands():
            return CommandsImage(
                base=table.base,
                commands=table.commands,
                network=table.network,
                timeout_s=table.timeout_s,
            )
