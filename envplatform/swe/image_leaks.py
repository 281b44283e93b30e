"""Whether a target's own image gives away what its environments hide.

A Dockerfile may copy the repository to a place of its own, or install it: there lie the
healthy code and the hidden tests, for an agent to read. Only images that a target
chose are searched; ours hold an interpreter and the pinned packages.
"""

import hashlib
import json
from importlib import resources
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from envplatform.bundle import Environment
from envplatform.errors import SandboxError
from envplatform.sandbox.base import Image, Limits, SandboxProvider
from envplatform.tree import File, Tree

_SCRIPT = "find_copies.py"
_PLACE = "/tests"
_LIMITS = Limits(wall_s=600.0, cpu_s=600.0, memory_mb=2048)
_TRIVIAL = 16
"""Files of fewer bytes are no secret: every machine has an empty file."""


class _Copy(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: str
    at: str


_COPIES = TypeAdapter(tuple[_Copy, ...])


async def image_leaks(
    provider: SandboxProvider, image: Image, environment: Environment
) -> tuple[str, ...]:
    """Return one line for each copy in `image` of what `environment` hides.

    Raises:
        SandboxError: the search did not run to its end.
    """
    secrets = hidden_files(environment)
    if image.engine is None or not secrets:
        return ()
    wanted = {"files": [_wanted(path, data) for path, data in secrets.items()]}
    script = resources.files("envplatform.swe.inside") / _SCRIPT
    async with provider.open(image, _LIMITS) as sandbox:
        await sandbox.upload({_SCRIPT: File(script.read_bytes())}, _PLACE)
        done = await sandbox.exec(
            ("python3", "-I", "-B", f"{_PLACE}/{_SCRIPT}"),
            stdin=json.dumps(wanted).encode(),
        )
    try:
        copies = _COPIES.validate_json(done.stdout)
    except ValidationError as error:
        said = done.stderr.decode("utf-8", "replace").strip()[-200:]
        msg = f"{image.name}: the image was not searched ({done.ending}): {said}"
        raise SandboxError(msg) from error
    return tuple(
        f"{image.engine.origin} holds {copy.path} at {copy.at}: leave it out of the image"
        for copy in copies
    )


def hidden_files(environment: Environment) -> dict[str, bytes]:
    """Return the healthy files that the bug changes and the hidden tests, by path."""
    found: dict[str, bytes] = {}
    for tree, prefix in (
        (environment.solution, "fixed/"),
        (environment.tests, "hidden/"),
    ):
        found |= _below(tree, prefix)
    return found


def _below(tree: Tree, prefix: str) -> dict[str, bytes]:
    return {
        path.removeprefix(prefix): file.data
        for path, file in tree.items()
        if path.startswith(prefix) and len(file.data) >= _TRIVIAL
    }


def _wanted(path: str, data: bytes) -> dict[str, object]:
    git = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return {
        "path": path,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "blob": git.hexdigest(),
        "stem": PurePosixPath(path).stem,
    }
