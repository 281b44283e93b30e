"""What a layout of rows is, and what all layouts read alike."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from envplatform.configuration import FixLayout
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.sources.licence_names import spdx_identifier
from envplatform.swe.fixes.sources.rows import Row, RowRefused, shown

LICENCE_COLUMNS = ("license", "licence", "license_name", "licence_name", "spdx")
LANGUAGE_COLUMNS = ("language", "lang", "programming_language")
_PYTHON = frozenset({"python", "py", "python3"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a row does not say of itself."""

    source: str
    """Name of the source."""
    licence: str
    """SPDX identifier for rows that name none; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One way to lay out a row of published fixes."""

    name: FixLayout
    required: tuple[tuple[str, ...], ...]
    """Columns without which a file is not of this layout; any name of each will do."""
    optional: tuple[str, ...] = ()
    """Columns that are read where they are there."""
    read: Callable[[Row, Place], FixInstance]
    """Raises `RowRefused`."""

    def missing(self, columns: Collection[str]) -> tuple[str, ...]:
        """Required columns that are not there, as `a or b` where two names would do."""
        return tuple(
            " or ".join(names)
            for names in self.required
            if not any(name in columns for name in names)
        )

    def columns(self) -> frozenset[str]:
        """Every column that is read."""
        return frozenset(self.optional).union(*self.required)


def read_licence(row: Row, place: Place) -> str:
    """SPDX identifier: the row's, or the source's for a row that names none.

    A name that is unknown gives the empty one: the source's would say too much. So does
    a column that holds no text: a licence is worth no row.
    """
    value = row.value(*LICENCE_COLUMNS)
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if value is None or value == "":
        return place.licence
    return spdx_identifier(value) if isinstance(value, str) else ""


def refuse_other_languages(row: Row) -> None:
    """Refuse a row that names a language other than Python; saying none is fine.

    Raises:
        RowRefused: `not_python`.
    """
    value = row.value(*LANGUAGE_COLUMNS)
    if value is None or value == "":
        return
    if not isinstance(value, str) or value.strip().lower() not in _PYTHON:
        raise RowRefused(reason="not_python", detail=f"language is {shown(value)}")
