"""`envplatform.toml` as one typed value: the only file a user edits.

Every key has a default, so an empty file is a valid one. Unknown keys are errors.
Secrets never stand here: a model names the environment variable that holds its key.
Reading targets, opening stores or models is not done here.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from envplatform.errors import ConfigError
from envplatform.toml_file import parse_toml

CONFIGURATION_FILE = "envplatform.toml"
HOME_VARIABLE = "ENVPLATFORM_HOME"
CONFIG_VARIABLE = "ENVPLATFORM_CONFIG"
"""Path of envplatform.toml, for processes that are not started beside it."""
DEFAULT_HOME = ".envplatform"
REPOSITORY_FIELD = "{repository}"

Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]


class Section(BaseModel):
    """Base of all sections: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


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


class SynthesisSettings(Section):
    """`[synthesis]`: how bugs are proposed and proved."""

    seed: int = 0
    inducers: Annotated[
        tuple[Literal["mutation", "mined", "llm_modify", "llm_rewrite"], ...],
        Field(min_length=1),
    ] = ("mutation",)
    """`llm_modify` and `llm_rewrite` ask the model of `[model]`."""
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


FixLayout = Literal[
    "auto",
    "swe-bench",
    "swe-bench-live",
    "swe-rebench",
    "swe-rebench-v2",
    "swe-gym",
    "swe-fixer",
    "r2e-gym",
    "swe-smith",
    "tests4py",
    "bugsinpy",
    "mined",
]
"""How rows of published fixes are laid out; `auto` tells it by the columns."""


class FixSourceSettings(Section):
    """`[[fixes.sources]]`: exactly one of path, hub, git, pypi and builtin."""

    path: str | None = None
    """Parquet, JSON or JSONL file, or a folder; absolute once read."""
    hub: str | None = None
    """`owner/name` of a data set on a Hugging Face hub."""
    git: str | None = None
    """URL or path of a repository whose fix commits are taken; a relative path starts
    with `./`.
    """
    pypi: str | None = None
    """Name of a package whose consecutive releases are compared."""
    builtin: Literal["tests4py"] | None = None
    """A set shipped with the package."""
    name: str | None = None
    """In tables and funnels; made of the origin if left out."""
    layout: FixLayout = "auto"
    split: str | None = None
    """Of a hub data set; None: all."""
    revision: str | None = None
    """Of a hub data set or repository; None: the newest."""
    licence: str | None = None
    """SPDX identifier for rows that name none."""
    limit: Positive | None = None
    """Take at most so many instances, the first."""

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        kinds = ("path", "hub", "git", "pypi", "builtin")
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(given) != 1:
            msg = f"needs exactly one of {', '.join(kinds)}; has {given or 'none'}"
            raise ValueError(msg)
        return self


class CurationSettings(Section):
    """`[fixes.curation]`: which reverse patches are kept."""

    max_files: Positive = 3
    max_changed_lines: Positive = 200
    max_context_tokens: Positive = 65_536
    licences: Literal["permissive", "any"] | tuple[str, ...] = "permissive"
    """A policy, or the SPDX identifiers that are taken."""
    unknown_licences: Literal["keep", "drop"] = "drop"
    duplicates: Literal["drop", "mark"] = "drop"
    """`mark` keeps them, and says on the row what they repeat."""
    near_duplicate_similarity: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Estimated Jaccard similarity from which two changes count as one."""
    held_out: tuple[str, ...] = ("swe-bench-verified",)
    """Sets shipped with the package whose repositories are left out."""
    held_out_files: tuple[str, ...] = ()
    """Hash files of own held-out sets; absolute once read."""


class SamplingSettings(Section):
    """`[fixes.sampling]`: which curated patches a training set is drawn from."""

    rows: Positive = 2_000
    """At most; fewer are drawn where fewer are kept."""
    seed: int = 0
    validation_share: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Of the rows, as nearly as whole repositories allow."""


class FixesSettings(Section):
    """`[fixes]`: published fixes, and what becomes of them."""

    sources: tuple[FixSourceSettings, ...] = (FixSourceSettings(builtin="tests4py"),)
    clone_url: str = "https://github.com/{repository}.git"
    """Where the history of `owner/name` is cloned from; may be a path, absolute or
    with `./` at its start.
    """
    histories: dict[str, str] = Field(default_factory=dict)
    """`owner/name` to the URL or path of its history, where `clone_url` is wrong."""
    curation: CurationSettings = CurationSettings()
    sampling: SamplingSettings = SamplingSettings()

    @field_validator("clone_url")
    @classmethod
    def _names_the_repository(cls, value: str) -> str:
        if REPOSITORY_FIELD not in value:
            msg = f"must hold {REPOSITORY_FIELD}, which owner/name is put in place of"
            raise ValueError(msg)
        return value


