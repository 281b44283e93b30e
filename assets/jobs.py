"""Jobs that a person starts with one click."""

import dagster as dg

SUPERVISION = "fix_supervision"
SYNTHESIS = "swe_synthesis"
LINEAGES = "res_lineage"
ROLLOUTS = "rollout_batches"
TRAJECTORIES = "trajectory_selection"
BREADTH = "cowork_breadth"
EVALUATION = "benchmark_evaluation"

fix_supervision = dg.define_asset_job(
    SUPERVISION,
    selection=dg.AssetSelection.groups("fixes"),
    description="From published fixes to a training set for a bug inducer.",
)

swe_synthesis = dg.define_asset_job(
    SYNTHESIS,
    selection=dg.AssetSelection.groups("bugs"),
    description="From healthy repositories to gated environments and their report.",
)

res_lineage = dg.define_asset_job(
    LINEAGES,
    selection=dg.AssetSelection.groups("lineages"),
    description="From seed tasks to gated environments, grown deeper level by level.",
)

cowork_breadth = dg.define_asset_job(
    BREADTH,
    selection=dg.AssetSelection.groups("cowork"),
    description="From material and blueprints to gated environments with users inside.",
)

rollout_batches = dg.define_asset_job(
    ROLLOUTS,
    selection=dg.AssetSelection.assets("rollouts"),
    description="Agents in environments, batch by batch.",
)

trajectory_selection = dg.define_asset_job(
    TRAJECTORIES,
    selection=dg.AssetSelection.groups("trajectories")
    - dg.AssetSelection.assets("rollouts"),
    description="From rollouts to the trajectories worth training on.",
)

benchmark_evaluation = dg.define_asset_job(
    EVALUATION,
    selection=dg.AssetSelection.assets(
        "benchmark_scores", "paired_evaluation", "cost_ledger"
    ),
    description="From rollouts to solve rates, comparisons and what it all cost.",
)
