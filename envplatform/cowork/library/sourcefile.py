"""`sources.toml` and `[cowork.library]` to sources. The edge: strict, names keys."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from envplatform.configuration import LibrarySettings, LibrarySourceSettings
from envplatform.cowork.library.resource import Kind
from envplatform.cowork.library.specification import (
    FileRule,
    Folder,
    Git,
    LicenceList,
    Limits,
    Origin,
    SourceSpec,
    shipped_text,
)
from envplatform.errors import ConfigError
from envplatform.registries import NpmRelease, Release
from envplatform.toml_file import parse_toml

_FILE = "sources.toml"
_STATED = "envplatform.toml"
_NAME = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
_NO_LICENCE = (
    "state the licence that you have the files under, as licence = an SPDX identifier, "
    "in [[cowork.library.sources]]"
)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Rule(_Table):
    files: Annotated[tuple[str, ...], Field(min_length=1)]
    licence: str = ""
    licence_source: str = ""
    attribution: str = ""
    refuse: str = ""
    kind: Kind | None = None
    text_field: str = ""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if bool(self.licence) == bool(self.refuse):
            msg = "needs licence, or refuse, which says why there is none"
            raise ValueError(msg)
        if self.licence and not self.licence_source:
            msg = "needs licence_source: where the licence is stated"
            raise ValueError(msg)
        return self


class _Listed(_Table):
    path: str
    root: str = ""
    names: dict[str, str]


class _Source(_Table):
    name: _NAME
    registry: Literal["pypi", "npm"]
    package: str
    version: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    integrity: str | None = None
    include: Annotated[tuple[str, ...], Field(min_length=1)]
    exclude: tuple[str, ...] = ()
    rules: tuple[_Rule, ...] = ()
    licence_list: _Listed | None = None

    @model_validator(mode="after")
    def _is_pinned(self) -> Self:
        if (self.registry == "pypi") != (self.sha256 is not None):
            msg = "pypi needs sha256, and npm has none"
            raise ValueError(msg)
        if (self.registry == "npm") != (self.integrity is not None):
            msg = "npm needs integrity, and pypi has none"
            raise ValueError(msg)
        return self

    def spec(self) -> SourceSpec:
        listed = self.licence_list
        return SourceSpec(
            name=self.name,
            origin=self._origin(),
            include=self.include,
            exclude=self.exclude,
            rules=tuple(FileRule(**rule.model_dump()) for rule in self.rules),
            licence_list=LicenceList(**listed.model_dump()) if listed else None,
        )

    def _origin(self) -> Release | NpmRelease:
        if self.sha256 is not None:
            return Release(
                package=self.package, version=self.version, sha256=self.sha256
            )
        return NpmRelease(
            package=self.package, version=self.version, integrity=self.integrity or ""
        )


class _File(_Table):
    source: tuple[_Source, ...]


def parse_sources(text: str, *, source: str) -> tuple[SourceSpec, ...]:
    """Read a list of sources.

    Raises:
        ConfigError: names `source` and every wrong key.
    """
    return tuple(one.spec() for one in parse_toml(_File, text, source=source).source)


@cache
def shipped_sources() -> tuple[SourceSpec, ...]:
    """The list that ships with the package."""
    return parse_sources(shipped_text(), source=_FILE)


def configured_sources(settings: LibrarySettings) -> tuple[SourceSpec, ...]:
    """Shipped sources that are wanted, then the user's own.

    Raises:
        ConfigError: no such shipped source, or two sources of one name.
    """
    shipped = {spec.name: spec for spec in shipped_sources()}
    wanted = tuple(shipped) if settings.builtin is None else settings.builtin
    if unknown := [name for name in wanted if name not in shipped]:
        msg = (
            f"[cowork.library] builtin: no source {unknown[0]!r} ships; there are "
            f"{', '.join(shipped)}"
        )
        raise ConfigError(msg)
    own = tuple(_own(each) for each in settings.sources)
    names = [*wanted, *(spec.name for spec in own)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        msg = f"[cowork.library] names two sources {twice!r}; rename one"
        raise ConfigError(msg)
    return (*(shipped[name] for name in wanted), *own)


def configured_limits(settings: LibrarySettings) -> Limits:
    """What is too much, and which further licences are taken."""
    return Limits(
        rows=settings.rows,
        file_bytes=settings.file_bytes,
        licences=frozenset(settings.licences),
    )


def _own(settings: LibrarySourceSettings) -> SourceSpec:
    """A source of the user's, under the one licence that they state."""
    rule = (
        FileRule(
            files=("*",),
            licence=settings.licence,
            licence_source=settings.licence_source or _STATED,
            attribution=settings.attribution,
        )
        if settings.licence
        else FileRule(files=("*",), refuse=_NO_LICENCE)
    )
    return SourceSpec(
        name=settings.name,
        origin=_own_origin(settings),
        include=settings.include,
        exclude=settings.exclude,
        rules=(rule,),
    )


def _own_origin(settings: LibrarySourceSettings) -> Origin:
    if settings.git is not None:
        return Git(url=settings.git, commit=settings.commit or "")
    return Folder(path=Path(settings.path or ""))