class RolloutSettings(Section):
    """`[rollouts]`: limits of one rollout."""

    turns: Positive = 20
    tokens: Positive = 60_000
    seconds: Seconds = 600.0


class Configuration(Section):
    """The whole of `envplatform.toml`."""

    profile: str = "small"
    sandbox: SandboxSettings = SandboxSettings()
    model: ModelSettings = ModelSettings()
    issue_model: ModelSettings | None = None
    """Who writes issues: never a model that is to solve them. None: as `model`."""
    targets: TargetSettings = TargetSettings()
    fixes: FixesSettings = FixesSettings()
    synthesis: SynthesisSettings = SynthesisSettings()
    rollouts: RolloutSettings = RolloutSettings()

    @property
    def issue_model_or_model(self) -> ModelSettings:
        """Who writes issues, where a model does."""
        return self.issue_model or self.model

    @model_validator(mode="after")
    def _has_models_that_write(self) -> Self:
        prompted = [name for name in self.synthesis.inducers if name in PROMPTED]
        if prompted and self.model.kind == "embedded":
            raise ValueError(_needs_a_model(f"synthesis.inducers: {prompted[0]}"))
        writes = self.synthesis.issue_writer == "llm"
        if writes and self.issue_model_or_model.kind == "embedded":
            raise ValueError(_needs_a_model('synthesis.issue_writer = "llm"'))
        return self


PROMPTED = frozenset({"llm_modify", "llm_rewrite"})
"""Inducers that ask a model."""


def _needs_a_model(what: str) -> str:
    section = "issue_model] or [model" if "issue" in what else "model"
    return (
        f"{what} asks a model, and none is configured but the embedded one, which is too "
        f'small to be of use; set kind = "openai", name and base_url in [{section}], '
        f"or take it out"
    )


def parse_configuration(text: str, *, source: str) -> Configuration:
    """Read the text of a configuration file.

    Raises:
        ConfigError: names `source`, every wrong key, what stands there and why.
    """
    return parse_toml(Configuration, text, source=source)


def load_configuration(path: Path) -> Configuration:
    """Read `path`.

    Raises:
        ConfigError: the file is missing, unreadable or wrong.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} can't be read ({error}); `envplatform init` writes one"
        raise ConfigError(msg) from error
    configuration = parse_configuration(text, source=str(path))
    return _anchored(configuration, path.absolute().parent)


def home_folder(environ: Mapping[str, str] = os.environ, *, checkout: Path) -> Path:
    """Where artefacts live: $ENVPLATFORM_HOME, else `.envplatform` in the checkout."""
    chosen = environ.get(HOME_VARIABLE)
    return (Path(chosen) if chosen else checkout / DEFAULT_HOME).absolute()


def _anchored(configuration: Configuration, folder: Path) -> Configuration:
    """Make the paths in it absolute, so that no working directory matters later."""
    files = tuple(str(folder / file) for file in configuration.targets.files)
    targets = configuration.targets.model_copy(update={"files": files})
    fixes = _anchored_fixes(configuration.fixes, folder)
    return configuration.model_copy(update={"targets": targets, "fixes": fixes})


def _anchored_fixes(fixes: FixesSettings, folder: Path) -> FixesSettings:
    sources = tuple(
        source.model_copy(
            update={
                "path": source.path and str(folder / source.path),
                "git": source.git and _anchored_location(source.git, folder),
            }
        )
        for source in fixes.sources
    )
    histories = {
        name: _anchored_location(place, folder)
        for name, place in fixes.histories.items()
    }
    held_out = tuple(str(folder / file) for file in fixes.curation.held_out_files)
    return fixes.model_copy(
        update={
            "sources": sources,
            "clone_url": _anchored_location(fixes.clone_url, folder),
            "histories": histories,
            "curation": fixes.curation.model_copy(update={"held_out_files": held_out}),
        }
    )


def _anchored_location(place: str, folder: Path) -> str:
    """Anchor what is spelled as a relative path; URLs and `host:path` stay."""
    return str(folder / place) if place.startswith("./") else place
