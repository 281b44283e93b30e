"""From a target to what can be run: its tree, its image and its identity.

No code of the repository runs here; `p2f` does that, in sandboxes.
"""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import TargetError
from envplatform.registries.indexes import PackageIndex
from envplatform.sandbox.base import Image
from envplatform.sandbox.images import build_image
from envplatform.swe.targets.engine import engine_image
from envplatform.swe.targets.fetch import fetch_sdist
from envplatform.swe.targets.folder import empty_submodules, read_folder
from envplatform.swe.targets.git_source import Checkout, read_commit
from envplatform.swe.targets.installed import installed_files
from envplatform.swe.targets.sound import check_sound
from envplatform.swe.targets.target import (
    FolderSource,
    GitSource,
    SdistSource,
    Target,
)
from envplatform.swe.targets.unpack import unpack_sdist
from envplatform.tree import Tree, tree_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthyRepository:
    """A target with everything at hand to run its suite."""

    target: Target
    tree: Tree
    image: Image
    commit: str
    """Identity of the tree: its digest (hex, SHA-256)."""

    @property
    def name(self) -> str:
        """`owner__name`, the partition key."""
        return self.target.name


async def prepare(
    target: Target, cache: Path, *, index: PackageIndex
) -> HealthyRepository:
    """Fetch `target` and build its image; `cache` keeps downloads, mirrors and wheels.

    Raises:
        TargetError: its files or its image can't be had or are not what the target says.
        SandboxUnavailableError: it needs Docker, or a Python, that is not here.
        SandboxError: Docker Engine failed.
    """
    checkout = await asyncio.to_thread(_read, target, cache, index)
    check_sound(target, checkout)
    tree = {**checkout.tree, **installed_files(target, checkout.tree)}
    if not target.source_paths(tree):
        msg = f"{target.name}: no Python file lies below code.roots {target.code.roots}"
        raise TargetError(msg)
    image = await asyncio.to_thread(_image, target, tree, cache)
    return HealthyRepository(
        target=target, tree=tree, image=image, commit=tree_digest(tree)
    )


def _image(target: Target, tree: Tree, cache: Path) -> Image:
    if target.image is not None:
        return engine_image(target, tree, cache)
    return build_image(target.name.lower(), _python(target), target.requirements, cache)


def _read(target: Target, cache: Path, index: PackageIndex) -> Checkout:
    source = target.source
    match source:
        case GitSource():
            return read_commit(source, cache / "mirrors", name=target.name)
        case FolderSource():
            tree = read_folder(source.path)
            return Checkout(tree=tree, submodules=empty_submodules(tree))
        case SdistSource():
            archive = fetch_sdist(source, cache / "sdists", index=index)
            return Checkout(tree=unpack_sdist(archive))


def _python(target: Target) -> str:
    """Prefer the interpreter that runs us, if the target takes it: it is there."""
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    return running if running in target.python else target.python[0]
