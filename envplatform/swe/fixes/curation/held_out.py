"""Held-out sets that the settings name: shipped with the package, or the user's own.

The shipped ones are lists of repositories, in `envplatform/data/held_out`, each with
where its facts are from. Known renames count as the same repository.
"""

import hashlib
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from envplatform.configuration import CurationSettings
from envplatform.errors import ConfigError
from envplatform.swe.fixes.curation.hash_file import (
    HeldOutFix,
    hash_set,
    read_held_out,
    write_held_out,
)
from envplatform.swe.fixes.curation.hashes import (
    HeldOut,
    HeldOutSet,
    join_sets,
    repository_hash,
)
from envplatform.toml_file import parse_toml

__all__ = [
    "HeldOut",
    "HeldOutFix",
    "HeldOutSet",
    "builtin_digest",
    "builtin_set",
    "builtin_sets",
    "hash_set",
    "load_held_out",
    "read_held_out",
    "write_held_out",
]

_SUFFIX = ".toml"


class _RepositoryList(BaseModel):
    """A built-in set as it is written down."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: str
    repositories: tuple[str, ...] = Field(min_length=1)
    also: tuple[str, ...] = ()


def load_held_out(settings: CurationSettings) -> HeldOut:
    """Read all sets that the settings name.

    Raises:
        ConfigError: one is unknown, or its file is wrong.
    """
    sets = [builtin_set(name) for name in settings.held_out]
    sets += [read_held_out(Path(file)) for file in settings.held_out_files]
    return join_sets(sets)


def builtin_sets() -> tuple[str, ...]:
    """Names of the sets shipped with the package, sorted."""
    names = (file.name for file in _folder().iterdir())
    return tuple(sorted(n.removesuffix(_SUFFIX) for n in names if n.endswith(_SUFFIX)))


def builtin_set(name: str) -> HeldOutSet:
    """Read a set shipped with the package: repositories only.

    Raises:
        ConfigError: there is none of this name.
    """
    text = _text_of(name)
    listed = parse_toml(_RepositoryList, text, source=f"held-out set {name}")
    hashes = frozenset(map(repository_hash, listed.repositories + listed.also))
    return HeldOutSet(name=name, repositories=hashes)


def builtin_digest(name: str) -> str:
    """SHA-256 (hex) of a set shipped with the package.

    Raises:
        ConfigError: there is none of this name.
    """
    return hashlib.sha256(_text_of(name).encode()).hexdigest()


def _text_of(name: str) -> str:
    if name not in builtin_sets():
        known = ", ".join(builtin_sets())
        msg = (
            f"fixes.curation.held_out: no set {name!r} is built in; there are: {known}"
        )
        raise ConfigError(msg)
    return _folder().joinpath(name + _SUFFIX).read_text(encoding="utf-8")


def _folder() -> resources.abc.Traversable:
    return resources.files("envplatform").joinpath("data", "held_out")
