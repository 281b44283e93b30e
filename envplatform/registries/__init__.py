"""Files from package registries and hostile archives, as the client here is set up.

Nothing that comes from there is built, imported or run. What the files mean is known
to pillars: healthy repositories in `swe.targets`, resources in `cowork.library`.
"""

from envplatform.registries.archives import MAX_BYTES, MAX_FILES, stream_archive
from envplatform.registries.indexes import PackageIndex, configured_index
from envplatform.registries.npm import (
    NpmRegistry,
    NpmRelease,
    configured_npm,
    fetch_npm,
)
from envplatform.registries.sdists import Release, fetch_release, list_sdists

__all__ = [
    "MAX_BYTES",
    "MAX_FILES",
    "NpmRegistry",
    "NpmRelease",
    "PackageIndex",
    "Release",
    "configured_index",
    "configured_npm",
    "fetch_npm",
    "fetch_release",
    "list_sdists",
    "stream_archive",
]
