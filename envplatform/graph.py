"""Names of assets and partitions, and what they are made from, without Dagster.

The command line speaks of assets without importing the orchestrator. A test holds this
table equal to the definitions.
"""

import re
from collections.abc import Container, Mapping
from types import MappingProxyType

ASSETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "fix_corpus": (),
        "target_repositories": (),
        "seed_environments": (),
        "resource_library": (),
        "task_blueprints": ("resource_library",),
        "res_lineages": ("seed_environments",),
        "res_ablations": ("seed_environments",),
        "reverse_patches": ("fix_corpus",),
        "cowork_environments": ("resource_library", "task_blueprints"),
        "depth_report": ("res_lineages", "res_ablations"),
        "curated_reverse_patches": ("fix_corpus", "reverse_patches"),
        "coverage_report": ("task_blueprints", "cowork_environments"),
        "bug_training_set": ("reverse_patches", "curated_reverse_patches"),
        "mined_patterns": ("bug_training_set",),
        "bug_patterns": ("bug_training_set",),
        "bug_model": ("bug_training_set",),
        "pattern_model": ("bug_training_set", "bug_patterns"),
        "bug_candidates": (
            "target_repositories",
            "mined_patterns",
            "bug_model",
            "pattern_model",
        ),
        "verified_bugs": ("target_repositories", "bug_candidates"),
        "realism_votes": (
            "bug_candidates",
            "verified_bugs",
            "curated_reverse_patches",
        ),
        "swe_environments": ("target_repositories", "bug_candidates", "verified_bugs"),
        "rollouts": (
            "swe_environments",
            "seed_environments",
            "cowork_environments",
            "res_lineages",
        ),
        "synthesis_report": ("bug_candidates", "verified_bugs", "swe_environments"),
        "valid_trajectories": ("rollouts",),
        "benchmark_scores": (
            "swe_environments",
            "seed_environments",
            "cowork_environments",
            "res_lineages",
            "rollouts",
        ),
        "paired_evaluation": (
            "swe_environments",
            "seed_environments",
            "cowork_environments",
            "res_lineages",
            "rollouts",
        ),
        "trajectory_scores": ("rollouts", "valid_trajectories"),
        "selected_trajectories": ("valid_trajectories", "trajectory_scores"),
        "sft_checkpoint": ("rollouts", "selected_trajectories"),
        "cost_ledger": (
            "target_repositories",
            "bug_candidates",
            "verified_bugs",
            "swe_environments",
            "seed_environments",
            "res_lineages",
            "res_ablations",
            "task_blueprints",
            "cowork_environments",
            "rollouts",
            "valid_trajectories",
            "selected_trajectories",
        ),
        "release": (
            "swe_environments",
            "seed_environments",
            "cowork_environments",
            "res_lineages",
            "rollouts",
            "selected_trajectories",
        ),
        "grpo_checkpoint": (
            "swe_environments",
            "seed_environments",
            "cowork_environments",
            "res_lineages",
            "sft_checkpoint",
        ),
        "distilled_checkpoint": ("rollouts", "sft_checkpoint"),
        "arm_rollouts": (
            "swe_environments",
            "seed_environments",
            "cowork_environments",
            "res_lineages",
            "sft_checkpoint",
            "grpo_checkpoint",
            "distilled_checkpoint",
        ),
        "arm_comparisons": (
            "swe_environments",
            "seed_environments",
            "cowork_environments",
            "res_lineages",
            "arm_rollouts",
        ),
    }
)
"""Asset to the assets it reads, in the order of the graph."""

BROKEN = "broken__"
"""Begins the partition key of what is configured and can't be read."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def broken_key(called: str, taken: Container[str]) -> str:
    """Return a free key for what can't be read, of what it was `called` by."""
    base = f"{BROKEN}{_UNSAFE.sub('-', called)[:80] or 'unnamed'}"
    key, number = base, 2
    while key in taken:
        key, number = f"{base}-{number}", number + 1
    return key
