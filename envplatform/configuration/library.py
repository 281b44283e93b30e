"""`[cowork.library]` of `envplatform.toml`: where tasks take their material from."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from envplatform.configuration.section import Positive, Section


class LibrarySourceSettings(Section):
    """`[[cowork.library.sources]]`: a folder, or one commit of a repository."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    """First part of the ids of what it gives."""
    path: str | None = None
    """Folder; absolute once read."""
    git: str | None = None
    """URL or path of a repository; a relative path starts with `./`."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")] | None = (
        None
    )
    """Of the repository, in full."""
    licence: str = ""
    """SPDX expression that all its files are under; without one all are refused."""
    licence_source: str = ""
    """Where that is stated; empty: here."""
    attribution: str = ""
    """Whom to name."""
    include: Annotated[tuple[str, ...], Field(min_length=1)] = ("*",)
    """Patterns of paths; `*` passes over slashes, too."""
    exclude: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        if (self.path is None) == (self.git is None):
            msg = "needs either path or git"
            raise ValueError(msg)
        if (self.git is None) != (self.commit is None):
            msg = "git needs commit, and path has none"
            raise ValueError(msg)
        return self


class LibrarySettings(Section):
    """`[cowork.library]`: which sources, and how much of them."""

    builtin: tuple[str, ...] | None = None
    """Names of sources shipped with the package; None: all of them."""
    sources: tuple[LibrarySourceSettings, ...] = ()
    rows: Positive = 20_000
    """Kept of one table at most; longer ones are thinned out."""
    file_bytes: Positive = 64_000_000
    """Of one file, unpacked; larger ones are refused."""
    licences: tuple[str, ...] = ()
    """SPDX identifiers taken beside the shipped ones, which ask for attribution at most."""


def anchored_library(library: LibrarySettings, folder: Path) -> LibrarySettings:
    """Make the paths in it absolute, so that no working directory matters later."""
    sources = tuple(
        source.model_copy(
            update={
                "path": source.path and str(folder / source.path),
                "git": source.git and _anchored(source.git, folder),
            }
        )
        for source in library.sources
    )
    return library.model_copy(update={"sources": sources})


def _anchored(place: str, folder: Path) -> str:
    """Anchor what is spelled as a relative path; URLs and `host:path` stay."""
    return str(folder / place) if place.startswith("./") else place
