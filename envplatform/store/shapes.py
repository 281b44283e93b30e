"""The shape of a row: which values its dataclass admits. Knows no file format.

Rows are frozen dataclasses of `str`, `int`, `float`, `bool`, `Literal`, `X | None`,
`tuple[X, ...]` and further such dataclasses. A field whose metadata says
`{"identity": False}` (seconds, dates) is stored but takes no part in digests.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from envplatform.errors import StoreError

IDENTITY = "identity"
"""Key of the field metadata that excludes a field from digests."""

NOT_IDENTITY: Mapping[str, bool] = types.MappingProxyType({IDENTITY: False})
"""`field(metadata=NOT_IDENTITY)` for what may differ between two equal results."""

VERSION_ATTRIBUTE = "SCHEMA_VERSION"
"""`SCHEMA_VERSION: ClassVar[int]` of a row type; 1 where it is absent."""

VIEW_ATTRIBUTE = "VIEW_OF"
"""`VIEW_OF: ClassVar[type]` of a row type that has some fields of another one: tables of
the other are read through it, and only those columns come off the disk."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value of a built-in type, perhaps one of a few."""

    kind: type[str | int | float | bool]
    choices: tuple[object, ...] | None = None


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value or None."""

    inner: "Shape"


@dataclass(frozen=True, slots=True)
class Many:
    """A tuple of any length, possibly empty."""

    item: "Shape"


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a record."""

    name: str
    shape: "Shape"
    has_default: bool
    identity: bool


@dataclass(frozen=True, slots=True)
class Record:
    """A frozen dataclass."""

    row_type: type[Any]
    members: tuple[Member, ...]
    version: int
    view_of: type[Any] | None = None
    """The row type of which this one has some fields; None: it stands for itself."""

    @property
    def is_view(self) -> bool:
        """Whether tables are read through it and never written."""
        return self.view_of is not None

    @property
    def stored_as(self) -> str:
        """Name of the row type in files."""
        return (self.view_of or self.row_type).__name__

    @property
    def name(self) -> str:
        """Name under which files know the row type."""
        return self.row_type.__name__


Shape = Scalar | Maybe | Many | Record


def record_of(row_type: type[Any]) -> Record:
    """Return the shape of a row type.

    Raises:
        StoreError: no frozen dataclass, or a field of a type that tables don't take.
    """
    if not (
        dataclasses.is_dataclass(row_type) and row_type.__dataclass_params__.frozen  # type: ignore[attr-defined]  # set on each dataclass since 3.7, not in typeshed
    ):
        msg = f"{row_type.__name__} is not a frozen dataclass; rows must be"
        raise StoreError(msg)
    hints = typing.get_type_hints(row_type)
    members = []
    for field in dataclasses.fields(row_type):
        where = f"{row_type.__name__}.{field.name}"
        if not field.init:
            msg = f"{where} is not an argument of the constructor; rows can't hold it"
            raise StoreError(msg)
        has_default = (
            field.default is not dataclasses.MISSING
            or field.default_factory is not dataclasses.MISSING
        )
        shape = _shape_of(hints[field.name], where)
        identity = bool(field.metadata.get(IDENTITY, True))
        members.append(Member(field.name, shape, has_default, identity))
    view_of = getattr(row_type, VIEW_ATTRIBUTE, None)
    if view_of is not None:
        _check_view(row_type, view_of)
    version = getattr(view_of or row_type, VERSION_ATTRIBUTE, 1)
    return Record(row_type, tuple(members), version, view_of)


def _check_view(row_type: type[Any], view_of: type[Any]) -> None:
    """See that a view names fields that there are: a slip would read defaults."""
    if getattr(view_of, VIEW_ATTRIBUTE, None) is not None:
        msg = f"{row_type.__name__} is a view of {view_of.__name__}, itself a view"
        raise StoreError(msg)
    known = {field.name for field in dataclasses.fields(view_of)}
    for field in dataclasses.fields(row_type):
        if field.name not in known:
            msg = f"{row_type.__name__}.{field.name}: {view_of.__name__} has no such field"
            raise StoreError(msg)


def _shape_of(hint: Any, where: str) -> Shape:  # noqa: ANN401  a type hint has no type
    if hint in (str, int, float, bool):
        return Scalar(hint)
    arguments = typing.get_args(hint)
    match typing.get_origin(hint):
        case typing.Literal:
            return _choice(arguments, where)
        case typing.Union | types.UnionType:
            rest = [argument for argument in arguments if argument is not type(None)]
            if len(rest) == 1 and len(arguments) > 1:
                return Maybe(_shape_of(rest[0], where))
        case builtin if builtin is tuple and arguments[1:] == (...,):
            return Many(_shape_of(arguments[0], where))
        case None if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return record_of(hint)
    msg = (
        f"{where} has type {hint}, which tables don't take; use str, int, float, bool,"
        " Literal, X | None, tuple[X, ...] or a frozen dataclass of these"
    )
    raise StoreError(msg)


def _choice(choices: tuple[object, ...], where: str) -> Shape:
    kinds = {type(choice) for choice in choices}
    kind: Literal["str", "int"] | None = None
    if kinds == {str}:
        kind = "str"
    elif kinds == {int}:
        kind = "int"
    if kind is None:
        msg = f"{where}: a Literal in a row holds strings only, or whole numbers only"
        raise StoreError(msg)
    return Scalar(str if kind == "str" else int, choices)
