"""The families that ship, a folder each; found by name, imported when asked for."""

import importlib
from collections.abc import Collection
from functools import cache
from importlib import resources

from envplatform.cowork.family import Family
from envplatform.errors import ConfigError


@cache
def family_names() -> tuple[str, ...]:
    """Return the names of all families, sorted."""
    folder = resources.files("envplatform.cowork.families")
    return tuple(
        sorted(
            entry.name
            for entry in folder.iterdir()
            if entry.is_dir() and (entry / "verifier.py").is_file()
        )
    )


@cache
def family(name: str) -> Family:
    """Return one family.

    Raises:
        ConfigError: there is none of this name; names those that there are.
    """
    if name not in family_names():
        there = ", ".join(family_names())
        msg = f"cowork.families: there is no family {name!r}; there are {there}"
        raise ConfigError(msg)
    found: Family = importlib.import_module(f"{__name__}.{name}").FAMILY
    return found


def families(names: Collection[str] = ()) -> tuple[Family, ...]:
    """Return those named, sorted by name; all if none is.

    Raises:
        ConfigError: as `family`.
    """
    return tuple(family(name) for name in sorted(names or family_names()))
