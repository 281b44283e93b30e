"""`[release]` of `envplatform.toml`: what may leave the house, and how it is divided."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from envplatform.configuration.section import Positive, Section

Part = Annotated[float, Field(ge=0, lt=1)]


class ReleaseSettings(Section):
    """`[release]`: licences, held-out texts, and shares of the splits."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")] = (
        "environments"
    )
    """Of the data set, as its card has it."""
    licences: Literal["permissive", "any"] | tuple[str, ...] = "permissive"
    """A policy, or the SPDX identifiers that are taken."""
    unknown_licences: Literal["keep", "drop"] = "drop"
    experiments: tuple[str, ...] = ()
    """Whose selected trajectories are taken; empty: all."""
    held_out_files: tuple[str, ...] = ()
    """Files of `envplatform release hashes` or `held-out`; absolute once read."""
    held_out_grams: Positive = 1
    """Runs of 13 words that an environment may not share with them: so many are too
    many.
    """
    validation_share: Part = 0.05
    test_share: Part = 0.05
    """Of the lineages, repositories and families, each of which is in one split."""
    split_seed: int = 0

    @model_validator(mode="after")
    def _leaves_some_to_train(self) -> Self:
        if self.validation_share + self.test_share >= 1:
            msg = "validation_share and test_share leave nothing to train on"
            raise ValueError(msg)
        return self


def anchored_release(settings: ReleaseSettings, folder: Path) -> ReleaseSettings:
    """Make the paths of hash files absolute, from the configuration's folder."""
    files = tuple(str(folder / file) for file in settings.held_out_files)
    return settings.model_copy(update={"held_out_files": files})
