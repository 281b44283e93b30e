"""Read a `target.toml`: strict about keys and types, errors that name the remedy."""

import glob
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from envplatform.errors import ConfigError, FixSourceError
from envplatform.swe.fixes.histories.location import parse_location
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
from envplatform.toml_file import parse_toml
from envplatform.tree import TreeError, checked_path

_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_]+")
_NEEDED = ("pytest", "coverage")
_LATER = ("image", "dockerfile", "commands")

BROKEN = "broken__"
"""How the names of targets that can't be read begin, and no others."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\[\]]{1,200}$")]
"""Text that stands in one line of an INI file."""
Minor = Annotated[str, StringConstraints(pattern=r"^3\.(7|8|9|1[0-9])$")]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Sdist(_Table):
    kind: Literal["sdist"]
    package: Text
    version: Text
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Folder(_Table):
    kind: Literal["path"]
    path: Text


class _Git(_Table):
    kind: Literal["git"]
    url: Text | None = None
    path: Text | None = None
    commit: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if (self.url is None) == (self.path is None):
            msg = "give url, or path for a repository on this machine, and not both"
            raise ValueError(msg)
        if self.url is not None and not _is_remote(self.url):
            msg = "source.url is no https, http, ssh, git or file URL; folders are path"
            raise ValueError(msg)
        return self


class _Code(_Table):
    roots: Annotated[tuple[Text, ...], Field(min_length=1)]
    exclude: tuple[Text, ...] = ()

    @field_validator("roots")
    @classmethod
    def _stay_inside(cls, roots: tuple[str, ...]) -> tuple[str, ...]:
        return _inside(roots)


class _Suite(_Table):
    paths: Annotated[tuple[Text, ...], Field(min_length=1)] = (".",)
    args: tuple[Text, ...] = ()
    pythonpath: tuple[Text, ...] = (".",)
    env: dict[Text, str] = {}
    test_timeout_s: Seconds = 20.0
    suite_timeout_s: Seconds = 300.0
    memory_mb: Positive = 2048
    disk_mb: Positive = 512
    processes: Positive = 128

    @field_validator("paths", "pythonpath")
    @classmethod
    def _stay_inside(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        return _inside(paths)


class _Package(_Table):
    name: Annotated[
        str, StringConstraints(pattern=r"^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$")
    ]
    version: Annotated[
        str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$")
    ]
    entry_points: dict[Line, dict[Line, Line]] = {}


class _File(_Table):
    name: Annotated[
        str,
        StringConstraints(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*__[A-Za-z0-9_.-]+$", max_length=100
        ),
    ]
    license: Text
    python: Annotated[tuple[Minor, ...], Field(min_length=1)]
    requirements: tuple[Text, ...]
    source: Annotated[_Sdist | _Folder | _Git, Field(discriminator="kind")]
    directory: Text = "."
    suite: _Suite = _Suite()
    code: _Code
    package: _Package | None = None

    @field_validator("directory")
    @classmethod
    def _stays_inside(cls, directory: str) -> str:
        return _inside((directory,))[0]

    @field_validator("name")
    @classmethod
    def _names_ids(cls, name: str) -> str:
        if ".." in name or name.startswith(BROKEN):
            msg = f"may not hold '..' or begin with {BROKEN!r}"
            raise ValueError(msg)
        return name

    @field_validator("requirements")
    @classmethod
    def _are_pins(cls, pins: tuple[str, ...]) -> tuple[str, ...]:
        return checked_pins(pins)

    @model_validator(mode="before")
    @classmethod
    def _kind_is_known(cls, values: object) -> object:
        source = values.get("source") if isinstance(values, dict) else None
        kind = source.get("kind") if isinstance(source, dict) else None
        if kind in _LATER:
            msg = (
                f"source.kind = {kind!r} is not supported yet; take the release's "
                'sdist (kind = "sdist"), a commit (kind = "git") or a folder '
                '(kind = "path")'
            )
            raise ValueError(msg)
        return values


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
    file = parse_toml(_File, text, source=source)
    return Target(
        name=file.name,
        source=_source(file.source, folder),
        license=file.license,
        python=file.python,
        requirements=tuple(sorted(file.requirements)),
        suite=_suite(file),
        code=_code(file),
        package=Package(**file.package.model_dump()) if file.package else None,
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


def checked_pins(pins: tuple[str, ...]) -> tuple[str, ...]:
    """Return `pins` if they are exact and name what every suite needs.

    Raises:
        ValueError: a pin is not `name==version`, or pytest or coverage is missing.
    """
    for pin in pins:
        if not _PIN.fullmatch(pin):
            msg = f"{pin!r} is not an exact pin; write name==version"
            raise ValueError(msg)
    names = {pin.split("==")[0].lower() for pin in pins}
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        msg = f"no pin for {' and '.join(missing)}, which run and measure every suite"
        raise ValueError(msg)
    return pins


def _inside(paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        try:
            checked = path == "." or checked_path(path)
        except TreeError as error:
            raise ValueError(str(error)) from error
        if not checked or path.startswith("-"):
            msg = f"{path!r} would be read as an option"
            raise ValueError(msg)
    return paths


def _source(source: _Sdist | _Folder | _Git, folder: Path) -> Source:
    match source:
        case _Folder():
            return FolderSource(path=folder / source.path)
        case _Git():
            url = source.url or str((folder / (source.path or "")).absolute())
            return GitSource(url=url, commit=source.commit)
        case _Sdist():
            return SdistSource(
                package=source.package, version=source.version, sha256=source.sha256
            )


def _is_remote(url: str) -> bool:
    try:
        return not parse_location(url, repository="").is_local
    except FixSourceError:
        return False


def _suite(file: _File) -> Suite:
    """Start all paths at the tree; the file has them below its directory."""
    suite = Suite(directory=file.directory, **file.suite.model_dump())
    return replace(
        suite,
        paths=_below(file.directory, suite.paths),
        pythonpath=_below(file.directory, suite.pythonpath),
    )


def _code(file: _File) -> Code:
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
