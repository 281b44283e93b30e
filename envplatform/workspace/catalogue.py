"""The seeds that a configuration names, by partition key; a bad one costs no other.

Here: which there are, and where. Not here: making environments of them (`seed` of
those that ship, `bundle` of those that lie in a folder).
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from envplatform.configuration import SeedSettings
from envplatform.errors import ConfigError
from envplatform.graph import broken_key
from envplatform.workspace.seed import builtin_seeds

_TASK = "task.toml"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedPlace:
    """Where one seed is."""

    name: str
    """Its partition key."""
    folder: Path | None
    """An environment on disk; None: it ships, under its name."""


def catalogue(
    settings: SeedSettings, *, wanted: Collection[str] = ()
) -> Mapping[str, SeedPlace | ConfigError]:
    """Name every seed, in the order of the configuration; folders are not read yet.

    What can't be found, or named, stands under `broken__` and what it was called by;
    so do names of `res.seeds`, `wanted`, that are no seed's.
    """
    found: dict[str, SeedPlace | ConfigError] = {}
    for name in settings.builtin:
        if name in builtin_seeds():
            found[name] = SeedPlace(name=name, folder=None)
        else:
            there = ", ".join(builtin_seeds())
            error = ConfigError(f"seeds.builtin: no seed {name!r} ships: {there}")
            found[broken_key(name, found)] = error
    for folder in map(Path, settings.folders):
        for path, wrong in _environments(folder):
            problem = wrong or _misnamed(path, found)
            if problem is None:
                found[path.name] = SeedPlace(name=path.name, folder=path)
            else:
                found[broken_key(path.name, found)] = problem
    there = ", ".join(found) or "none"
    for name in wanted:
        if name not in found:
            msg = f"res.seeds: no seed {name!r} is configured under [seeds]: {there}"
            found[broken_key(name, found)] = ConfigError(msg)
    return found


def find_seed(
    settings: SeedSettings, name: str, *, wanted: Collection[str] = ()
) -> SeedPlace:
    """Return one seed; `wanted` as in `catalogue`.

    Raises:
        ConfigError: it is not configured, or is none.
    """
    seeds = catalogue(settings, wanted=wanted)
    seed = seeds.get(name)
    if seed is None:
        known = ", ".join(list(seeds)[:20]) or "none"
        msg = f"no seed {name!r} is configured under [seeds]; there are: {known}"
        raise ConfigError(msg)
    if isinstance(seed, ConfigError):
        raise seed
    return seed


def _environments(folder: Path) -> Iterator[tuple[Path, ConfigError | None]]:
    """Yield `folder` where it is an environment, else those that lie in it."""
    if (folder / _TASK).is_file():
        yield folder, None
        return
    try:
        inside = sorted(path for path in folder.iterdir() if (path / _TASK).is_file())
    except OSError as error:
        yield folder, ConfigError(f"seeds.folders: {folder} can't be read: {error}")
        return
    if not inside:
        what = f"{folder} holds no environment, which is a folder with a {_TASK}"
        yield folder, ConfigError(f"seeds.folders: {what}")
    yield from ((path, None) for path in inside)


def _misnamed(path: Path, found: Mapping[str, object]) -> ConfigError | None:
    if path.name in found:
        msg = f"{path}: another seed is called {path.name!r}; rename the folder"
        return ConfigError(msg)
    if not _NAME.fullmatch(path.name) or ".." in path.name:
        msg = f"{path}: the folder's name must match {_NAME.pattern}; rename it"
        return ConfigError(msg)
    return None
