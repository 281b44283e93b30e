"""`envplatform.toml` as one typed value: the only file a user edits.

Every key has a default, so an empty file is a valid one. Unknown keys are errors.
Secrets never stand here: a model names the environment variable that holds its key.
Reading targets, opening stores or models is not done here.
"""

from envplatform.configuration.arms import (
    ArmExperimentSettings,
    ArmExperimentsSettings,
    ArmSettings,
    CheckpointKind,
)
from envplatform.configuration.bug_models import (
    BugModelSettings,
    BugModelsSettings,
    LearnedSamplingSettings,
)
from envplatform.configuration.cowork import CoworkSettings
from envplatform.configuration.evaluation import (
    FEWEST_REVIEWERS,
    ComparisonKind,
    ComparisonSettings,
    EvaluationSettings,
    EvaluationsSettings,
    RealismSettings,
)
from envplatform.configuration.fixes import (
    REPOSITORY_FIELD,
    CurationSettings,
    FixesSettings,
    FixLayout,
    FixSourceSettings,
    PatternSettings,
    SamplingSettings,
)
from envplatform.configuration.library import LibrarySettings, LibrarySourceSettings
from envplatform.configuration.load import (
    CONFIG_VARIABLE,
    CONFIGURATION_FILE,
    DEFAULT_HOME,
    HOME_VARIABLE,
    home_folder,
    load_configuration,
    parse_configuration,
)
from envplatform.configuration.online import (
    DistilSettings,
    DistilsSettings,
    GrpoSettings,
    GrposSettings,
)
from envplatform.configuration.release import ReleaseSettings
from envplatform.configuration.res import ABLATIONS, MAX_DEPTH, Ablation, ResSettings
from envplatform.configuration.rollouts import (
    EMBEDDED_STUDENT,
    SHIPPED_TEMPLATES,
    ExperimentSettings,
    RolloutBatchSettings,
    RolloutSettings,
    SelectionSettings,
    StudentSettings,
)
from envplatform.configuration.settings import (
    LEARNED,
    PROMPTED,
    Configuration,
    ModelSettings,
    SandboxSettings,
    SeedSettings,
    SynthesisSettings,
    TargetSettings,
)
from envplatform.configuration.training import (
    ExperimentTrainingSettings,
    SFTSettings,
    TrainingSettings,
)

__all__ = [
    "ABLATIONS",
    "CONFIGURATION_FILE",
    "CONFIG_VARIABLE",
    "DEFAULT_HOME",
    "EMBEDDED_STUDENT",
    "FEWEST_REVIEWERS",
    "HOME_VARIABLE",
    "LEARNED",
    "MAX_DEPTH",
    "PROMPTED",
    "REPOSITORY_FIELD",
    "SHIPPED_TEMPLATES",
    "Ablation",
    "ArmExperimentSettings",
    "ArmExperimentsSettings",
    "ArmSettings",
    "BugModelSettings",
    "BugModelsSettings",
    "CheckpointKind",
    "ComparisonKind",
    "ComparisonSettings",
    "Configuration",
    "CoworkSettings",
    "CurationSettings",
    "DistilSettings",
    "DistilsSettings",
    "EvaluationSettings",
    "EvaluationsSettings",
    "ExperimentSettings",
    "ExperimentTrainingSettings",
    "FixLayout",
    "FixSourceSettings",
    "FixesSettings",
    "GrpoSettings",
    "GrposSettings",
    "LearnedSamplingSettings",
    "LibrarySettings",
    "LibrarySourceSettings",
    "ModelSettings",
    "PatternSettings",
    "RealismSettings",
    "ReleaseSettings",
    "ResSettings",
    "RolloutBatchSettings",
    "RolloutSettings",
    "SFTSettings",
    "SamplingSettings",
    "SandboxSettings",
    "SeedSettings",
    "SelectionSettings",
    "StudentSettings",
    "SynthesisSettings",
    "TargetSettings",
    "TrainingSettings",
    "home_folder",
    "load_configuration",
    "parse_configuration",
]
