"""The sections of `envplatform.toml` and the whole of it, as values.

`[fixes]`, the longest one, stands in `fixes`; reading a file in `load`.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from envplatform.configuration.arms import ArmExperimentsSettings
from envplatform.configuration.bug_models import (
    BugModelsSettings,
    LearnedSamplingSettings,
)
from envplatform.configuration.cowork import CoworkSettings
from envplatform.configuration.evaluation import EvaluationsSettings, RealismSettings
from envplatform.configuration.fixes import FixesSettings
from envplatform.configuration.online import DistilsSettings, GrposSettings
from envplatform.configuration.release import ReleaseSettings
from envplatform.configuration.res import ResSettings
from envplatform.configuration.rollouts import RolloutSettings, SelectionSettings
from envplatform.configuration.section import Positive, Seconds, Section
from envplatform.configuration.training import TrainingSettings


class SandboxSettings(Section):
    """`[sandbox]`: where code of others runs. What it may use stands in target.toml."""

    kind: Literal["auto", "bubblewrap", "docker"] = "auto"
    base_image: str = "python:3.11-slim"
    """Docker only: the image that repository images are built upon."""
    concurrency: Positive = 2
    """Sandboxes open at once in one process."""


class ModelSettings(Section):
    """`[model]`: who answers chat requests."""

    kind: Literal["embedded", "openai"] = "embedded"
    name: str = "SmolLM2-135M-Instruct"
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key; never the key."""
    timeout_s: Seconds = 120.0
    attempts: Positive = 5
    max_total_tokens: Positive = 2_000_000
    max_usd: Annotated[float, Field(ge=0)] = 10.0
    usd_per_million_prompt_tokens: Annotated[float, Field(ge=0)] = 0.0
    usd_per_million_completion_tokens: Annotated[float, Field(ge=0)] = 0.0
    concurrency: Positive = 8
    """Requests in flight at once."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """What this server calls the length limit; newer OpenAI models want the second."""
    omit: tuple[Literal["temperature", "seed", "response_format"], ...] = ()
    """Parameters that this server refuses and that are therefore never sent."""
    record: Literal["off", "record", "replay"] = "record"
    """`record` answers known requests from the recording and records new ones."""

    @field_validator("api_key_env")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        if not value.isidentifier():
            msg = "must be the name of an environment variable, not the key itself"
            raise ValueError(msg)
        return value


class TargetSettings(Section):
    """`[targets]`: healthy repositories that bugs are put into."""

    builtin: tuple[str, ...] = (
        "pytoolz__toolz",
        "jpvanhal__inflection",
        "keleshev__schema",
        "python-semver__python-semver",
        "msiemens__tinydb",
        "tkem__cachetools",
    )
    """Names of targets shipped with the package; `envplatform init` lists them."""
    files: tuple[str, ...] = ()
    """Paths of further `target.toml` files, relative to this file; absolute once read."""


class SeedSettings(Section):
    """`[seeds]`: tasks over workspaces, by hand or imported, that others grow from."""

    builtin: tuple[str, ...] = (
        "backup_chain",
        "calendar_conflicts",
        "contract_clauses",
        "expense_audit",
        "incident_timeline",
        "inventory_merge",
        "ledger_reconciliation",
        "mailbox_triage",
        "oncall_handover",
        "price_migration",
        "release_notes",
        "survey_analysis",
    )
    """Names of seeds shipped with the package."""
    folders: tuple[str, ...] = ()
    """Environments on disk, or folders of them; relative to this file, absolute once
    read. A folder's name is its partition.
    """
    python: Annotated[str, Field(pattern=r"^3\.\d{1,2}$")] | None = None
    """Of the image that the shipped ones run on, part of what they are. None: that which
    the platform runs on.
    """
    portability: bool = False
    """Whether some states of each are graded in the other kind of sandbox too, which
    must then be there.
    """


class SynthesisSettings(Section):
    """`[synthesis]`: how bugs are proposed and proved."""

    seed: int = 0
    inducers: Annotated[
        tuple[
            Literal[
                "mutation", "mined", "llm_modify", "llm_rewrite", "model", "pattern"
            ],
            ...,
        ],
        Field(min_length=1),
    ] = ("mutation",)
    """`llm_modify` and `llm_rewrite` ask the model of `[model]`; `model` and `pattern`
    ask models that learned from fixes, as `sampling` says.
    """
    sampling: LearnedSamplingSettings = LearnedSamplingSettings()
    candidates_per_repository: Positive = 40
    environments_per_repository: Positive = 12
    """Proven bugs beyond this number are kept as rows, not made environments."""
    issue_writer: Literal["template", "llm"] = "template"
    """`llm` asks the model of `[issue_model]`, or of `[model]` where that is absent."""
    model_temperature: Annotated[float, Field(ge=0, le=2)] = 0.8
    """Of models that propose bugs or write issues."""
    model_answer_tokens: Positive = 4_096
    """Longest answer of theirs."""
    baseline_runs: Annotated[int, Field(ge=3)] = 3
    buggy_runs: Annotated[int, Field(ge=2)] = 2
    fail_to_pass_repeats: Annotated[int, Field(ge=2, validate_default=True)] = 10
    """Times that a test must fail, `buggy_runs` included."""

    @field_validator("fail_to_pass_repeats")
    @classmethod
    def _holds_the_runs(cls, value: int, info: ValidationInfo) -> int:
        runs = info.data.get("buggy_runs", 0)
        if value < runs:
            msg = f"must be at least buggy_runs, which is {runs}"
            raise ValueError(msg)
        return value


class Configuration(Section):
    """The whole of `envplatform.toml`."""

    profile: str = "small"
    sandbox: SandboxSettings = SandboxSettings()
    model: ModelSettings = ModelSettings()
    issue_model: ModelSettings | None = None
    """Who writes issues: never a model that is to solve them. None: as `model`."""
    bug_model: ModelSettings | None = None
    """Who serves the adapter of the bug model, for the inducer `model`."""
    pattern_model: ModelSettings | None = None
    """Who serves the adapter of the pattern model, for the inducer `pattern`."""
    executor_model: ModelSettings | None = None
    """Who carries out what the pattern model proposes, unaware. None: as `model`."""
    annotator_model: ModelSettings | None = None
    """Who tells in words what fixes change, for the pattern model. None: as `model`."""
    user_model: ModelSettings | None = None
    """Who words what users inside say. None: as `model`."""
    judge_model: ModelSettings | None = None
    """Who scores work by the rubric that its task ships. None: code alone does."""
    targets: TargetSettings = TargetSettings()
    fixes: FixesSettings = FixesSettings()
    seeds: SeedSettings = SeedSettings()
    res: ResSettings = ResSettings()
    cowork: CoworkSettings = CoworkSettings()
    synthesis: SynthesisSettings = SynthesisSettings()
    rollouts: RolloutSettings = RolloutSettings()
    selection: SelectionSettings = SelectionSettings()
    training: TrainingSettings = TrainingSettings()
    grpo: GrposSettings = GrposSettings()
    distillation: DistilsSettings = DistilsSettings()
    experiments: ArmExperimentsSettings = ArmExperimentsSettings()
    bug_models: BugModelsSettings = BugModelsSettings()
    evaluation: EvaluationsSettings = EvaluationsSettings()
    realism: RealismSettings = RealismSettings()
    release: ReleaseSettings = ReleaseSettings()

    @property
    def issue_model_or_model(self) -> ModelSettings:
        """Who writes issues, where a model does."""
        return self.issue_model or self.model

    @property
    def annotator_model_or_model(self) -> ModelSettings:
        """Who tells patterns, where a model does."""
        return self.annotator_model or self.model

    @property
    def executor_model_or_model(self) -> ModelSettings:
        """Who carries out patterns."""
        return self.executor_model or self.model

    @property
    def user_model_or_model(self) -> ModelSettings:
        """Who words what users inside say, where a model does."""
        return self.user_model or self.model

    @model_validator(mode="after")
    def _has_models_that_write(self) -> Self:
        prompted = [name for name in self.synthesis.inducers if name in PROMPTED]
        if prompted and self.model.kind == "embedded":
            raise ValueError(_needs_a_model(f"synthesis.inducers: {prompted[0]}"))
        self._check_learned()
        writes = self.synthesis.issue_writer == "llm"
        if writes and self.issue_model_or_model.kind == "embedded":
            raise ValueError(_needs_a_model('synthesis.issue_writer = "llm"'))
        if self.res.proposer == "llm" and self.model.kind == "embedded":
            raise ValueError(_needs_a_model('res.proposer = "llm"'))
        tells = self.fixes.patterns.annotator == "model"
        if tells and self.annotator_model_or_model.kind == "embedded":
            raise ValueError(_needs_a_model('fixes.patterns.annotator = "model"'))
        words = self.rollouts.user_wording == "model"
        if words and self.user_model_or_model.kind == "embedded":
            raise ValueError(_needs_a_model('rollouts.user_wording = "model"'))
        return self

    def _check_learned(self) -> None:
        """Refuse an inducer that learned without anybody who answers for it.

        Raises:
            ValueError: says which section or key to set.
        """
        experiment, asked = self.synthesis.sampling.experiment, self.synthesis.inducers
        if experiment and experiment not in self.bug_models.experiments:
            known = ", ".join(sorted(self.bug_models.experiments)) or "none"
            msg = (
                f"synthesis.sampling.experiment: there is no [bug_models.{experiment}]; "
                f"there are: {known}"
            )
            raise ValueError(msg)
        self._check_shown(experiment)
        for name, served in (("model", "bug_model"), ("pattern", "pattern_model")):
            if name in asked and not experiment and getattr(self, served) is None:
                msg = (
                    f"synthesis.inducers: {name} asks a model that learned from fixes: "
                    f"name a server in [{served}], or an experiment of [bug_models] as "
                    f"synthesis.sampling.experiment"
                )
                raise ValueError(msg)
        if "pattern" in asked and self.executor_model_or_model.kind == "embedded":
            raise ValueError(_needs_a_model("synthesis.inducers: pattern's executor"))

    def _check_shown(self, experiment: str) -> None:
        """Refuse to ask models of an experiment about more or less than they learnt from.

        Raises:
            ValueError: says which key to set.
        """
        asked = self.synthesis.sampling.shown_characters
        if not experiment:
            return
        learnt = self.bug_models.experiments[experiment].shown_characters
        if asked != learnt:
            msg = (
                f"synthesis.sampling.shown_characters is {asked}, and the models of "
                f"[bug_models.{experiment}] are shown {learnt} in training: set it to "
                f"{learnt}"
            )
            raise ValueError(msg)


LEARNED = frozenset({"model", "pattern"})
"""Inducers that ask a model that learned from fixes."""
PROMPTED = frozenset({"llm_modify", "llm_rewrite"})
"""Inducers that ask a model."""


def _needs_a_model(what: str) -> str:
    own = next(
        (one for one in ("issue", "user", "annotator", "executor") if one in what), ""
    )
    section = f"{own}_model] or [model" if own else "model"
    return (
        f"{what} asks a model, and none is configured but the embedded one, which is too "
        f'small to be of use; set kind = "openai", name and base_url in [{section}], '
        f"or take it out"
    )
