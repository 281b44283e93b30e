"""Names of the assets and what they are made from, for those who can't see Dagster.

The command line speaks of assets without importing the orchestrator. A test holds this
table equal to the definitions.
"""

from collections.abc import Mapping
from types import MappingProxyType

ASSETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "fix_corpus": (),
        "target_repositories": (),
        "reverse_patches": ("fix_corpus",),
        "bug_candidates": ("target_repositories",),
        "curated_reverse_patches": ("fix_corpus", "reverse_patches"),
        "verified_bugs": ("target_repositories", "bug_candidates"),
        "bug_training_set": ("reverse_patches", "curated_reverse_patches"),
        "swe_environments": (
            "target_repositories",
            "bug_candidates",
            "verified_bugs",
        ),
        "bug_patterns": ("bug_training_set",),
        "synthesis_report": ("bug_candidates", "verified_bugs", "swe_environments"),
    }
)
"""Asset to the assets it reads, in the order of the graph."""
