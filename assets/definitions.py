"""The composition root: the only place where resources are built.

`workspace.yaml` and `[tool.dg]` name this module, so it must define `defs`.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from assets import (
    arms,
    bug_report,
    bug_training,
    bugs,
    costs,
    coverage_report,
    cowork,
    cowork_checks,
    depth_report,
    evaluation,
    evaluation_checks,
    fixes,
    gate_checks,
    level_checks,
    levels,
    library,
    lineages,
    on_policy,
    patterns,
    realism,
    releases,
    rollouts,
    scores,
    selection,
    training,
    validity,
)
from assets.jobs import (
    arm_experiments,
    benchmark_evaluation,
    bug_model_training,
    cowork_breadth,
    data_release,
    fix_supervision,
    model_training,
    res_lineage,
    rollout_batches,
    swe_synthesis,
    trajectory_selection,
)
from assets.key_sensors import SENSORS
from envplatform.configuration import (
    CONFIG_VARIABLE,
    CONFIGURATION_FILE,
    home_folder,
)
from resources.configuration import ConfigurationResource
from resources.fixes import FixesResource
from resources.library import LibraryResource
from resources.models import ChatModelResource
from resources.sandbox import SandboxResource
from resources.seeds import SeedsResource
from resources.store import StoreResource
from resources.targets import TargetsResource
from resources.trainer import TrainerResource


def build_definitions(overrides: Mapping[str, Any] | None = None) -> dg.Definitions:
    """Put assets, checks, jobs and resources together.

    They read the file that $ENVPLATFORM_CONFIG names, else the one in the checkout.

    Args:
        overrides: resources by name that take the place of the configured ones.
    """
    checkout = Path(__file__).resolve().parents[1]
    path = str(checkout / os.environ.get(CONFIG_VARIABLE, CONFIGURATION_FILE))
    home = str(home_folder(os.environ, checkout=checkout))
    resources = {
        "configuration": ConfigurationResource(path=path),
        "store": StoreResource(home=home),
        "fixes": FixesResource(path=path, home=home),
        "targets": TargetsResource(path=path, home=home),
        "seeds": SeedsResource(path=path, home=home),
        "library": LibraryResource(path=path, home=home),
        "sandbox": SandboxResource(path=path),
        "trainer": TrainerResource(path=path),
        "chat_model": ChatModelResource(path=path, home=home),
    }
    return dg.Definitions(
        assets=dg.load_assets_from_modules(
            [
                fixes,
                patterns,
                bug_training,
                bugs,
                bug_report,
                lineages,
                levels,
                depth_report,
                library,
                cowork,
                coverage_report,
                rollouts,
                validity,
                scores,
                selection,
                training,
                evaluation,
                costs,
                realism,
                on_policy,
                arms,
                releases,
            ]
        ),
        asset_checks=dg.load_asset_checks_from_modules(
            [gate_checks, level_checks, cowork_checks, evaluation_checks]
        ),
        jobs=[
            fix_supervision,
            bug_model_training,
            swe_synthesis,
            res_lineage,
            cowork_breadth,
            rollout_batches,
            trajectory_selection,
            model_training,
            benchmark_evaluation,
            arm_experiments,
            data_release,
        ],
        sensors=SENSORS,
        resources={**resources, **(overrides or {})},
        # The steps of a run follow one another, and each fans out by itself. A process
        # a step costs three seconds of start: 21 s of CPU against 3 s, measured over
        # the synthesis job with everything cached. Pools hold here too.
        executor=dg.in_process_executor,
    )


defs = build_definitions()
