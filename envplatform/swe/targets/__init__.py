"""Healthy repositories: what they are, where they come from, how they are fetched.

Nothing of a repository is executed here: running its suite is `p2f`.
"""

from envplatform.registries.indexes import PackageIndex, configured_index
from envplatform.swe.targets.fetch import fetch_sdist, list_sdists
from envplatform.swe.targets.folder import read_folder
from envplatform.swe.targets.guess import guess_target
from envplatform.swe.targets.identity import sources_of, target_digest
from envplatform.swe.targets.prepare import HealthyRepository, prepare
from envplatform.swe.targets.surroundings import (
    CommandsImage,
    DockerfileImage,
    ExistingImage,
    Service,
)
from envplatform.swe.targets.target import (
    Code,
    FolderSource,
    GitSource,
    Package,
    SdistSource,
    Suite,
    Target,
)
from envplatform.swe.targets.targetfile import (
    builtin_target,
    builtin_targets,
    load_target,
    parse_target,
)
from envplatform.swe.targets.unpack import stream_sdist, unpack_sdist

__all__ = [
    "Code",
    "CommandsImage",
    "DockerfileImage",
    "ExistingImage",
    "FolderSource",
    "GitSource",
    "HealthyRepository",
    "Package",
    "PackageIndex",
    "SdistSource",
    "Service",
    "Suite",
    "Target",
    "builtin_target",
    "builtin_targets",
    "configured_index",
    "fetch_sdist",
    "guess_target",
    "list_sdists",
    "load_target",
    "parse_target",
    "prepare",
    "read_folder",
    "sources_of",
    "stream_sdist",
    "target_digest",
    "unpack_sdist",
]
