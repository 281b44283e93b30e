"""The targets that a configuration names, by partition key; a bad one costs no other."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from envplatform.configuration import TargetSettings
from envplatform.errors import ConfigError
from envplatform.swe.targets.folder import read_folder
from envplatform.swe.targets.target import FolderSource, Target
from envplatform.swe.targets.targetfile import builtin_target, load_target
from envplatform.tree import tree_digest

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def catalogue(settings: TargetSettings) -> Mapping[str, Target | ConfigError]:
    """Read every target, in the order of the configuration.

    A target that can't be read stands under the name it was asked for by, or under
    its file's folder, with the error in the place of the value.
    """
    found: dict[str, Target | ConfigError] = {}
    for name in settings.builtin:
        try:
            found[name] = builtin_target(name)
        except ConfigError as error:
            found[name] = error
    for file in map(Path, settings.files):
        try:
            target = load_target(file)
        except ConfigError as error:
            found[_key_of(file, found)] = error
            continue
        if target.name in found:
            msg = f"{file}: name = {target.name!r} is another target's; choose one"
            found[_key_of(file, found)] = ConfigError(msg)
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


def source_digest(target: Target) -> str:
    """SHA-256 (hex) over all that a target says, and the files of a local folder."""
    content = ""
    if isinstance(target.source, FolderSource):
        content = tree_digest(read_folder(target.source.path))
        # Where the folder lies says nothing about what is in it.
        target = replace(target, source=FolderSource(path=Path()))
    return hashlib.sha256(f"{target!r} {content}".encode()).hexdigest()


def _key_of(file: Path, taken: Mapping[str, object]) -> str:
    stem = file.stem if file.stem != "target" else file.parent.name
    base = f"broken__{_UNSAFE.sub('-', stem) or 'target'}"
    key, number = base, 2
    while key in taken:
        key, number = f"{base}-{number}", number + 1
    return key
