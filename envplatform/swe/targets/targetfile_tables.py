"""The tables of a target file, and what may stand in them."""

import re
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from envplatform.errors import FixSourceError
from envplatform.graph import BROKEN
from envplatform.swe.fixes.histories.location import parse_location
from envplatform.swe.targets.targetfile_surroundings import ImageTable, ServiceTable
from envplatform.tree import TreeError, checked_path

_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_]+")
_NEEDED = ("pytest", "coverage")
_IMAGES = ("image", "existing", "dockerfile", "commands")

Text = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\[\]]{1,200}$")]
"""Text that stands in one line of an INI file."""
Minor = Annotated[str, StringConstraints(pattern=r"^3\.(7|8|9|1[0-9])$")]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SdistTable(_Table):
    """`kind = "sdist"`."""

    kind: Literal["sdist"]
    package: Text
    version: Text
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class FolderTable(_Table):
    """`kind = "path"`."""

    kind: Literal["path"]
    path: Text


class GitTable(_Table):
    """`kind = "git"`."""

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


class CodeTable(_Table):
    """`[code]`."""

    roots: Annotated[tuple[Text, ...], Field(min_length=1)]
    exclude: tuple[Text, ...] = ()

    @field_validator("roots")
    @classmethod
    def _stay_inside(cls, roots: tuple[str, ...]) -> tuple[str, ...]:
        return _inside(roots)


class SuiteTable(_Table):
    """`[suite]`."""

    paths: Annotated[tuple[Text, ...], Field(min_length=1)] = (".",)
    args: tuple[Text, ...] = ()
    pythonpath: tuple[Text, ...] = (".",)
    results: Literal["pytest", "junit"] = "pytest"
    command: tuple[Text, ...] = ()
    report: Text | None = None
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

    @model_validator(mode="after")
    def _says_how(self) -> Self:
        given = [bool(self.command), self.report is not None]
        if self.results == "junit" and not all(given):
            msg = (
                'results = "junit" needs command, which runs the suite, and report, '
                "the file (or folder) of JUnit XML that it writes"
            )
            raise ValueError(msg)
        if self.results == "junit" and self.args:
            msg = "args are pytest's; put them into command"
            raise ValueError(msg)
        if self.results == "pytest" and any(given):
            msg = 'command and report are for results = "junit"; pytest needs none'
            raise ValueError(msg)
        if self.report is not None and (_inside((self.report,)) and self.report == "."):
            msg = "report = '.' is the tree itself; name the file or folder"
            raise ValueError(msg)
        return self


class PackageTable(_Table):
    """`[package]`."""

    name: Annotated[
        str, StringConstraints(pattern=r"^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$")
    ]
    version: Annotated[
        str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$")
    ]
    entry_points: dict[Line, dict[Line, Line]] = {}


class TargetFile(_Table):
    """The whole file."""

    name: Annotated[
        str,
        StringConstraints(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*__[A-Za-z0-9_.-]+$", max_length=100
        ),
    ]
    license: Text
    python: tuple[Minor, ...] = ()
    requirements: tuple[Text, ...] = ()
    source: Annotated[SdistTable | FolderTable | GitTable, Field(discriminator="kind")]
    directory: Text = "."
    suite: SuiteTable = SuiteTable()
    code: CodeTable
    package: PackageTable | None = None
    image: ImageTable | None = None
    services: tuple[ServiceTable, ...] = ()

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
        return _exact(pins)

    @model_validator(mode="after")
    def _can_run(self) -> Self:
        if self.image is None:
            if not self.python:
                msg = "python is missing; add it, or an [image] that has one"
                raise ValueError(msg)
            if self.suite.results == "pytest":
                _check_complete(self.requirements)
        names = [service.name for service in self.services]
        if len(set(names)) < len(names):
            msg = f"services: {names} hold a name twice"
            raise ValueError(msg)
        return self

    @model_validator(mode="before")
    @classmethod
    def _kind_is_known(cls, values: object) -> object:
        source = values.get("source") if isinstance(values, dict) else None
        kind = source.get("kind") if isinstance(source, dict) else None
        if kind in _IMAGES:
            msg = (
                f"source.kind = {kind!r}: an image, a Dockerfile or commands stand "
                'under [image]; [source] says where the files come from (kind = "path", '
                '"git" or "sdist")'
            )
            raise ValueError(msg)
        return values


def checked_pins(pins: tuple[str, ...]) -> tuple[str, ...]:
    """Return `pins` if they are exact and name what every suite needs.

    Raises:
        ValueError: a pin is not `name==version`, or pytest or coverage is missing.
    """
    _check_complete(_exact(pins))
    return pins


def _check_complete(pins: tuple[str, ...]) -> None:
    names = {pin.split("==")[0].lower() for pin in pins}
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        what = f"no pin for {' and '.join(missing)}"
        msg = f"requirements hold {what}, which run and measure every suite"
        raise ValueError(msg)


def _exact(pins: tuple[str, ...]) -> tuple[str, ...]:
    for pin in pins:
        if not _PIN.fullmatch(pin):
            msg = f"{pin!r} is not an exact pin; write name==version"
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


def _is_remote(url: str) -> bool:
    try:
        return not parse_location(url, repository="").is_local
    except FixSourceError:
        return False
