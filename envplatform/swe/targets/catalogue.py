"""The targets that a configuration names, by partition key; a bad one costs no other."""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from envplatform.configuration import TargetSettings
from envplatform.errors import ConfigError
from envplatform.graph import broken_key
from envplatform.swe.targets.target import Target
from envplatform.swe.targets.targetfile import builtin_target, load_target


def catalogue(settings: TargetSettings) -> Mapping[str, Target | ConfigError]:
    """Read every target, in the order of the configuration.

    A target that can't be read stands under `broken__` and the name it was asked for
    by, or its file's, with the error in the place of the value.
    """
    found: dict[str, Target | ConfigError] = {}
    for name in settings.builtin:
        try:
            found[name] = _builtin(name)
        except ConfigError as error:
            found[broken_key(name, found)] = error
    for file in map(Path, settings.files):
        called = file.stem if file.stem != "target" else file.parent.name
        try:
            target = _loaded(file)
        except ConfigError as error:
            found[broken_key(called, found)] = error
            continue
        if target.name in found:
            msg = f"{file}: name = {target.name!r} is another target's; choose one"
            found[broken_key(called, found)] = ConfigError(msg)
        else:
            found[target.name] = target
    return found


def find_target(settings: TargetSettings, name: str) -> Target:
    """Return one target.

    Raises:
        ConfigError: it is not configured, or its file is wrong.
    """
    targets = catalogue(settings)
    target = targets.get(name)
    if target is None:
        known = ", ".join(targets) or "none"
        msg = f"no target {name!r} is configured under [targets]; there are: {known}"
        raise ConfigError(msg)
    if isinstance(target, ConfigError):
        raise target
    return target


@cache
def _builtin(name: str) -> Target:
    return builtin_target(name)


def _loaded(file: Path) -> Target:
    try:
        state = file.stat()
    except OSError:
        return load_target(file)  # says what is wrong
    return _load_once(file, state.st_mtime_ns, state.st_size, state.st_ino)


@lru_cache(maxsize=4096)
def _load_once(file: Path, *state: int) -> Target:
    """Hundreds of partitions each look for their target among hundreds of files."""
    del state  # a changed file is another entry
    return load_target(file)
