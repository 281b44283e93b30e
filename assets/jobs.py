"""Jobs that a person starts with one click."""

import dagster as dg

SUPERVISION = "fix_supervision"
SYNTHESIS = "swe_synthesis"
BUG_MODELS = "bug_model_training"
LINEAGES = "res_lineage"
ROLLOUTS = "rollout_batches"
TRAJECTORIES = "trajectory_selection"
BREADTH = "cowork_breadth"
TRAINING = "model_training"
EVALUATION = "benchmark_evaluation"
RELEASE = "data_release"
ARMS = "arm_experiments"

fix_supervision = dg.define_asset_job(
    SUPERVISION,
    selection=dg.AssetSelection.groups("fixes"),
    description="From published fixes to a training set for a bug inducer.",
)

bug_model_training = dg.define_asset_job(
    BUG_MODELS,
    selection=dg.AssetSelection.assets("bug_model", "pattern_model"),
    description="From a training set of fixes to adapters that propose bugs.",
)

swe_synthesis = dg.define_asset_job(
    SYNTHESIS,
    selection=dg.AssetSelection.groups("bugs")
    - dg.AssetSelection.assets("bug_model", "pattern_model"),
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

model_training = dg.define_asset_job(
    TRAINING,
    selection=dg.AssetSelection.groups("training"),
    description="From selected trajectories to adapters of a model.",
)

benchmark_evaluation = dg.define_asset_job(
    EVALUATION,
    selection=dg.AssetSelection.assets(
        "benchmark_scores", "paired_evaluation", "cost_ledger", "realism_votes"
    ),
    description="From rollouts to solve rates and comparisons; costs and reviews.",
)

data_release = dg.define_asset_job(
    RELEASE,
    selection=dg.AssetSelection.assets("release"),
    description="From all that was made to an immutable, versioned data set.",
)

arm_experiments = dg.define_asset_job(
    ARMS,
    selection=dg.AssetSelection.assets("arm_rollouts", "arm_comparisons"),
    description="Models that differ in one thing over the same tasks, and what came of it.",
)
