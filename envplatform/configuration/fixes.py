"""`[fixes]` of `envplatform.toml`: sources, curation, sampling. Reads no source."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from envplatform.configuration.section import Positive, Section

REPOSITORY_FIELD = "{repository}"

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


class PatternSettings(Section):
    """`[fixes.patterns]`: who tells in words what each drawn fix changes."""

    annotator: Literal["rules", "model"] = "rules"
    """`model` asks [annotator_model], or [model] where that is absent; where its words
    won't do, the rules' stand in.
    """
    answer_tokens: Positive = 1_024
    """Longest answer of the model."""


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
    patterns: PatternSettings = PatternSettings()

    @field_validator("clone_url")
    @classmethod
    def _names_the_repository(cls, value: str) -> str:
        if REPOSITORY_FIELD not in value:
            msg = f"must hold {REPOSITORY_FIELD}, which owner/name is put in place of"
            raise ValueError(msg)
        return value


def anchored_fixes(fixes: FixesSettings, folder: Path) -> FixesSettings:
    """Make the paths in it absolute, so that no working directory matters later."""
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
