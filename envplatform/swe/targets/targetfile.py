"""Read a `target.toml`: strict about keys and types, errors that name the remedy."""

import glob
from dataclasses import replace
from importlib import resources
from pathlib import Path

from envplatform.errors import ConfigError
from envplatform.swe.targets.target import (
    Code,
    FolderSource,
    GitSource,
    Package,
    SdistSource,
    Source,
    Suite,
    Target,
)
from envplatform.swe.targets.targetfile_surroundings import image_source
from envplatform.swe.targets.targetfile_tables import (
    FolderTable,
    GitTable,
    SdistTable,
    TargetFile,
)
from envplatform.toml_file import parse_toml


def load_target(path: Path) -> Target:
    """Read the target file at `path`; a relative source folder starts beside it.

    Raises:
        ConfigError: names the file, each wrong key, what stands there and why.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} can't be read: {error}"
        raise ConfigError(msg) from error
    return parse_target(text, source=str(path), folder=path.parent)


def parse_target(text: str, *, source: str, folder: Path) -> Target:
    """Read the text of a target file; `source` names it in errors.

    Raises:
        ConfigError: as `load_target`.
    """
    file = parse_toml(TargetFile, text, source=source)
    return Target(
        name=file.name,
        source=_source(file.source, folder),
        license=file.license,
        python=file.python,
        requirements=tuple(sorted(file.requirements)),
        suite=_suite(file),
        code=_code(file),
        package=Package(**file.package.model_dump()) if file.package else None,
        image=image_source(file.image, folder),
        services=tuple(service.value() for service in file.services),
    )


def builtin_targets() -> tuple[str, ...]:
    """Sorted names of the targets that ship with the package."""
    folder = resources.files("envplatform") / "data" / "targets"
    names = (Path(entry.name) for entry in folder.iterdir())
    return tuple(sorted(name.stem for name in names if name.suffix == ".toml"))


def builtin_target(name: str) -> Target:
    """Read the shipped target `name`.

    Raises:
        ConfigError: there is none of that name; lists those there are.
    """
    if name not in builtin_targets():
        known = ", ".join(builtin_targets())
        msg = f"no target {name!r} ships with envplatform; there are {known}"
        raise ConfigError(msg)
    folder = resources.files("envplatform") / "data" / "targets"
    text = (folder / f"{name}.toml").read_text(encoding="utf-8")
    return parse_target(text, source=f"built-in target {name}", folder=Path())


def _source(source: SdistTable | FolderTable | GitTable, folder: Path) -> Source:
    match source:
        case FolderTable():
            return FolderSource(path=folder / source.path)
        case GitTable():
            url = source.url or str((folder / (source.path or "")).absolute())
            return GitSource(url=url, commit=source.commit)
        case SdistTable():
            return SdistSource(
                package=source.package, version=source.version, sha256=source.sha256
            )


def _suite(file: TargetFile) -> Suite:
    """Start all paths at the tree; the file has them below its directory."""
    given = {**file.suite.model_dump(), "report": ""}
    suite = Suite(directory=file.directory, **given)
    report = file.suite.report
    return replace(
        suite,
        report=_below(file.directory, (report,))[0] if report else "",
        paths=_below(file.directory, suite.paths),
        pythonpath=_below(file.directory, suite.pythonpath),
    )


def _code(file: TargetFile) -> Code:
    plain = glob.escape(file.directory)
    globs = tuple(f"{plain}/{one}" for one in file.code.exclude)
    return Code(
        roots=_below(file.directory, file.code.roots),
        exclude=file.code.exclude if file.directory == "." else globs,
    )


def _below(directory: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    if directory == ".":
        return paths
    return tuple(directory if path == "." else f"{directory}/{path}" for path in paths)
