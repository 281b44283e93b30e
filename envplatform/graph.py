"""Names of the assets and what they are made from, for those who can't see Dagster.

The command line speaks of assets without importing the orchestrator. A test holds this
table equal to the definitions.
"""

from collections.abc import Mapping
from types import MappingProxyType

ASSETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "target_repositories": (),
        "bug_candidates": ("target_repositories",),
        "verified_bugs": ("target_repositories", "bug_candidates"),
        "swe_environments": (
            "target_repositories",
            "bug_candidates",
            "verified_bugs",
        ),
        "synthesis_report": ("bug_candidates", "verified_bugs", "swe_environments"),
    }
)
"""Asset to the assets it reads, in the order of the graph."""
