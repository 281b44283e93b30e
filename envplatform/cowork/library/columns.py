"""What a column holds: a guess of its type, and figures over its values."""

import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from envplatform.cowork.library.resource import ColumnRow, ColumnType

NULL_WORDS = frozenset({"NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-"})
"""No value, in a column whose other values are all numbers or all dates. In a column of
text they are text: NA is a country.
"""
_INT = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(
    r"[+-]?(?:\d{1,18}\.\d{0,18}|\.\d{1,18}|\d{1,18})(?:[eE][+-]?\d{1,2})?"
)
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?Z?)?")


def type_of(values: Sequence[str | None]) -> ColumnType:
    """Return the type that all values have, null words aside; `text` if none is."""
    given = {value for value in values if value is not None}
    real = given - NULL_WORDS
    if not real:
        return "text"
    if all(_INT.fullmatch(value) for value in real):
        return "int"
    if all(is_decimal(value) for value in real):
        return "decimal"
    return "date" if all(_is_date(value) for value in real) else "text"


def is_decimal(value: str) -> bool:
    """Whether it is a number; not `007`, which is a code."""
    return bool(_DECIMAL.fullmatch(value)) and not _LEADING_ZERO.match(value)


def measured(name: str, kind: ColumnType, values: Sequence[str | None]) -> ColumnRow:
    """Return a column's figures, of values without null words."""
    given = [value for value in values if value is not None]
    distinct = sorted(set(given))
    if kind in ("int", "decimal"):
        distinct.sort(key=lambda value: (Decimal(value), value))
    share = round(1 - len(given) / len(values), 6) if values else 0.0
    return ColumnRow(
        name=name,
        type=kind,
        null_share=share,
        distinct=len(distinct),
        minimum=distinct[0] if distinct else None,
        maximum=distinct[-1] if distinct else None,
    )


def _is_date(value: str) -> bool:
    if not _DATE.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
