"""Images that a target chose: one that is there, or one built from a Dockerfile.

Whoever wrote the target is trusted, its repository is not: a build sees the
repository's tree and no other file of this machine, and only the engine runs it. Images
made by commands stand in `engine_commands`.
"""

import hashlib
import io
import json
import tarfile
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Literal

import requests
from docker import DockerClient
from docker.errors import DockerException, ImageNotFound
from docker.models.images import Image as DockerImage

from envplatform.errors import SandboxError, TargetError
from envplatform.sandbox.base import EngineImage
from envplatform.tree import File, Tree, tree_digest

Network = Literal["none", "default", "host"]
"""What a build may reach: nothing, the engine's usual network, or this machine's."""

FAILURES = (DockerException, requests.RequestException, OSError)
_TAG = "envplatform/target"
_DOCKERFILE = ".envplatform.Dockerfile"
_SHOWN_LINES = 20
_MEMORY_BYTES = 8 * 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerfileBuild:
    """One build, as a value."""

    text: str
    """Of the Dockerfile."""
    args: Mapping[str, str]
    """Build arguments. They stay readable in the history of the image."""
    tree: Tree
    """The build's context."""
    network: Network = "none"
    timeout_s: float

    def fingerprint(self) -> str:
        """SHA-256 (hex) over all that decides the image, as far as it can be told."""
        return fingerprint(
            ["dockerfile", self.text, dict(self.args), self.network], self.tree
        )


def existing_image(
    client: DockerClient, name: str, *, digest: str | None = None
) -> EngineImage:
    """Return the image `name` of the engine, pulled where it is missing.

    `digest`: what it must be, `sha256:...`, as its id or as its registry's digest.

    Raises:
        TargetError: it is not to be had, or is another one.
    """
    try:
        image = _found(client, name, digest)
    except FAILURES as error:
        msg = (
            f"image.name = {name!r} is not on Docker Engine and can't be pulled "
            f"({_reason(error)}): correct the name, or docker pull or load it"
        )
        raise TargetError(msg) from error
    known = _digests(image)
    if digest is not None and digest not in known:
        msg = (
            f"image.digest = {digest!r}, but {name} is {' or '.join(sorted(known))}: "
            "correct the digest if you trust what is there"
        )
        raise TargetError(msg)
    registry = min(
        (str(one) for one in image.attrs.get("RepoDigests") or ()), default=""
    )
    return EngineImage(
        id=str(image.id), origin=f"existing image {name}", registry=registry
    )


def dockerfile_image(
    client: DockerClient, build: DockerfileBuild, *, origin: str
) -> EngineImage:
    """Return the image that the build makes, or made before.

    Raises:
        TargetError: the build failed; holds the end of its log.
        SandboxError: the engine failed.
    """
    tag = tag_of(build.fingerprint())
    kept = kept_image(client, tag)
    if kept is None:
        try:
            _build(client, build, tag, origin)
            kept = str(client.images.get(tag).id)
        except FAILURES as error:
            msg = f"{origin}: Docker Engine failed to build it: {_reason(error)}"
            raise SandboxError(msg) from error
    return EngineImage(id=kept, origin=origin)


def kept_image(client: DockerClient, tag: str) -> str | None:
    """Return the id of what was built as `tag` before.

    Raises:
        SandboxError: the engine failed.
    """
    try:
        return str(client.images.get(tag).id)
    except ImageNotFound:
        return None
    except FAILURES as error:
        msg = f"Docker Engine does not say whether it has {tag}: {_reason(error)}"
        raise SandboxError(msg) from error


def fingerprint(recipe: object, tree: Tree) -> str:
    """SHA-256 (hex) over a recipe in JSON's types and the tree that it sees."""
    words = json.dumps([recipe, tree_digest(tree)], sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()


def tag_of(digest: str) -> str:
    """The engine's name for what has this fingerprint."""
    return f"{_TAG}:{digest[:32]}"


def write_tree(archive: tarfile.TarFile, tree: Tree, *, below: str = "") -> None:
    """Add the files of `tree`, the same bytes for the same tree."""
    for path, file in sorted(tree.items()):
        entry = tarfile.TarInfo(f"{below}{path}")
        entry.size, entry.mode = len(file.data), 0o755 if file.executable else 0o644
        archive.addfile(entry, io.BytesIO(file.data))


def log_tail(lines: Iterator[str]) -> str:
    """The end of a log as lines to put below a message."""
    last = deque((line for line in lines if line.strip()), maxlen=_SHOWN_LINES)
    return "".join(f"\n  | {line[:300]}" for line in last)


def _found(client: DockerClient, name: str, digest: str | None) -> DockerImage:
    try:
        return client.images.get(name)
    except ImageNotFound:
        if digest is None or "@" in name:
            return client.images.pull(name)
    try:
        return client.images.get(digest)
    except ImageNotFound:
        return client.images.pull(name)


def _digests(image: DockerImage) -> set[str]:
    pulled = image.attrs.get("RepoDigests") or ()
    return {str(image.id), *(str(one).rpartition("@")[2] for one in pulled)}


def _build(client: DockerClient, build: DockerfileBuild, tag: str, origin: str) -> None:
    deadline = time.monotonic() + build.timeout_s
    log: list[str] = []
    with tempfile.TemporaryFile() as context:
        _write_context(context, build)
        context.seek(0)
        for said in client.api.build(
            fileobj=context,
            custom_context=True,
            dockerfile=_DOCKERFILE,
            buildargs=dict(build.args),
            network_mode=build.network,
            container_limits={"memory": _MEMORY_BYTES, "memswap": _MEMORY_BYTES},
            tag=tag,
            rm=True,
            forcerm=True,
            decode=True,
        ):
            log += str(said.get("stream") or said.get("status") or "").splitlines()
            if "error" in said:
                msg = (
                    f"{origin}: the build failed: {said['error']}{log_tail(iter(log))}"
                )
                raise TargetError(msg + no_network_hint(build.network))
            if time.monotonic() > deadline:
                msg = (
                    f"{origin}: the build took longer than image.timeout_s = "
                    f"{build.timeout_s:g}{log_tail(iter(log))}"
                )
                raise TargetError(msg)


def no_network_hint(network: Network) -> str:
    """What to try where a build had no network; empty where it had one."""
    if network != "none":
        return ""
    return (
        '\nThe build has no network; image.network = "default" gives it the engine\'s '
        "(and lets the repository's own build code reach it)"
    )


def _write_context(out: IO[bytes], build: DockerfileBuild) -> None:
    ours = {_DOCKERFILE: File(build.text.encode())}
    with tarfile.open(fileobj=out, mode="w") as archive:
        write_tree(archive, {**build.tree, **ours})


def _reason(error: BaseException) -> str:
    said = getattr(error, "explanation", None) or str(error)
    return " ".join(str(said).split())[:300]
