"""Points in time, in the forms in which data sets write them."""

import math
import re
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime

from envplatform.swe.fixes.sources.rows import Row, RowRefused, is_null, shown

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_YEAR, _LAST_YEAR = 1970, 2100
_LAST_NANOSECOND = 10**20
_DIGITS = re.compile(r"\d{9,19}(?:\.\d{1,9})?", re.ASCII)
_ZONE_NAME = re.compile(r"\s*(?:UTC|GMT|Z)$", re.IGNORECASE)
_GIT = "%a %b %d %H:%M:%S %Y %z"


def read_instant(row: Row, *names: str) -> str:
    """UTC as `YYYY-MM-DDTHH:MM:SSZ`, to the second below; empty if absent.

    Takes ISO 8601 in any of its usual forms, git's and mail's, numbers since 1970 in
    seconds, milli-, micro- or nanoseconds (told by their size), and timestamps. Without
    a zone it is UTC: all known sets are.

    Raises:
        RowRefused: something else, or a year before 1970 or after 2100.
    """
    value = row.value(*names)
    if is_null(value) or value == "":
        return ""
    instant = _from_value(value)
    if instant is None or not _FIRST_YEAR <= instant.year <= _LAST_YEAR:
        detail = f"{' or '.join(names)} is {shown(value)}, expected a date and time"
        raise RowRefused(reason="wrong_type", detail=detail)
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def _from_value(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, date):
        return datetime.combine(value, time(tzinfo=UTC))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    if isinstance(value, str) and len(value) <= 64:  # noqa: PLR2004  no date is longer
        text = value.strip()
        return _from_number(float(text)) if _DIGITS.fullmatch(text) else _parse(text)
    return None


def _from_number(number: float) -> datetime | None:
    # Compared before it is divided: JSON has integers that no float can hold.
    if not -_LAST_NANOSECOND < number < _LAST_NANOSECOND:
        return None
    for unit in (1, 1e3, 1e6, 1e9):
        if abs(number) / unit < 1e11:  # noqa: PLR2004  seconds until the year 5138
            return _EPOCH + timedelta(seconds=math.floor(number / unit))
    return None


def _parse(text: str) -> datetime | None:
    for reader in (_iso, _git, parsedate_to_datetime):
        try:
            return _in_utc(reader(text))
        except (ValueError, OverflowError):
            continue
    return None


def _iso(text: str) -> datetime:
    return datetime.fromisoformat(_ZONE_NAME.sub("+00:00", text))


def _git(text: str) -> datetime:
    return datetime.strptime(text, _GIT)  # noqa: DTZ007  the format has a zone


def _in_utc(instant: datetime) -> datetime | None:
    if instant.tzinfo is None:
        return instant.replace(tzinfo=UTC)
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        return None
